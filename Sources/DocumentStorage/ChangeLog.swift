import CanonicalJSON
import Foundation
import GRDB
import Replication
import SegmentFormat

/// What one commit changed: a local transaction, or a part of an import.
package struct CommittedChange: Sendable, Equatable {
  /// What came from one device; whole transactions only.
  package struct Origin: Sendable, Equatable {
    package let stream: StreamID
    /// The local transaction; nil for an import, and for removals that are published later.
    package let sequence: UInt64?
    /// All collections with a changed document, sorted.
    package let collections: [ByteString]
    /// The changed documents, in key order; empty if there are too many to keep.
    package let documents: [ImportedPart.Document]
    /// Whether `documents` names all of them.
    package let isComplete: Bool
  }

  /// Counts the commits of this database that changed a document.
  package let position: Int64
  /// What tells it from the commit of that number in another course of events.
  package let digest: UInt64
  package let origins: [Origin]
}

/// The last commits, kept in the database so that other processes can follow them.
///
/// Each row is written in the transaction that it tells of, so whoever reads it sees all of it.
enum ChangeLog {
  /// A row names documents as long as it stays below this; more are told as collections.
  static let rowBytes = 64 << 10
  /// How many commits, and how many bytes of them, are kept at least.
  static let keptRows = 4096
  static let keptBytes = 1 << 20
  private static let trimInterval: Int64 = 64

  static func append(_ origins: [CommittedChange.Origin], _ db: Database) throws {
    let changed = origins.filter { !$0.collections.isEmpty }
    guard !changed.isEmpty else { return }
    // Found out before a large transaction is told in a form that nobody keeps.
    let isLarge = changed.reduce(0) { $0 + $1.leastBytes } > rowBytes
    var content = isLarge ? [] : encode(changed)
    if isLarge || content.count > rowBytes { content = encode(changed.map(\.withoutDocuments)) }
    try db.run("INSERT INTO changes(content) VALUES (?)", bound: [.blob(content)])
    let newest = db.lastInsertedRowID
    guard newest % trimInterval == 0 else { return }
    // Rows are numbered without a gap. All of them are looked at only if the last ones were so
    // large that as many as are kept would reach the other bound, so that it is never exceeded by
    // more than itself.
    try db.run("DELETE FROM changes WHERE id <= ?", [newest - Int64(keptRows)])
    let sum = "SELECT sum(length(content)) FROM changes WHERE id > ?"
    let recent = try Int64.fetchOne(db.prepared(sum), arguments: [newest - trimInterval]) ?? 0
    if recent * Int64(keptRows) > Int64(keptBytes) * trimInterval { try trim(db) }
  }

  private static func trim(_ db: Database) throws {
    // The row at which the bound of bytes is reached, counted from the newest.
    let sql = """
      SELECT id FROM (
        SELECT id, sum(length(content)) OVER (ORDER BY id DESC) AS bytes FROM changes)
      WHERE bytes > ? ORDER BY id DESC LIMIT 1
      """
    guard let oldest = try Int64.fetchOne(db.prepared(sql), arguments: [keptBytes]) else { return }
    let newest = db.lastInsertedRowID
    try db.run("DELETE FROM changes WHERE id <= ? AND id < ?", [oldest, newest])
  }
}

extension ChangeLog {
  /// What tells the commit at a position from others; nil if its row is not kept.
  fileprivate static func digest(at position: Int64, _ db: Database) throws -> UInt64? {
    let sql = "SELECT content FROM changes WHERE id = ?"
    guard let row = try Row.fetchOne(db.prepared(sql), arguments: [position]) else { return nil }
    return Digest.first64([UInt8](try row.value("content") as Data))
  }

  /// Whether the commit at a position may be the one that a follower knows: it is not known to be
  /// another.
  fileprivate static func isSame(
    _ position: Int64, _ digest: UInt64?, _ db: Database
  ) throws -> Bool {
    guard let digest, let present = try Self.digest(at: position, db) else { return true }
    return present == digest
  }
}

extension StoreDatabase {
  /// What is to be told to a follower that knows everything up to some position.
  package enum NewChanges: Sendable, Equatable {
    /// The next commits, in order; none if there is nothing new.
    case commits([CommittedChange])
    /// More was committed than is kept, or what the follower knows was undone by a restore:
    /// everything may have changed, up to the position given.
    case missed(upTo: Int64)
  }

  /// The position after the last commit that changed a document.
  package func changePosition() throws -> Int64 {
    try read { db in try Self.changePosition(db) }
  }

  private static func changePosition(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.prepared("SELECT max(id) FROM changes")) ?? 0
  }

  /// What tells the commit at a position from the one of that number in another course of events,
  /// as after a restore; nil if there is none, or none is kept.
  package func changeDigest(at position: Int64) throws -> UInt64? {
    try read { db in try ChangeLog.digest(at: position, db) }
  }

  /// The commits after a position, oldest first, at most `limit` of them.
  ///
  /// - parameter digest: Of the commit at the position; nil if only its number is known.
  package func changes(
    after position: Int64, digest: UInt64? = nil, limit: Int = 256
  ) throws -> NewChanges {
    try read { db in
      let last = try Self.changePosition(db)
      guard position <= last, try ChangeLog.isSame(position, digest, db) else {
        return .missed(upTo: last)
      }
      let rows = try Row.fetchAll(
        db.prepared("SELECT id, content FROM changes WHERE id > ? ORDER BY id LIMIT ?"),
        arguments: [position, limit])
      guard let first = rows.first else { return .commits([]) }
      guard first["id"] == position + 1 else { return .missed(upTo: last) }
      return .commits(
        try rows.map { row in
          let content = [UInt8](try row.value("content") as Data)
          return CommittedChange(
            position: try row.value("id"), digest: Digest.first64(content),
            origins: try ChangeLog.decode(content))
        })
    }
  }
}

extension StoreSnapshot {
  /// What tells the commit at a position from others, as for a database.
  package func changeDigest(at position: Int64) throws -> UInt64? {
    try ChangeLog.digest(at: position, db)
  }
}

// MARK: - Rows

extension CommittedChange.Origin {
  fileprivate var withoutDocuments: Self {
    Self(
      stream: stream, sequence: sequence, collections: collections, documents: [],
      isComplete: false)
  }

  /// What its documents take in a row at least, however their names are written there.
  fileprivate var leastBytes: Int {
    guard isComplete else { return 0 }
    return documents.reduce(0) { sum, document in
      let key = document.key.collection.bytes.count + document.key.id.bytes.count
      // `["","",true,[]]`, and two quotation marks around each path.
      return document.paths.reduce(sum + key + 15) { $0 + $1.bytes.count + 2 }
    }
  }

  /// What an import brought from one device.
  init(_ from: ImportedPart.FromDevice) {
    self.init(
      stream: from.stream, sequence: nil, collections: from.collections.sorted(),
      documents: from.documents, isComplete: from.documents.count == from.documentCount)
  }
}

extension ChangeLog {
  private static func encode(_ origins: [CommittedChange.Origin]) -> [UInt8] {
    JSON.array(origins.map(json)).canonicalBytes()
  }

  private static func json(_ origin: CommittedChange.Origin) -> JSON {
    var object: JSONObject = [
      "stream": .string(ByteString(origin.stream.description)),
      "collections": .array(origin.collections.map { .string($0) }),
    ]
    if let sequence = origin.sequence { object["sequence"] = JSON(sequence) }
    if origin.isComplete { object["documents"] = .array(origin.documents.map(json)) }
    return .object(object)
  }

  private static func json(_ document: ImportedPart.Document) -> JSON {
    .array([
      .string(document.key.collection), .string(document.key.id), .bool(document.isDeleted),
      .array(document.paths.map { .string(ByteString($0.pointer)) }),
    ])
  }

  fileprivate static func decode(_ bytes: [UInt8]) throws -> [CommittedChange.Origin] {
    guard case .array(let origins)? = try? JSON(parsing: bytes) else { throw StoredBytes.damage }
    return try origins.map(origin)
  }

  private static func origin(_ json: JSON) throws -> CommittedChange.Origin {
    guard case .object(let object) = json, case .string(let text)? = object["stream"],
      let stream = StreamID(text.description), case .array(let names)? = object["collections"]
    else { throw StoredBytes.damage }
    var documents: [JSON]?
    if case .array(let listed)? = object["documents"] { documents = listed }
    var sequence: UInt64?
    if case .integer(let number)? = object["sequence"] { sequence = UInt64(exactly: number) }
    return CommittedChange.Origin(
      stream: stream, sequence: sequence,
      collections: names.compactMap { if case .string(let name) = $0 { name } else { nil } },
      documents: try (documents ?? []).map(document), isComplete: documents != nil)
  }

  private static func document(_ json: JSON) throws -> ImportedPart.Document {
    guard case .array(let parts) = json, parts.count == 4, case .string(let collection) = parts[0],
      case .string(let id) = parts[1], case .bool(let isDeleted) = parts[2],
      case .array(let pointers) = parts[3]
    else { throw StoredBytes.damage }
    return ImportedPart.Document(
      key: DocumentKey(collection: collection, id: id), isDeleted: isDeleted,
      paths: try pointers.map { pointer in
        guard case .string(let text) = pointer, let path = Path(pointer: text.description) else {
          throw StoredBytes.damage
        }
        return path
      })
  }
}
