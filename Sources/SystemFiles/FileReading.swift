import Glibc
import SystemPackage

/// What the descriptor of a file said before and after the file was read in pieces.
package struct FileReading: Hashable, Sendable {
  /// What it said before the first byte was read.
  package let statusBefore: FileStatus

  /// What it said after the last byte was read.
  package let status: FileStatus

  /// How many bytes were read.
  package let count: Int64

  /// Puts together what was said and how much was read.
  package init(statusBefore: FileStatus, status: FileStatus, count: Int64) {
    self.statusBefore = statusBefore
    self.status = status
    self.count = count
  }

  /// Whether the file changed while it was read.
  package var changedWhileRead: Bool {
    statusBefore.size != status.size || statusBefore.modified != status.modified
      || statusBefore.changed != status.changed || count != status.size
  }

  /// The largest piece that a file is read in.
  static let pieceBytes = 1 << 18
}

extension LinuxFileSystem {
  package func read(
    _ path: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> FileReading {
    let file = try open(path)
    let before = try file.status()
    guard before.kind == .regular else { throw FileError.notAFile(path, found: before.kind) }
    var buffer = [UInt8](repeating: 0, count: FileReading.pieceBytes)
    var count: Int64 = 0
    // One that grows for ever is not read for ever.
    while count <= before.size {
      let read = try SystemCall.run(.read, on: path) {
        Glibc.read(file.descriptor, &buffer, buffer.count)
      }
      if read == 0 { break }
      count += Int64(read)
      try body(buffer[..<read])
    }
    return FileReading(statusBefore: before, status: try file.status(), count: count)
  }

  /// Opens what should be a regular file; a FIFO does not block, and a link is not followed.
  private func open(_ path: FilePath) throws(FileError) -> OpenFile {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    do throws(FileError) {
      return OpenFile(descriptor: try SystemCall.open(path, flags, for: .open), path: path)
    } catch {
      // ELOOP of a link, ENXIO of a socket; but ELOOP may also come from further up the path.
      if error.errno == .tooManySymbolicLinkLevels || error.errno == .noSuchAddressOrDevice,
        let kind = try? status(of: path).kind, kind != .regular
      {
        throw .notAFile(path, found: kind)
      }
      throw error
    }
  }
}

extension InMemoryFileSystem {
  /// As the real one reads; what is still arriving comes with the end of the first piece.
  package func read(
    _ path: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> FileReading {
    let (number, before) = try run { (state) throws(FileError) in try state.openFile(path) }
    var count = 0
    while count <= before.size {
      // The file may be changed, or cut, while `body` has the piece before.
      let piece = try run { (state) throws(FileError) in
        try state.faults.enter(.read, path)
        let content = state.tree.nodes[number]?.content ?? []
        let piece = Array(content.dropFirst(count).prefix(FileReading.pieceBytes))
        state.deliverArriving(to: number)
        return piece
      }
      guard !piece.isEmpty else { break }
      count += piece.count
      try body(piece[...])
    }
    let after = state.withLock { $0.tree.status(of: number) } ?? before
    return FileReading(statusBefore: before, status: after, count: Int64(count))
  }
}
