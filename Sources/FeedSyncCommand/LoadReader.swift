import CanonicalJSON
import FeedSync
import Foundation
import Replication
import Synchronization
import Syncing
import SystemFiles
import SystemPackage

/// Reads and parses the lines of a load ahead of whoever writes them, on a thread of its own.
///
///     var reader = LoadReader(lines)
///     while let line = try reader.next() { … }
struct LoadReader {
  /// A document to be written.
  struct Line: Sendable {
    let key: DocumentKey
    let body: JSON
    let number: Int
    /// Where the next line begins.
    let end: Int64
    let bytes: Int
  }

  private let queue: ChunkQueue
  private var lines: ArraySlice<Line> = []
  private var end: Result<Void, any Error>?

  /// Begins to read.
  init(_ lines: LineReader) {
    let queue = ChunkQueue()
    self.queue = queue
    do throws(Errno) {
      try DetachedThread.run { Self.read(lines, into: queue) }
    } catch {
      end = .failure(ThreadTrial.refusal(error))
    }
  }

  private static func read(_ lines: LineReader, into queue: ChunkQueue) {
    var lines = lines
    var chunk = Chunk()
    do {
      while let line = try parse(&lines) {
        chunk.append(line)
        // Who writes does not wait for what is still to come through a pipe.
        if chunk.isFull || !lines.hasLine { queue.put(chunk.taken()) }
      }
      chunk.end = .success(())
    } catch {
      chunk.end = .failure(error)
    }
    queue.put(chunk)
  }

  /// The next document, in order; nil at the end, or when interrupted.
  mutating func next() throws -> Line? {
    while lines.isEmpty {
      if let end {
        try end.get()
        return nil
      }
      let chunk = queue.take()
      lines = chunk.lines[...]
      end = chunk.end
    }
    return lines.removeFirst()
  }

  private static func parse(_ lines: inout LineReader) throws -> Line? {
    guard let line = try lines.next() else { return nil }
    do {
      let (key, body) = try LoadLine.document(Array(line))
      return Line(
        key: key, body: body, number: lines.number, end: lines.offset, bytes: line.count)
    } catch let error as FeedSyncError {
      throw FeedSyncError(
        error.code, operation: "load", file: lines.name,
        message: "line \(lines.number): \(error.message)",
        hint: "earlier transactions are written; once the line is mended, load begins at the start"
          + " again, and documents before it that were edited since become what the lines say")
    }
  }
}

/// Some lines, and how the input ended if it did.
private struct Chunk: Sendable {
  private static let mostLines = 512
  private static let mostBytes = 512 << 10

  private(set) var lines: [LoadReader.Line] = []
  private var bytes = 0
  var end: Result<Void, any Error>?

  var isFull: Bool { lines.count >= Self.mostLines || bytes >= Self.mostBytes }

  mutating func append(_ line: LoadReader.Line) {
    lines.append(line)
    bytes += line.bytes
  }

  /// What there is, which leaves nothing.
  mutating func taken() -> Chunk {
    defer { self = Chunk() }
    return self
  }
}

/// Hands chunks from one thread to another, so few that little memory is taken.
private final class ChunkQueue: Sendable {
  private let chunks = Mutex<[Chunk]>([])
  private let filled = DispatchSemaphore(value: 0)
  /// Dispatch ends a process that lets go of a semaphore that has less than it was made with.
  private let room = DispatchSemaphore(value: 0)

  init() { for _ in 0..<2 { room.signal() } }

  func put(_ chunk: Chunk) {
    room.wait()
    chunks.withLock { $0.append(chunk) }
    filled.signal()
  }

  /// Waits for a chunk.
  func take() -> Chunk {
    filled.wait()
    defer { room.signal() }
    return chunks.withLock { $0.removeFirst() }
  }
}

/// A line of what `dump` prints.
private enum LoadLine {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func document(_ line: [UInt8]) throws -> (DocumentKey, JSON) {
    guard !line.starts(with: byteOrderMark) else {
      throw FeedSyncError(
        .badInput, operation: "load",
        message: "it begins with a byte order mark (EF BB BF); save the text as UTF-8 without one")
    }
    let value = try DocumentArguments.json(line, operation: "load", wrapping: 1)
    guard case .object(let object) = value, object.members.count == 3,
      case .string(let collection) = object["collection"],
      case .string(let id) = object["id"], let body = object["body"]
    else {
      throw FeedSyncError(
        .badInput, operation: "load",
        message: #"a line has the members "body", "collection" and "id""#)
    }
    let key = DocumentKey(collection: collection, id: id)
    if let problem = key.problem { throw DocumentRules.error(problem) }
    try DocumentRules.check(body, operation: "load")
    return (key, body)
  }
}
