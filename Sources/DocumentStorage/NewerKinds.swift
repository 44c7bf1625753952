import CanonicalJSON
import Foundation
import GRDB
import Replication

/// The transactions applied here with operations of kinds that this program does not understand:
/// they, and what follows them, are claimed by nobody here until an upgrade (protocol.md 17).
enum NewerTransactions {
  static func note(
    _ tip: Context.Entry, _ kinds: KindCodes, stream: Int64, _ db: Database
  ) throws {
    try db.run(
      "INSERT OR REPLACE INTO newer_transactions VALUES (?, ?, ?, ?)",
      [
        stream, Int64(tip.sequence), tip.fingerprint.databaseBytes, Int64(kinds.rawValue),
      ])
  }

  static func all(
    _ db: Database, streams: StreamDirectory
  ) throws -> [(tip: Context.Entry, kinds: KindCodes)] {
    let sql = "SELECT stream, sequence, fingerprint, kinds FROM newer_transactions"
    return try db.read(sql) { row in
      let tip = Context.Entry(
        stream: try streams.stream(number: row.value(0)), sequence: try row.number(1),
        fingerprint: try Fingerprint(optionalColumn: row.value(2)))
      return (tip, KindCodes(rawValue: UInt16(truncatingIfNeeded: try row.value(3) as Int64)))
    }
  }

  /// Forgets those of which all kinds are known now, and returns them.
  static func forget(
    knowing known: KindCodes, _ db: Database, streams: StreamDirectory
  ) throws -> Set<Context.Entry> {
    let understood = try all(db, streams: streams).filter { known.isSuperset(of: $0.kinds) }
    try db.run("DELETE FROM newer_transactions WHERE kinds & ~? = 0", [Int64(known.rawValue)])
    return Set(understood.map(\.tip))
  }
}

/// What a program does when it finds a database that one with fewer kinds has written.
package enum KindUpgrade {
  /// The kinds known to the program that wrote here last.
  private static func recorded(_ db: Database) throws -> KindCodes {
    let bits = try Int64.fetchOne(db.prepared("SELECT kinds FROM program")) ?? 0
    return KindCodes(rawValue: UInt16(truncatingIfNeeded: bits))
  }

  static func isNeeded(_ db: Database, known: KindCodes = .understood) throws -> Bool {
    guard try recorded(db) == known else { return true }
    // One with fewer kinds may have gone on for a while.
    let sql = "SELECT EXISTS (SELECT 1 FROM newer_transactions WHERE kinds & ~? = 0)"
    return try Bool.fetchOne(db.prepared(sql), arguments: [Int64(known.rawValue)]) ?? false
  }

  /// Closes what is understood now, and renders the documents anew that have it.
  ///
  /// - returns: false, and nothing is changed, if a program with more kinds has written here.
  package static func run(_ db: Database, known: KindCodes = .understood) throws -> Bool {
    let before = try recorded(db)
    guard known.isSuperset(of: before) else { return false }
    try db.run("UPDATE program SET kinds = ?", [Int64(known.rawValue)])
    var streams = try StreamDirectory(db)
    if before == first { try noteAll(db, streams: streams) }
    try streams.understand(known, db)
    try renderAnew(db, known: known, streams: &streams)
    return true
  }

  /// Those of the programs that noted nothing yet.
  private static let first = KindCodes(rawValue: 15)

  /// Notes what such a program may have taken in without knowing it.
  private static func noteAll(_ db: Database, streams: StreamDirectory) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT collection, id, state FROM documents WHERE newer = 0")
    var found: [(collection: Int64, id: String, kinds: KindCodes)] = []
    while let row = try rows.next() {
      let state = try StateCoding.decode(try [UInt8](row.value("state") as Data), streams: streams)
      let kinds = state.kinds.subtracting(first)
      if !kinds.isEmpty { found.append((try row.value("collection"), try row.value("id"), kinds)) }
    }
    for document in found {
      try db.run(
        "UPDATE documents SET newer = ? WHERE collection = ? AND id = ?",
        [Int64(document.kinds.rawValue), document.collection, document.id])
    }
  }

  private static func renderAnew(
    _ db: Database, known: KindCodes, streams: inout StreamDirectory
  ) throws {
    var table = try DocumentTable(db)
    let keys = try table.newer(known)
    guard !keys.isEmpty, let device = try DeviceRecord.fetch(db) else { return }
    // The indexes have what an older program made of the same states.
    try DeclaredIndex.makeAnew(db)
    var documents: [ImportedPart.Document] = []
    for key in keys {
      let state = try table.state(of: key, streams: streams)
      let paths = state.entries.filter { known.contains(KindCodes($0.effect.kind)) }
        .map(\.effect.path).filter { !$0.isRoot }
      let isVisible = try table.save(state, of: key) { try streams.number(of: $0, db) }
      documents.append(
        ImportedPart.Document(key: key, isDeleted: !isVisible, paths: Set(paths).sorted()))
    }
    let origin = CommittedChange.Origin(
      stream: device.stream, sequence: nil,
      collections: Set(keys.map(\.collection)).sorted(), documents: documents, isComplete: true)
    try ChangeLog.append([origin], db)
  }
}

extension DocumentTable {
  /// The documents with operations that their last writer did not understand, and that a program
  /// which knows `known` does.
  fileprivate func newer(_ known: KindCodes) throws -> [DocumentKey] {
    let sql = """
      SELECT name, documents.id AS id FROM documents INDEXED BY newer
      JOIN collections ON collections.id = collection WHERE newer > 0 AND newer & ? > 0
      ORDER BY name, documents.id
      """
    let rows = try Row.fetchAll(db.prepared(sql), arguments: [Int64(known.rawValue)])
    return try rows.map { try $0.documentKey() }
  }
}
