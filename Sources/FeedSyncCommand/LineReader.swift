import FeedSync
import Foundation
import Syncing

/// Reads a file or standard input line by line, with bounded memory.
///
/// A signal that asks the command to end also ends its waiting for input.
struct LineReader {
  /// No line that means a document within the limits is longer.
  private static let maximumBytes = 16 << 20
  private static let chunkBytes = 1 << 18

  let name: String
  /// The number of the line that was read last, from 1.
  private(set) var number = 0
  /// Where the next line begins.
  private(set) var offset: Int64 = 0
  /// What the file is, if it is one that can be gone on with later.
  let look: LoadJournal.Look?
  private let handle: FileHandle
  private let interruption: Interruption?
  private var buffer: [UInt8] = []
  private var position = 0
  /// Up to where the buffer is known to hold no end of the present line.
  private var searched = 0
  private var isAtEnd = false

  /// - parameter interruption: made once the file is open, for opening a FIFO may block.
  init(file: String, interruption: () -> Interruption? = { nil }) throws {
    name = file == "-" ? "standard input" : file
    if file == "-" {
      handle = .standardInput
      look = nil
    } else {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure("open", errno, file) }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      look = LoadJournal.Look(descriptor: descriptor)
    }
    self.interruption = interruption()
  }

  private static func failure(_ verb: String, _ code: Int32, _ file: String) -> FeedSyncError {
    FeedSyncError(
      code == EACCES || code == EPERM ? .notPermitted : .cannotRead,
      operation: "read the file", file: file,
      message: "cannot \(verb) it: \(String(cString: strerror(code)))")
  }

  /// Goes to where a line begins that was the next one before.
  mutating func skip(to offset: Int64, line: Int) throws {
    guard lseek(handle.fileDescriptor, Int(offset), SEEK_SET) == Int(offset) else {
      throw Self.failure("read", errno, name)
    }
    (self.offset, number) = (offset, line)
  }

  /// Whether another whole line has been read already, so that nobody waits for it.
  var hasLine: Bool {
    mutating get {
      while let end = endOfLine() {
        guard Self.isBlank(buffer[position..<end]) else { return true }
        advance(past: end + 1)
      }
      return false
    }
  }

  private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { " \t\r".utf8.contains($0) }
  }

  /// The next line that is not blank, without its end; nil at the end, or when interrupted.
  mutating func next() throws -> ArraySlice<UInt8>? {
    while true {
      if let end = endOfLine() {
        let line = buffer[position..<end]
        advance(past: end + 1)
        if Self.isBlank(line) { continue }
        return line
      }
      guard !isAtEnd else { return takeRest() }
      guard try fill() else { return nil }
    }
  }

  private mutating func endOfLine() -> Int? {
    let start = max(position, searched)
    let found = buffer.withUnsafeBytes { bytes -> Int? in
      guard start < bytes.count, let base = bytes.baseAddress,
        let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(end) - base
    }
    searched = found ?? buffer.count
    return found
  }

  private mutating func advance(past end: Int) {
    offset += Int64(end - position)
    position = end
    number += 1
  }

  private mutating func takeRest() -> ArraySlice<UInt8>? {
    let rest = buffer[position...]
    guard !Self.isBlank(rest) else { return nil }
    advance(past: buffer.count)
    return rest
  }

  /// Reads on; false if the command shall end.
  private mutating func fill() throws -> Bool {
    buffer.removeFirst(position)
    searched = buffer.count
    position = 0
    guard buffer.count <= Self.maximumBytes else {
      throw FeedSyncError(
        .badInput, operation: "read a line", file: name,
        message: "line \(number + 1): it is longer than any document may be")
    }
    let start = buffer.count
    guard waitForInput() else { return false }
    buffer.append(contentsOf: repeatElement(0, count: Self.chunkBytes))
    let count = buffer.withUnsafeMutableBytes { bytes in
      read(handle.fileDescriptor, bytes.baseAddress.map { $0 + start }, Self.chunkBytes)
    }
    let code = errno
    buffer.removeLast(Self.chunkBytes - max(count, 0))
    if count < 0, code != EINTR { throw Self.failure("read", code, name) }
    if count == 0 { isAtEnd = true }
    return true
  }

  /// Waits until there is something to read, or the command shall end.
  private func waitForInput() -> Bool {
    guard let interruption else { return true }
    var both = [
      pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    // Whatever fails, and why, the read itself tells.
    while !interruption.isRequested, poll(&both, 2, -1) < 0, errno == EINTR {}
    return !interruption.isRequested
  }
}

extension LoadJournal.Look {
  /// Of an open file; nil for what cannot be read again, as a pipe.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
  }
}
