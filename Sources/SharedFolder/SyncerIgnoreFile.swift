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
  /// The patterns on one line, for people.
  package static let advice = patterns.joined(separator: "  ")
  private static let maximumBytes = 1 << 20

  let container: ContainerFolder

  package init(container: ContainerFolder) { self.container = container }

  /// Adds the block to `.stignore`, where it is not there yet.
  ///
  /// - parameter temporaryName: makes a new name with each call.
  /// - returns: the file, if it was written.
  @discardableResult
  package func write(temporaryName: () -> FilePath.Component) throws -> FilePath? {
    let file = syncerRoot().appending(".stignore")
    let present = try contents(of: file)
    guard !String(decoding: present, as: UTF8.self).contains(Self.begin) else {
      // Who wrote it may have died before its name was on disk.
      try container.files.synchronizeDirectory(file.parent)
      return nil
    }
    let mode = try mode(of: file)
    let block = ([Self.begin] + Self.patterns + [Self.end]).map { $0 + "\n" }.joined()
    let staged = file.parent.appending(temporaryName())
    // The first pattern that matches wins, so the block goes in front of the user's own.
    try container.files.publish(
      Array(block.utf8) + present, at: staged, temporaryName: temporaryName(), exactMode: mode)
    do throws(FileError) {
      try container.files.rename(staged, to: file)
    } catch {
      // In a sticky folder nobody may replace another's file.
      try? container.files.remove(staged)
      throw error
    }
    try container.files.synchronizeDirectory(file.parent)
    return file
  }

  /// What the file is to be readable by: as before, or else by all who can read the folder.
  ///
  /// The umask must not decide: Syncthing, which may be another user, stops a folder of which it
  /// cannot read this file.
  private func mode(of file: FilePath) throws(FileError) -> UInt32 {
    do throws(FileError) {
      return try container.files.status(of: file).mode & 0o777
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return try container.files.status(of: file.parent).mode & 0o666
    }
  }

  func contents(of file: FilePath) throws(FileError) -> [UInt8] {
    do {
      return try container.files.contents(of: file, limit: Self.maximumBytes).bytes
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
  }

  /// The nearest folder upwards that holds `.stfolder`, else the container.
  func syncerRoot() -> FilePath {
    var directory = container.root
    while true {
      if container.files.shows(".stfolder", in: directory) { return directory }
      guard directory.parent != directory, !directory.components.isEmpty else {
        return container.root
      }
      directory = directory.parent
    }
  }
}
