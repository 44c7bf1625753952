import Glibc
import Synchronization
import SystemPackage

/// A file in the local state directory that is renamed to make an event.
///
/// Renaming needs no space on a full disk, leaves one file however often it is done, and carries
/// a number in the new name, so that two barriers are never merged into one event.
final class CookieFile: Sendable {
  /// The path of the directory, which may come to name another one.
  let directory: FilePath

  /// The descriptor is that of the very directory that is watched: by its path the cookie might
  /// be touched in another one, and nobody would wake.
  private struct State {
    var descriptor: Int32 = -1
    var serial: UInt64 = 0
    var current: String?
  }
  private let state = Mutex(State())

  /// A cookie in `directory`, which is for cookies alone and is made if it is missing.
  init(directory: FilePath) { self.directory = directory }

  /// Opens the directory, and clears it of what a process that was killed has left.
  ///
  /// - returns: A path that names the directory for as long as it is open.
  func open() throws(Errno) -> FilePath {
    close()
    if directory.withPlatformString({ mkdir($0, 0o700) }) != 0, errno != EEXIST { throw .last }
    let descriptor = directory.withPlatformString {
      Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw .last }
    state.withLock { $0.descriptor = descriptor }
    let path = FilePath("/proc/self/fd/\(descriptor)")
    for name in try DirectoryListing.names(at: path) where name.string.hasPrefix(Self.prefix) {
      unlinkat(descriptor, name.string, 0)
    }
    return path
  }

  /// Whether the path still names the directory that is open.
  var isInPlace: Bool {
    let descriptor = state.withLock { $0.descriptor }
    return FileIdentity(directory) == FileIdentity(FilePath("/proc/self/fd/\(descriptor)/."))
  }

  /// Makes an event whose name carries `number`.
  func touch(_ number: UInt64) throws(Errno) {
    let failure: Errno? = state.withLock { state in
      state.serial += 1
      // The serial number keeps names apart of which the number is the same.
      let next = "\(Self.prefix)\(getpid())-\(state.serial)-\(number)"
      let failure = Self.move(state.current, to: next, in: state.descriptor)
      if failure == nil { state.current = next }
      return failure
    }
    if let failure { throw failure }
  }

  /// Takes the file away and closes the directory.
  func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      if let current = state.current { unlinkat(state.descriptor, current, 0) }
      Glibc.close(state.descriptor)
      state.current = nil
      state.descriptor = -1
    }
  }

  /// The number in the name of a cookie of this process, and nil for any other name.
  static func number(in name: UnsafeBufferPointer<UInt8>) -> UInt64? {
    let text = String(decoding: name, as: UTF8.self)
    let own = "\(prefix)\(getpid())-"
    guard text.hasPrefix(own) else { return nil }
    return text.dropFirst(own.count).split(separator: "-").last.flatMap { UInt64($0) }
  }

  private static let prefix = "cookie-"

  private static func move(
    _ current: String?, to next: String, in directory: Int32
  ) -> Errno? {
    if let current {
      if renameat(directory, current, directory, next) == 0 { return nil }
      if errno != ENOENT { return .last }
    }
    let created = openat(directory, next, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    if created < 0 { return .last }
    Glibc.close(created)
    return nil
  }
}
