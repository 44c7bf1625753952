import FeedSync
import Foundation

/// Reads a file or standard input line by line, with bounded memory.
struct LineReader {
  /// No line that means a document within the limits is longer.
  private static let maximumBytes = 16 << 20
  private static let chunkBytes = 1 << 18

  let name: String
  /// The number of the line that was read last, from 1.
  private(set) var number = 0
  private let handle: FileHandle
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(file: String) throws {
    name = file == "-" ? "standard input" : file
    guard file != "-" else {
      handle = .standardInput
      return
    }
    guard let opened = FileHandle(forReadingAtPath: file) else {
      throw FeedSyncError(
        .cannotRead, operation: "read the file", file: file,
        message: "cannot open it: \(String(cString: strerror(errno)))")
    }
    handle = opened
  }

  /// The next line that is not empty, without its end; nil at the end.
  mutating func next() throws -> [UInt8]? {
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[position..<end])
        position = end + 1
        number += 1
        if line.isEmpty { continue }
        return line
      }
      guard !isAtEnd else { return takeRest() }
      try fill()
    }
  }

  private mutating func takeRest() -> [UInt8]? {
    let rest = Array(buffer[position...])
    buffer = []
    position = 0
    number += rest.isEmpty ? 0 : 1
    return rest.isEmpty ? nil : rest
  }

  private mutating func fill() throws {
    buffer.removeFirst(position)
    position = 0
    guard buffer.count <= Self.maximumBytes else {
      throw FeedSyncError(
        .badInput, operation: "read a line", file: name,
        message: "line \(number + 1): it is longer than any document may be")
    }
    let chunk: Data
    do {
      chunk = try handle.read(upToCount: Self.chunkBytes) ?? Data()
    } catch {
      throw FeedSyncError(
        .cannotRead, operation: "read the file", file: name, message: "\(error)")
    }
    if chunk.isEmpty { isAtEnd = true }
    buffer.append(contentsOf: chunk)
  }
}

/// A counter on the terminal's last line; nothing where standard error is no terminal.
struct Progress {
  private let label: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var count = 0
  private var lastShown = Date.distantPast

  init(label: String) { self.label = label }

  mutating func advance(by step: Int) {
    count += step
    show()
  }

  mutating func set(_ count: Int, of total: Int) {
    self.count = count
    show(total: total)
  }

  private mutating func show(total: Int? = nil) {
    guard isShown, Date().timeIntervalSince(lastShown) > 0.1 else { return }
    lastShown = Date()
    let text = total.map { "\(count) of \($0)" } ?? "\(count)"
    FileHandle.standardError.write(Data("\r\(label) \(text)\u{1B}[K".utf8))
  }

  /// Takes the line away again.
  func finish() {
    guard isShown, lastShown != .distantPast else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
