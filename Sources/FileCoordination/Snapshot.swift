import Glibc
import SystemFiles
import SystemPackage

/// A copy of an item as it was at one moment: of a file its bytes, of a folder a zip archive.
///
/// It is in the local state, never in the shared folder.
struct Snapshot: Sendable {
  /// Where it is, until it is removed.
  let path: FilePath

  private static let pieceBytes = 1 << 20

  init(of item: FilePath, in place: CoordinationPlace) throws(CoordinationError) {
    let isFolder = (try? LinuxFileSystem().status(of: item))?.kind == .directory
    let ending = isFolder ? "zip" : item.lastComponent?.extension ?? "copy"
    let name = "\(getpid())-\(UInt64.random(in: .min ... .max)).\(ending)"
    path = place.snapshots.appending(name)
    do throws(Errno) {
      let target = try Self.open(path, O_WRONLY | O_CREAT | O_EXCL)
      if isFolder {
        try ZipArchive.write(item, to: target)
      } else {
        let source = try Self.open(item, O_RDONLY | O_NONBLOCK)
        // What is in a FIFO is no content of its own, and some devices have no end.
        guard try source.status().st_mode & S_IFMT == S_IFREG else { throw .invalidArgument }
        try Self.pieces(of: source) { (piece) throws(Errno) in try Self.write(piece, to: target) }
      }
    } catch {
      _ = path.withPlatformString { unlink($0) }
      throw .system(operation: "copy", path: item.string, errno: error.rawValue)
    }
  }

  func remove() { _ = path.withPlatformString { unlink($0) } }

  /// Removes what processes that have ended left behind.
  static func removeStale(in place: CoordinationPlace) {
    for entry in (try? LinuxFileSystem().list(place.snapshots)) ?? [] {
      let owner = entry.name.string.split(separator: "-").first.flatMap { Int32($0) }
      guard let owner, owner != getpid(), kill(owner, 0) != 0, errno == ESRCH else { continue }
      _ = place.snapshots.appending(entry.name).withPlatformString { unlink($0) }
    }
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
