import FeedSync
import Foundation
import Testing

/// A folder, and the states of any number of devices on it.
final class Place: Sendable {
  let root: URL
  var folder: URL { root.appending(path: "folder") }

  init() throws {
    root =
      FileManager.default.temporaryDirectory
      .appending(path: "feedsync-library-\(UUID().uuidString)").standardizedFileURL
    try FileManager.default.createDirectory(
      at: root.appending(path: "folder"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func state(_ name: String) -> String { root.appending(path: "state-\(name)").path }

  /// The store of a device of this name, which joins if it has not yet.
  func store(_ name: String = "ann") throws -> DocumentStore {
    DocumentStore(
      try UbiquityContainer.join(
        folder.path, identifier: "org.example.test", deviceName: name, state: state(name)))
  }

  /// Takes the folder away, or puts it back.
  func setFolder(isAway: Bool) throws {
    let elsewhere = root.appending(path: "elsewhere")
    if isAway {
      try FileManager.default.moveItem(at: folder, to: elsewhere)
    } else {
      try FileManager.default.moveItem(at: elsewhere, to: folder)
    }
  }

  /// Runs the command `feedsync` as another process of a device.
  @discardableResult
  func feedsync(_ arguments: String..., as name: String = "ann") throws -> String {
    let process = Process()
    process.executableURL = Self.binary("feedsync")
    process.arguments = arguments
    process.environment = [
      "HOME": root.path, "FEEDSYNC_STATE": state(name), "FEEDSYNC_CONTAINER": folder.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }

  /// A program of this package, beside the test bundle.
  static func binary(_ name: String) -> URL {
    let beside = Bundle.main.bundleURL.appending(path: name)
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".build/debug/\(name)")
  }
}

/// A document of the tests.
struct Note: Codable, Equatable {
  var title: String
  var isDone = false
  var rating: Double?
}
