import SystemFiles
import SystemPackage

/// Tells the syncer what it must not carry: feedsync's temporaries and everything `.nosync`.
///
/// Syncthing reads `.stignore` in the root of its folder and does not sync it, so each device
/// writes its own.
package struct SyncerIgnoreFile: Sendable {
  static let begin = "// feedsync: begin"
  static let end = "// feedsync: end"
  /// Without a leading slash, so that they hold at any depth.
  static let patterns = ["*.nosync", "*.nosync*", ".feedsync-*"]
  private static let maximumBytes = 1 << 20

  private let container: UbiquityContainer

  package init(container: UbiquityContainer) { self.container = container }

  /// Adds the block to `.stignore`, where it is not there yet.
  ///
  /// - returns: the file, if it was written.
  @discardableResult
  package func write(temporaryName: FilePath.Component) throws -> FilePath? {
    let files = container.files
    let file = syncerRoot().appending(".stignore")
    var present: [UInt8] = []
    do {
      present = try files.contents(of: file, limit: Self.maximumBytes).bytes
    } catch let error where error.errno == .noSuchFileOrDirectory {
      present = []
    }
    let text = String(decoding: present, as: UTF8.self)
    guard !text.contains(Self.begin) else { return nil }
    let block = ([Self.begin] + Self.patterns + [Self.end]).map { $0 + "\n" }.joined()
    // The first pattern that matches wins, so the block goes in front of the user's own.
    let temporary = try files.createTemporary(
      in: file.parent, fallbackName: temporaryName)
    let staged = file.parent.appending(temporaryName)
    do {
      try files.write(Array(block.utf8) + present, to: temporary)
      try files.synchronize(temporary)
      try files.place(temporary, at: staged)
    } catch {
      files.discard(temporary)
      throw error
    }
    try files.rename(staged, to: file)
    try files.synchronizeDirectory(file.parent)
    return file
  }

  /// The nearest folder upwards that holds `.stfolder`, else the container.
  private func syncerRoot() -> FilePath {
    var directory = container.root
    while true {
      if (try? container.files.status(of: directory.appending(".stfolder"))) != nil {
        return directory
      }
      guard directory.parent != directory, !directory.components.isEmpty else {
        return container.root
      }
      directory = directory.parent
    }
  }
}
