import Glibc
import SystemPackage

extension LinuxFileSystem {
  package func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry] {
    let descriptor = try SystemCall.open(
      directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, for: .list)
    return try Self.entries(of: descriptor, directory)
  }

  /// The names in an open directory, whose descriptor is closed.
  static func entries(
    of descriptor: Int32, _ directory: FilePath, atMost count: Int = .max
  ) throws(FileError) -> [DirectoryEntry] {
    guard let stream = fdopendir(descriptor) else {
      let code = Glibc.errno
      _ = Glibc.close(descriptor)
      throw FileError(.list, directory, Errno(rawValue: code))
    }
    // Closes the descriptor as well.
    defer { closedir(stream) }
    var entries: [DirectoryEntry] = []
    while entries.count < count {
      // The end and an error both give nil; only errno tells them apart (readdir(3)).
      Glibc.errno = 0
      guard let entry = readdir(stream) else {
        let code = Glibc.errno
        if code == 0 { return entries }
        throw FileError(.list, directory, Errno(rawValue: code))
      }
      if let entry = Self.entry(entry) { entries.append(entry) }
    }
    return entries
  }

  /// Nil for "." and "..".
  private static func entry(_ raw: UnsafeMutablePointer<dirent>) -> DirectoryEntry? {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
    // The name is read through the record, not through a copy of the struct, because it may be
    // longer than the 256 bytes that the struct declares (readdir(3)).
    let start = (UnsafeRawPointer(raw) + offset).assumingMemoryBound(to: CChar.self)
    return DirectoryEntry(
      bytes: [UInt8](UnsafeRawBufferPointer(start: start, count: strlen(start))),
      kind: FileKind(directoryType: raw.pointee.d_type))
  }

  package func contents(of path: FilePath, limit: Int) throws(FileError) -> FileContents {
    do throws(FileError) {
      return try readAll(path, limit: limit)
    } catch {
      guard error.operation == .open, !error.isNotAFile else { throw error }
      // open(2) refuses a link (ELOOP) and a socket (ENXIO) itself; but ELOOP may also come from
      // further up the path, so look.
      if error.errno == .tooManySymbolicLinkLevels || error.errno == .noSuchAddressOrDevice,
        let kind = try? status(of: path).kind, kind != .regular
      {
        throw .notAFile(path, found: kind)
      }
      throw error
    }
  }

  /// Reads without looking at why an `open(2)` was refused.
  func readAll(_ path: FilePath, limit: Int) throws(FileError) -> FileContents {
    // O_NONBLOCK: a FIFO without a writer would block in open(2) for ever.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    return try SystemCall.withOpen(path, flags, for: .open) { (descriptor) throws(FileError) in
      let before = try SystemCall.status(ofDescriptor: descriptor, path: path)
      guard before.kind == .regular else { throw .notAFile(path, found: before.kind) }
      guard before.size <= limit else { throw FileError(.read, path, .fileTooLarge) }
      let bytes = try Self.read(descriptor, path, expecting: before.size, limit: limit)
      let after = try SystemCall.status(ofDescriptor: descriptor, path: path)
      return FileContents(bytes: bytes, statusBefore: before, status: after)
    }
  }

  /// What a piece holds at least: files that the kernel makes up say that they are empty.
  private static let smallestPiece: Int64 = 1 << 14

  /// Reads to the end, in pieces: the size promised may be a lie, in either direction.
  private static func read(
    _ descriptor: Int32, _ path: FilePath, expecting size: Int64, limit: Int
  ) throws(FileError) -> [UInt8] {
    let piece = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(max(size + 1, smallestPiece), 1 << 18)), alignment: 16)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(min(max(size, 0), 1 << 18)))
    while true {
      let count = try SystemCall.run(.read, on: path) {
        Glibc.read(descriptor, piece.baseAddress, piece.count)
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw FileError(.read, path, .fileTooLarge) }
      bytes.append(contentsOf: piece[..<count])
      // There was room for more than was promised, and no more came.
      if bytes.count == size, count < piece.count { return bytes }
    }
  }
}
