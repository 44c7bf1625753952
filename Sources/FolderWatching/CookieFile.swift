import Glibc
import Synchronization
import SystemPackage

/// A file in the local state directory that is renamed to make an event.
///
/// Renaming needs no space on a full disk, leaves one file however often it is done, and carries
/// a number in the new name, so that two barriers are never merged into one event.
final class CookieFile: Sendable {
  /// The directory to watch for ``number(in:)``.
  let directory: FilePath

  private struct Name {
    var serial: UInt64 = 0
    var current: FilePath?
  }
  private let name = Mutex(Name())

  /// A cookie in `directory`, which is for cookies alone and is made if it is missing.
  init(directory: FilePath) { self.directory = directory }

  /// Makes the directory, and clears it of what a process that was killed has left.
  func prepare() throws(Errno) {
    if directory.withPlatformString({ mkdir($0, 0o700) }) != 0, errno != EEXIST { throw .last }
    let current = name.withLock { $0.current?.lastComponent }
    for name in try DirectoryListing.names(at: directory)
    where name != current && name.string.hasPrefix(Self.prefix) {
      _ = directory.appending(name).withPlatformString { unlink($0) }
    }
  }

  /// Makes an event whose name carries `number`.
  func touch(_ number: UInt64) throws(Errno) {
    let failure: Errno? = name.withLock { name in
      name.serial += 1
      // The serial number keeps names apart of which the number is the same.
      let next = directory.appending("\(Self.prefix)\(getpid())-\(name.serial)-\(number)")
      let failure = Self.move(name.current, to: next)
      if failure == nil { name.current = next }
      return failure
    }
    if let failure { throw failure }
  }

  /// Takes the file away.
  func remove() {
    name.withLock { name in
      _ = name.current?.withPlatformString { unlink($0) }
      name.current = nil
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

  private static func move(_ current: FilePath?, to next: FilePath) -> Errno? {
    if let current {
      let moved = current.withPlatformString { old in
        next.withPlatformString { rename(old, $0) }
      }
      if moved == 0 { return nil }
      if errno != ENOENT { return .last }
    }
    let created = next.withPlatformString { open($0, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600) }
    if created < 0 { return .last }
    close(created)
    return nil
  }
}
