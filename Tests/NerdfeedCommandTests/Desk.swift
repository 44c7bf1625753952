import FeedLibrary
import FeedSync
import Foundation

/// The library of one device, in directories that go with it.
final class Desk: Sendable {
  let root: URL
  let library: Library

  init() throws {
    root =
      FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-desk-\(UUID().uuidString)").standardizedFileURL
    let folder = root.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let container = try UbiquityContainer.join(
      folder.path, identifier: "org.example.feeds", deviceName: "ann",
      state: root.appending(path: "state").path)
    library = try Library(container, cache: root.appending(path: "cache").path)
  }

  deinit { try? FileManager.default.removeItem(at: root) }
}
