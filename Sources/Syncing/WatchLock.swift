import SystemFiles
import SystemPackage

/// Keeps a second `watch` away from the same device, and `leave`, `rebuild` and `init --adopt` from
/// one that is watched, and from one another.
package struct WatchLock: Sendable {
  static let maximumHolderBytes = 64
  private let lock: FileLock

  /// Takes the lock, or says who has it.
  ///
  /// - parameter state: the device's directory in the local state.
  /// - parameter process: what names this process to others: its number.
  /// - throws: ``DeviceError/watched(_:process:)``.
  package init(state: FilePath, files: any FileSystem, process: String) throws {
    let file = try StateLocks.file("watch", in: state, files)
    do {
      lock = try files.lock(
        file, exclusive: true, wait: false, holder: Array("\(process)\n".utf8))
    } catch {
      guard error.isLockedByAnother else { throw error }
      let text = (try? files.contents(of: file, limit: Self.maximumHolderBytes).bytes) ?? []
      throw DeviceError.watched(
        file, process: String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
  }

  package func release() { lock.release() }
}

/// Files in a device's local state that its processes lock.
enum StateLocks {
  /// The path of one, in a directory that is made if need be.
  static func file(
    _ name: FilePath.Component, in state: FilePath, _ files: any FileSystem
  ) throws(FileError) -> FilePath {
    let directory = state.appending("locks")
    do {
      try files.makeDirectory(directory, mode: 0o700)
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
    return directory.appending(name)
  }
}
