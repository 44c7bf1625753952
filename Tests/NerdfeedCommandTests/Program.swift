import Foundation

/// The program as it is installed, for what only a process of its own can show.
enum Program {
  /// The binary beside the test bundle.
  static let binary: URL = {
    let beside = Bundle.main.bundleURL.appending(path: "nerdfeed")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".build/debug/nerdfeed")
  }()
}
