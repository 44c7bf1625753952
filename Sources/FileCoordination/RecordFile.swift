import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// A file in which one process keeps bytes for others, who get all of them or none: as they were
/// written at one time.
///
/// Before them stands how many they are, with their checksum. What is added comes after them, and
/// counts when that is written, too.
final class RecordFile: Sendable {
  private let descriptor: Descriptor
  private let path: FilePath
  private let header = Mutex(Header(of: []))

  /// Opens a file, which has to be there unless it is to be made.
  init(at path: FilePath, making: Bool = false) throws(Errno) {
    self.path = path
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (making ? O_CREAT : 0)
    descriptor = try Descriptor(
      returned: path.withPlatformString { open($0, flags, mode_t(0o600)) })
  }

  /// Puts bytes in the place of those before.
  func replace(by bytes: [UInt8]) throws(FileError) {
    try header.withLock { (header) throws(FileError) in
      let new = Header(of: bytes)
      // One call: a process that is killed leaves the old bytes or the new ones.
      try write(new.bytes + bytes, at: 0)
      header = new
    }
  }

  /// Adds bytes to those that are there.
  func append(_ bytes: [UInt8]) throws(FileError) {
    try header.withLock { (header) throws(FileError) in
      let new = header.adding(bytes)
      try write(bytes, at: Header.length + Int(header.count))
      try write(new.bytes, at: 0)
      header = new
    }
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor.number, $0.baseAddress, $0.count, off_t(offset))
    }
    guard count == bytes.count else {
      throw FileError(.write, path, count < 0 ? Errno.last : .noSpace)
    }
  }

  /// What another process has written there by now.
  ///
  /// - returns: nil if it is being written.
  /// - throws: `.fileTooLarge` where it is longer than the limit.
  static func contents(of path: FilePath, limit: Int) throws(FileError) -> [UInt8]? {
    let bytes = try LinuxFileSystem().contents(of: path, limit: limit).bytes
    guard bytes.count >= Header.length else { return [] }
    let header = Header(bytes: bytes[..<Header.length])
    guard header.count <= UInt64(bytes.count - Header.length) else { return nil }
    let body = Array(bytes[Header.length..<Header.length + Int(header.count)])
    return Header(of: body) == header ? body : nil
  }

  private struct Header: Equatable {
    static let length = 16

    private(set) var count: UInt64
    private var checksum: UInt64

    init(of bytes: [UInt8]) {
      count = 0
      checksum = 0xcbf2_9ce4_8422_2325
      self = adding(bytes)
    }

    /// FNV-1a, against bytes that are being written while they are read.
    func adding(_ bytes: [UInt8]) -> Header {
      var result = self
      result.count += UInt64(bytes.count)
      for byte in bytes {
        result.checksum = (result.checksum ^ UInt64(byte)) &* 0x100_0000_01b3
      }
      return result
    }

    var bytes: [UInt8] {
      [count, checksum].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
      }
    }

    init(bytes: ArraySlice<UInt8>) {
      func word(_ start: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[bytes.startIndex + start + $1]) << (8 * UInt64($1)) }
      }
      count = word(0)
      checksum = word(8)
    }
  }
}
