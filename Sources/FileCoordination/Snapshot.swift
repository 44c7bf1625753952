import Glibc
import SystemFiles
import SystemPackage

/// A copy of an item as it was at one moment: of a file its bytes, of a folder a zip archive.
///
/// It is in the local state, never in the shared folder, and locked as long as its process may use
/// it: a process's number is used again, and says nothing in another container of processes. By
/// `flock(2)` and shared, so that no lock of whoever reads the copy, such as SQLite, meets it.
struct Snapshot: Sendable {
  /// Where it is, until it is removed.
  let path: FilePath
  /// Ends the lock with the last copy of this value.
  private let file: Descriptor

  private static let pieceBytes = 1 << 20
  private static let attempts = 8

  init(of item: FilePath, in place: CoordinationPlace) throws(CoordinationError) {
    let isFolder = (try? LinuxFileSystem().status(of: item))?.kind == .directory
    let ending = isFolder ? "zip" : item.lastComponent?.extension ?? "copy"
    do throws(Errno) {
      (path, file) = try Self.make(in: place, ending: ending)
    } catch {
      throw .system(operation: "copy", path: item.string, errno: error.rawValue)
    }
    do throws(Errno) {
      if isFolder {
        try ZipArchive.write(item, to: file)
      } else {
        let source = try Self.open(item, O_RDONLY | O_NONBLOCK)
        // What is in a FIFO is no content of its own, and some devices have no end.
        guard try source.status().st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
        try Self.pieces(of: source) { (piece) throws(Errno) in try Self.write(piece, to: file) }
      }
    } catch {
      remove()
      throw .system(operation: "copy", path: item.string, errno: error.rawValue)
    }
  }

  func remove() { _ = path.withPlatformString { unlink($0) } }

  /// Makes an empty file, and locks it.
  private static func make(
    in place: CoordinationPlace, ending: String
  ) throws(Errno) -> (FilePath, Descriptor) {
    for _ in 0..<attempts {
      let path = place.snapshots.appending("\(name(UInt64.random(in: .min ... .max))).\(ending)")
      let file = try open(path, O_WRONLY | O_CREAT | O_EXCL)
      // Somebody may have found it before it was locked, and taken it for left behind.
      if flock(file.number, LOCK_SH | LOCK_NB) == 0, try file.status().st_nlink > 0 {
        return (path, file)
      }
      _ = path.withPlatformString { unlink($0) }
    }
    throw .resourceTemporarilyUnavailable
  }

  private static func name(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Removes what processes that have ended left behind.
  static func removeStale(in place: CoordinationPlace) {
    for entry in (try? LinuxFileSystem().list(place.snapshots)) ?? [] {
      let path = place.snapshots.appending(entry.name)
      guard !isOfEarlierVersion(entry.name.string),
        let file = try? open(path, O_RDONLY | O_NONBLOCK),
        flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      _ = path.withPlatformString { unlink($0) }
    }
  }

  /// Whether a name begins with the number of a process that lives, as earlier versions named
  /// theirs, which they did not lock.
  private static func isOfEarlierVersion(_ name: String) -> Bool {
    guard let dash = name.firstIndex(of: "-"), let owner = Int32(name[..<dash]) else {
      return false
    }
    return kill(owner, 0) == 0 || errno != ESRCH
  }

  /// No link is followed, so that a snapshot holds what the item held and nothing else.
  static func open(_ path: FilePath, _ flags: Int32) throws(Errno) -> Descriptor {
    try Descriptor(
      returned: path.withPlatformString {
        Glibc.open($0, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
      })
  }

  static func pieces(
    of file: Descriptor, _ body: (ArraySlice<UInt8>) throws(Errno) -> Void
  ) throws(Errno) {
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(file.number, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      if count == 0 { return }
      try body(buffer[..<count])
    }
  }

  static func write(_ bytes: ArraySlice<UInt8>, to file: Descriptor) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last }
      rest = rest.dropFirst(count)
    }
  }
}
