import Glibc
import Synchronization
import SystemPackage

/// A regular file that is open, whatever its name comes to be; closed with its last user at the
/// latest.
package final class OpenFile: Sendable {
  /// Where it was when it was opened, for errors.
  package let path: FilePath
  /// For `swift-system`'s calls, as long as this object lives.
  package let descriptor: Int32

  private let isOpen = Atomic<Bool>(true)

  private static let pieceBytes = 1 << 18

  init(descriptor: Int32, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { try? close() }

  /// Closes it, after which nobody may use it; done again it does nothing.
  ///
  /// Some file systems write only then, as NFS, and FUSE that uploads: what they cannot write is
  /// said here, or nowhere (`close(2)`).
  package func close() throws(FileError) {
    // Once: the number may be another file's by then.
    guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
    // Not repeated after EINTR: on Linux the descriptor is gone all the same.
    guard Glibc.close(descriptor) != 0 else { return }
    throw FileError(.write, path, Errno(rawValue: Glibc.errno))
  }

  /// What the file is now.
  package func status() throws(FileError) -> FileStatus {
    try SystemCall.status(ofDescriptor: descriptor, path: path)
  }

  /// What all but its user may do alike, as three bits; nil where it has no list of who may use it.
  ///
  /// With one, the bits for its group are the most that any of them may do, and not what the group
  /// may; and somebody whom it names may do less than all others (`acl(5)`).
  package var permissionsOfAllListed: UInt32? {
    let name = "system.posix_acl_access"
    let size = RawLinux.attributeSize(of: descriptor, name)
    guard size > 0 else { return nil }
    // Version 2; then a tag, permissions and an id each. Anything else may keep anybody out.
    let (header, entryBytes, ownTag) = ([2, 0, 0, 0] as [UInt8], 8, 1 as UInt8)
    guard let list = RawLinux.attribute(of: descriptor, name, size: size),
      list.starts(with: header), list.count % entryBytes == header.count
    else { return 0 }
    return stride(from: header.count, to: list.count, by: entryBytes).reduce(0o7) { both, entry in
      list[entry] == ownTag ? both : both & UInt32(list[entry + 2])
    }
  }

  /// All bytes, of at most `limit`; throws one that `isTooLarge` beyond.
  package func contents(limit: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece { (piece) throws(FileError) in
      guard bytes.count + piece.count <= limit else { throw FileError(.read, path, .fileTooLarge) }
      bytes.append(contentsOf: piece)
    }
    return bytes
  }

  /// Reads from the start to the end, in pieces of at most 256 KiB.
  package func forEachPiece(
    _ body: (ArraySlice<UInt8>) throws(FileError) -> Void
  ) throws(FileError) {
    var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
    var offset: off_t = 0
    while true {
      let count = try SystemCall.run(.read, on: path) {
        pread(descriptor, &buffer, buffer.count, offset)
      }
      if count == 0 { return }
      try body(buffer[..<count])
      offset += off_t(count)
    }
  }

  /// Appends all of `bytes`.
  package func write(_ bytes: ArraySlice<UInt8>) throws(FileError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try SystemCall.run(.write, on: path) {
        rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { throw FileError(.write, path, .ioError) }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives it exactly these permission bits.
  package func setMode(_ mode: UInt32) throws(FileError) {
    try SystemCall.run(.changeMode, on: path) { Int(fchmod(descriptor, mode)) }
  }

  /// Gives it to a group; only those who are in it may, and the superuser.
  package func setGroup(_ group: UInt32) throws(FileError) {
    // The owner stays.
    try SystemCall.run(.changeMode, on: path) { Int(fchown(descriptor, .max, group)) }
  }

  /// Says when its contents were last changed, in nanoseconds since 1970.
  package func setModified(_ nanoseconds: Int64) throws(FileError) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // Before 1970 the remainder is negative, which the call does not take.
    let time = timespec(
      tv_sec: Int(rest < 0 ? seconds - 1 : seconds),
      tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
    let times = [time, time]
    try SystemCall.run(.changeMode, on: path) { Int(futimens(descriptor, times)) }
  }

  /// Brings what was written to the disk.
  package func synchronize() throws(FileError) {
    try SystemCall.run(.synchronize, on: path) { Int(fsync(descriptor)) }
  }
}
