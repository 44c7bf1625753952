import Foundation
import GRDB
import GRDBSQLite
import Replication
import SegmentFormat

/// A segment whose bytes are kept in the local database.
package struct ArchivedSegment: Sendable, Hashable {
  package let stream: StreamID
  package let first: UInt64
  package let last: UInt64
  /// The digest that belongs in its file's name.
  package let digest: UInt64
  /// The fingerprint of its last transaction.
  package let fingerprint: Fingerprint
  /// How many bytes its file has.
  package let size: Int
  /// How often its transactions have been written into a larger file here.
  package let level: Int
  /// When it took the place of others in the archive, or of what leaned on one, in milliseconds
  /// since 1970; nil if it did not.
  package let joinedAt: Int64?
  /// Whether operations were dropped from it.
  package let isReduced: Bool
  /// Whether nothing is here of what was dropped from it.
  package let isHeeded: Bool

  package var sequences: ClosedRange<UInt64> { first...last }

  /// What ``level`` is at most: no stream has more transactions than so many joins of two make.
  ///
  /// Where what is dead goes out of a large segment again and again, it is joined more often; that
  /// counts no more.
  package static let mostLevel = 64
}

/// The files of all that was applied or published, byte for byte.
///
/// With them, history reaches as far back as the logs do, a file that vanished from the folder can
/// be put back as it was (protocol.md 27), and a stream whose device is lost be published again
/// (28). A segment whose transactions were all applied already takes the place of those that it
/// holds; so two of a stream overlap only where the second was applied in part, the stream
/// branches, or the smaller one alone tells the device's name.
enum SegmentArchive {
  /// Keeps a file's content; one that is kept already stays as it is.
  static func store(
    _ bytes: [UInt8], of range: Segment.Range, digest: UInt64, fingerprint: Fingerprint,
    stream: Int64, _ db: Database
  ) throws {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO archive(stream, first, last, digest, fingerprint, content)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """)
    // Bound in place: a segment may have 64 MiB, and GRDB would copy them twice.
    let handle = statement.sqliteStatement
    sqlite3_reset(handle)
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    sqlite3_bind_int64(handle, 1, stream)
    sqlite3_bind_int64(handle, 2, Int64(range.first))
    sqlite3_bind_int64(handle, 3, Int64(range.last))
    sqlite3_bind_int64(handle, 4, Int64(bitPattern: digest))
    let code = fingerprint.bytes.withUnsafeBufferPointer { end in
      bytes.withUnsafeBufferPointer { content in
        sqlite3_bind_blob(handle, 5, end.baseAddress, Int32(end.count), nil)
        sqlite3_bind_blob(handle, 6, content.baseAddress, Int32(content.count), nil)
        return sqlite3_step(handle)
      }
    }
    guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Keeps a file that was applied before there was an archive.
  ///
  /// - returns: whether it was awaited.
  static func storeIfAwaited(
    _ opened: OpenedSegment, fingerprint: Fingerprint, stream: Int64, _ db: Database
  ) throws -> Bool {
    let range = opened.held.range
    try db.run(
      "DELETE FROM unarchived WHERE stream = ? AND first = ? AND last = ? AND digest = ?",
      [
        stream, Int64(range.first), Int64(range.last), Int64(bitPattern: opened.digest),
      ])
    guard db.changesCount > 0 else { return false }
    try store(
      opened.held.bytes, of: range, digest: opened.digest, fingerprint: fingerprint,
      stream: stream, db)
    return true
  }
}

extension StoreDatabase {
  /// What is kept of a stream, in the order of its transactions; nothing is read but the list.
  package func archivedSegments(of stream: StreamID) throws -> [ArchivedSegment] {
    try read { db in try SegmentArchive.list(stream, db) }
  }

  /// The content of a segment's file; nil if it is not kept any more.
  package func archivedBytes(of segment: ArchivedSegment) throws -> [UInt8]? {
    try read { db in try SegmentArchive.bytes(of: segment, db) }
  }

  /// The content of a segment's file, verified, with what it says of itself; nil if it is not kept.
  ///
  /// - throws: ``StorageError/damaged(_:detail:)`` where it has rotted: SQLite has no checksums.
  package func archivedFile(
    of segment: ArchivedSegment
  ) throws -> (file: SegmentFile.Encoded, range: Segment.Range)? {
    // Unpacked while nobody waits for the database.
    guard let bytes = try archivedBytes(of: segment) else { return nil }
    guard let found = try? SegmentFile.decode(bytes), found.digest == segment.digest else {
      throw StorageError.from(StoredBytes.damage, file: file)
    }
    return ((bytes: bytes, digest: found.digest), found.segment.range)
  }

  /// Keeps the file that the folder has of a segment in the place of one that is compressed
  /// otherwise; nothing happens if that is not kept any more.
  ///
  /// - parameter bytes: verified, with the same content.
  package func replaceForm(of segment: ArchivedSegment, by bytes: [UInt8]) throws {
    try write { db in
      try db.run(
        "UPDATE archive SET content = ? WHERE \(SegmentArchive.key)",
        [Data(bytes)] + SegmentArchive.arguments(of: segment))
    }
  }

  /// Drops what is kept of a segment: tests alone do so, to play a database that has lost it.
  package func removeArchived(_ segment: ArchivedSegment) throws {
    try write { db in
      try db.run(
        "DELETE FROM archive WHERE \(SegmentArchive.key)", SegmentArchive.arguments(of: segment))
    }
  }
}

extension SegmentArchive {
  static let key = """
    stream = (SELECT id FROM streams WHERE stream = ?) AND first = ? AND last = ? AND digest = ?
    """

  static func arguments(of segment: ArchivedSegment) -> StatementArguments {
    [
      segment.stream.databaseBytes, Int64(segment.first), Int64(segment.last),
      Int64(bitPattern: segment.digest),
    ]
  }

  static func has(_ segment: ArchivedSegment, _ db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM archive WHERE \(key))")
    return try Bool.fetchOne(statement, arguments: arguments(of: segment)) ?? false
  }

  /// How often segments can have been joined.
  private static let levels = 0...ArchivedSegment.mostLevel

  static func list(_ stream: StreamID, _ db: Database) throws -> [ArchivedSegment] {
    let sql = """
      SELECT first, last, digest, fingerprint, length(content), level, joined_at, progress
      FROM archive LEFT JOIN joined USING (stream, first, last, digest)
      LEFT JOIN statements ON segment = archive.id
      WHERE stream = (SELECT id FROM streams WHERE stream = ?) ORDER BY first, last, digest
      """
    let heeded = StatementTable.Progress.heeded.rawValue
    return try db.read(sql, [stream.databaseBytes]) { row in
      let (first, last) = (try row.number(0), try row.number(1))
      let level: Int = try row.value(5) ?? 0
      guard first > 0, first <= last, levels ~= level else { throw StoredBytes.damage }
      return ArchivedSegment(
        stream: stream, first: first, last: last,
        digest: UInt64(bitPattern: try row.value(2)),
        fingerprint: try Fingerprint(column: row.value(3) as Data), size: try row.value(4),
        level: level, joinedAt: try row.value(6),
        isReduced: try (row.value(7) as Int?) != nil,
        isHeeded: try row.value(7) ?? heeded == heeded)
    }
  }

  static func bytes(of segment: ArchivedSegment, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(sql: "SELECT content FROM archive WHERE \(key)")
    return try Data.fetchOne(statement, arguments: arguments(of: segment)).map { [UInt8]($0) }
  }

  /// The content of a kept segment's file; nil if it is not kept any more.
  ///
  /// - parameter digest: the segment's: a number may be given again.
  static func content(of id: Int64, digest: UInt64, _ db: Database) throws -> [UInt8]? {
    try db.read(
      "SELECT content FROM archive WHERE id = ? AND digest = ?", [id, Int64(bitPattern: digest)]
    ) { [UInt8](try $0.value(0) as Data) }.first
  }

  /// A kept segment, by its number, and the digest that belongs in its file's name; nil if it is
  /// not kept any more.
  static func segment(
    _ id: Int64, _ db: Database
  ) throws -> (segment: Segment, digest: UInt64)? {
    let statement = try db.cachedStatement(sql: "SELECT content FROM archive WHERE id = ?")
    guard let content = try Data.fetchOne(statement, arguments: [id]) else { return nil }
    return try SegmentFile.decode([UInt8](content))
  }
}
