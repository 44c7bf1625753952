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

  /// Adds the marks that follow those stored of a line, the last of them being `end`'s, as far as
  /// they fill rows.
  ///
  /// - returns: the others, of a row that is not full yet.
  static func appendRows(
    _ marks: [UInt64], endingAt end: UInt64, of stream: Int64, line: Int, _ db: Database
  ) throws -> [UInt64] {
    let rest = min(Int(end % chunkMarks), marks.count)
    try append(
      marks.dropLast(rest), endingAt: end - UInt64(rest), of: stream, line: line, db)
    return marks.suffix(rest)
  }

  /// Adds the marks that follow those stored of a line, the last of them being `end`'s.
  static func append(
    _ marks: ArraySlice<UInt64>, endingAt end: UInt64, of stream: Int64, line: Int, _ db: Database
  ) throws {
    var sequence = end + 1 - UInt64(marks.count)
    var rest = marks
    while !rest.isEmpty {
      let chunk = (sequence - 1) / chunkMarks
      let count = min(rest.count, Int((chunk + 1) * chunkMarks + 1 - sequence))
      let bytes = encode(rest.prefix(count))
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

  /// More marks than memory could hold.
  private static let most: UInt64 = 1 << 28

  /// So many marks that are not known.
  ///
  /// - throws: if they are more than memory could hold: the number is damaged.
  static func unknown(_ count: UInt64) throws -> [UInt64] {
    guard count <= most else { throw StoredBytes.damage }
    return Array(repeating: Lineage.unknownMark, count: Int(count))
  }

  /// Makes room before the marks stored of a first line, for those of what was applied earlier.
  static func makeRoom(upTo end: UInt64, of stream: Int64, _ db: Database) throws {
    guard end > 0 else { return }
    guard end <= most else { throw StoredBytes.damage }
    for chunk in 0...(end - 1) / chunkMarks {
      let count = min(chunkMarks, end - chunk * chunkMarks)
      let stored = try row(chunk, of: stream, line: 0, db) ?? []
      try replace(chunk, of: stream, with: unknown(count) + stored, db)
    }
  }

  /// Replaces marks of a first line that were not known, where there is room for them.
  static func fill(
    _ marks: [UInt64], from first: UInt64, of stream: Int64, _ db: Database
  ) throws {
    let byChunk = Dictionary(grouping: marks.indices) { (first - 1 + UInt64($0)) / chunkMarks }
    for (chunk, indices) in byChunk {
      guard var stored = try row(chunk, of: stream, line: 0, db) else { continue }
      for index in indices {
        let place = Int(first - 1 + UInt64(index) - chunk * chunkMarks)
        guard stored.indices.contains(place), stored[place] == Lineage.unknownMark else { continue }
        stored[place] = marks[index]
      }
      try replace(chunk, of: stream, with: stored, db)
    }
  }

  private static func replace(
    _ chunk: UInt64, of stream: Int64, with marks: [UInt64], _ db: Database
  ) throws {
    try db.run(
      "INSERT OR REPLACE INTO marks(stream, line, chunk, marks) VALUES (?, 0, ?, ?)",
      [stream, Int64(chunk), Data(encode(marks))])
  }

  /// All marks that are stored of a line.
  static func all(of stream: Int64, line: Int, _ db: Database) throws -> [UInt64] {
    let rows = try Data.fetchAll(
      db.prepared("SELECT marks FROM marks WHERE stream = ? AND line = ? ORDER BY chunk"),
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
    let place = Int(sequence - 1 - max(start, chunk * chunkMarks)) * markBytes + 1
    var mark: UInt64?
    // What was appended to is text to SQLite.
    try db.forEachRow(
      """
      SELECT substr(CAST(marks AS BLOB), ?, \(markBytes)) FROM marks
      WHERE stream = ? AND line = ? AND chunk = ?
      """, [place, stream, line, Int64(chunk)]
    ) { row in
      let bytes: Data = try row.value(0)
      if bytes.count == markBytes { mark = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    }
    return mark
  }

  private static func row(
    _ chunk: UInt64, of stream: Int64, line: Int, _ db: Database
  ) throws -> [UInt64]? {
    let statement = try db.cachedStatement(
      sql: "SELECT marks FROM marks WHERE stream = ? AND line = ? AND chunk = ?")
    return try Data.fetchOne(statement, arguments: [stream, line, Int64(chunk)]).map(decode)
  }

  static func encode(_ marks: some Sequence<UInt64>) -> [UInt8] {
    var bytes: [UInt8] = []
    for mark in marks { bytes.append(bigEndian: mark) }
    return bytes
  }

  static func decode(_ bytes: Data) -> [UInt64] {
    let bytes = [UInt8](bytes)
    return stride(from: 0, to: bytes.count - markBytes + 1, by: markBytes).map { start in
      bytes[start..<start + markBytes].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
