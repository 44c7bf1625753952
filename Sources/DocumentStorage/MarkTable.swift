import Foundation
import GRDB
import Replication

/// The first half of every applied transaction's fingerprint, by stream and line, in chunks.
///
/// A context may name any transaction by its fingerprint, also one in the middle of a stream; where
/// a stream branched, they tell which transactions lead up to which (protocol.md 26).
enum MarkTable {
  /// How many transactions share a row.
  static let chunkMarks: UInt64 = 64
  private static let markBytes = 8

  /// Adds the marks that follow those stored of a line, the last of them being `end`'s.
  static func append(
    _ marks: ArraySlice<UInt64>, endingAt end: UInt64, of stream: Int64, line: Int, _ db: Database
  ) throws {
    var sequence = end + 1 - UInt64(marks.count)
    var rest = marks
    while !rest.isEmpty {
      let chunk = (sequence - 1) / chunkMarks
      let count = min(rest.count, Int((chunk + 1) * chunkMarks + 1 - sequence))
      let bytes = rest.prefix(count).flatMap { mark in
        (0..<markBytes).map { UInt8(truncatingIfNeeded: mark >> (56 - 8 * $0)) }
      }
      let statement = try db.cachedStatement(
        sql: """
          INSERT INTO marks(stream, line, chunk, marks) VALUES (?, ?, ?, ?)
          ON CONFLICT(stream, line, chunk) DO UPDATE SET marks = marks || excluded.marks
          """)
      try statement.execute(arguments: [stream, line, Int64(chunk), Data(bytes)])
      rest = rest.dropFirst(count)
      sequence += UInt64(count)
    }
  }

  /// All marks that are stored of a line.
  static func all(of stream: Int64, line: Int, _ db: Database) throws -> [UInt64] {
    let rows = try Data.fetchAll(
      db, sql: "SELECT marks FROM marks WHERE stream = ? AND line = ? ORDER BY chunk",
      arguments: [stream, line])
    return rows.flatMap(decode)
  }

  /// The mark of one transaction; nil if it is not stored.
  ///
  /// - parameter start: the sequence before the first that was stored.
  static func mark(
    at sequence: UInt64, of stream: Int64, line: Int, start: UInt64, _ db: Database
  ) throws -> UInt64? {
    guard sequence > start else { return nil }
    let chunk = (sequence - 1) / chunkMarks
    let statement = try db.cachedStatement(
      sql: "SELECT marks FROM marks WHERE stream = ? AND line = ? AND chunk = ?")
    let row = try Data.fetchOne(statement, arguments: [stream, line, Int64(chunk)])
    let marks = row.map(decode) ?? []
    let index = Int(sequence - 1 - max(start, chunk * chunkMarks))
    return marks.indices.contains(index) ? marks[index] : nil
  }

  private static func decode(_ bytes: Data) -> [UInt64] {
    let bytes = [UInt8](bytes)
    return stride(from: 0, to: bytes.count - markBytes + 1, by: markBytes).map { start in
      bytes[start..<start + markBytes].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
