import Glibc
import SystemFiles
import SystemPackage

/// Writes a folder as a zip archive, uncompressed, according to PKWARE's APPNOTE 6.3.
///
/// Regular files and folders alone; links and devices are left out. An entry, and the archive, may
/// have no more than 4 GiB, since the fields for more are not written.
enum ZipArchive {
  private struct Entry {
    let name: [UInt8]
    let checksum: UInt32
    let size: UInt32
    let offset: UInt32
  }

  static func write(_ folder: FilePath, to target: Descriptor) throws(Errno) {
    var writer = Writer(target: target)
    let root = folder.lastComponent.map { Array($0.bytes) } ?? []
    try writer.add(folder, named: root)
    try writer.finish()
  }

  private struct Writer {
    let target: Descriptor
    private var entries: [Entry] = []
    private var offset: UInt64 = 0

    init(target: Descriptor) { self.target = target }

    mutating func add(_ item: FilePath, named name: [UInt8]) throws(Errno) {
      let files = LinuxFileSystem()
      do {
        let status = try files.status(of: item)
        switch status.kind {
        case .directory:
          try addEntry(name + [UInt8(ascii: "/")], contents: nil)
          let found = try files.list(item)
          for entry in found.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            try add(
              item.appending(entry.name), named: name + [UInt8(ascii: "/")] + entry.name.bytes)
          }
        case .regular:
          try addEntry(name, contents: try Snapshot.open(item, O_RDONLY | O_NONBLOCK))
        default: break
        }
      } catch {
        throw (error as? FileError)?.errno ?? (error as? Errno) ?? .ioError
      }
    }

    private mutating func addEntry(_ name: [UInt8], contents: Descriptor?) throws(Errno) {
      guard offset <= UInt64(UInt32.max), name.count <= Int(UInt16.max) else {
        throw .fileTooLarge
      }
      let start = UInt32(offset)
      try put(Self.header(of: Entry(name: name, checksum: 0, size: 0, offset: start)))
      let (checksum, size) =
        try contents.map { (file) throws(Errno) in try copy(file) } ?? (0, 0)
      let entry = Entry(name: name, checksum: checksum, size: size, offset: start)
      entries.append(entry)
      // What it says is of the very bytes that are there: another reading might give others.
      if size > 0 { try replace(Self.header(of: entry), at: start) }
    }

    private mutating func copy(_ file: Descriptor) throws(Errno) -> (UInt32, UInt32) {
      let before = try file.status()
      var (checksum, size) = (CyclicChecksum(), UInt64(0))
      let target = target
      try Snapshot.pieces(of: file) { (piece) throws(Errno) in
        checksum.add(piece)
        size += UInt64(piece.count)
        guard size <= UInt64(UInt32.max) else { throw .fileTooLarge }
        try Snapshot.write(piece, to: target)
      }
      let after = try file.status()
      // Somebody who does not coordinate changed it meanwhile.
      guard before.st_size == after.st_size, before.st_mtim.tv_sec == after.st_mtim.tv_sec,
        before.st_mtim.tv_nsec == after.st_mtim.tv_nsec
      else { throw .resourceBusy }
      offset += size
      return (checksum.value, UInt32(size))
    }

    private func replace(_ bytes: [UInt8], at start: UInt32) throws(Errno) {
      let count = bytes.withUnsafeBytes {
        pwrite(target.number, $0.baseAddress, $0.count, off_t(start))
      }
      guard count == bytes.count else { throw count < 0 ? .last : .ioError }
    }

    private mutating func put(_ bytes: [UInt8]) throws(Errno) {
      try Snapshot.write(bytes[...], to: target)
      offset += UInt64(bytes.count)
    }

    /// Version 2.0, stored, on the first day that the format knows.
    private static func common(_ entry: Entry) -> [UInt8] {
      short(20) + short(flags(of: entry)) + short(0) + short(0) + short(0x21)
        + long(entry.checksum) + long(entry.size) + long(entry.size)
        + short(UInt16(entry.name.count)) + short(0)
    }

    /// Whether the name is in UTF-8: of one that is said to be, and is not, no archive is unpacked.
    private static func flags(of entry: Entry) -> UInt16 {
      String(validating: entry.name, as: UTF8.self) == nil ? 0 : 0x0800
    }

    private static func header(of entry: Entry) -> [UInt8] {
      long(0x0403_4b50) + common(entry) + entry.name
    }

    mutating func finish() throws(Errno) {
      guard offset <= UInt64(UInt32.max), entries.count < Int(UInt16.max) else {
        throw .fileTooLarge
      }
      let start = UInt32(offset)
      for entry in entries {
        try put(
          Self.long(0x0201_4b50) + Self.short(20) + Self.common(entry) + Self.short(0)
            + Self.short(0) + Self.short(0) + Self.long(0) + Self.long(entry.offset) + entry.name)
      }
      let size = UInt32(truncatingIfNeeded: offset - UInt64(start))
      let count = UInt16(entries.count)
      try put(
        Self.long(0x0605_4b50) + Self.short(0) + Self.short(0) + Self.short(count)
          + Self.short(count) + Self.long(size) + Self.long(start) + Self.short(0))
    }

    private static func short(_ value: UInt16) -> [UInt8] {
      [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
    }

    private static func long(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
  }
}

/// CRC-32 as zip has it.
private struct CyclicChecksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }
  private var state: UInt32 = 0xFFFF_FFFF

  var value: UInt32 { ~state }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      state = Self.table[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8
    }
  }
}
