import CanonicalJSON
import GRDB
import Replication

/// An index that the user has declared on this device; indexes are not synced.
package struct DeclaredIndex: Hashable, Sendable {
  package let collection: ByteString
  package let member: MemberPath

  package init(collection: ByteString, member: MemberPath) {
    self.collection = collection
    self.member = member
  }
}

extension StoreDatabase {
  /// Declares an index, and makes it of the documents that are here.
  ///
  /// Each spelling is a transaction of its own, so that other writers get their turn in between.
  /// Done again, it completes what was interrupted, and takes the planner's figures anew.
  ///
  /// - returns: whether it is new.
  @discardableResult
  package func createIndex(_ index: DeclaredIndex) throws -> Bool {
    let isNew = try write { db in
      try db.execute(
        sql: "INSERT OR IGNORE INTO indexes(collection, path) VALUES (?, ?)",
        arguments: [index.collection.description, index.member.pointer])
      return db.changesCount > 0
    }
    for spelling in index.member.spellings {
      try write { db in
        // Another process may have taken it away meanwhile.
        guard try index.member.isDeclared(db) else { return }
        let name = index.member.indexName(of: spelling)
        try db.execute(sql: DocumentsView.createIndex(name, of: spelling.expression))
        try PlannerFigures.take(name, db)
      }
    }
    return isNew
  }

  /// Takes an index away.
  ///
  /// - returns: whether there was one.
  @discardableResult
  package func removeIndex(_ index: DeclaredIndex) throws -> Bool {
    try write { db in
      try db.execute(
        sql: "DELETE FROM indexes WHERE collection = ? AND path = ?",
        arguments: [index.collection.description, index.member.pointer])
      guard db.changesCount > 0 else { return false }
      // Collections share the index of a path.
      guard try !index.member.isDeclared(db) else { return true }
      for spelling in index.member.spellings {
        try db.execute(sql: "DROP INDEX IF EXISTS main.\(index.member.indexName(of: spelling))")
      }
      return true
    }
  }

  /// The declared indexes, sorted by collection and path.
  package func indexes() throws -> [DeclaredIndex] {
    try read { db in try DeclaredIndex.all(db) }
  }
}

extension DeclaredIndex {
  fileprivate static func all(_ db: Database) throws -> [DeclaredIndex] {
    try Row.fetchAll(
      db, sql: "SELECT collection, path FROM indexes ORDER BY collection, path"
    ).map { row in
      guard let member = try? MemberPath(try row.value("path") as String) else {
        throw StoredBytes.damage
      }
      return DeclaredIndex(
        collection: ByteString(try row.value("collection") as String), member: member)
    }
  }

  /// Makes the indexes anew that are there: where the same states have other bodies now.
  static func makeAnew(_ db: Database) throws {
    for member in try Set(all(db).map(\.member)) {
      for spelling in member.spellings {
        let name = member.indexName(of: spelling)
        let isThere = try Int.fetchOne(
          db, sql: "SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ?",
          arguments: [name])
        if isThere != nil { try db.execute(sql: "REINDEX main.\(name)") }
      }
    }
  }
}

extension MemberPath {
  /// Whether an index of it is declared for any collection.
  fileprivate func isDeclared(_ db: Database) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM indexes WHERE path = ? LIMIT 1", arguments: [pointer]) != nil
  }
}

/// What SQLite's planner is told of sizes, so that a plan does not depend on what there was when an
/// index was declared, nor on whether anybody ran `ANALYZE` since.
///
/// Without figures it takes a collection for ten documents, and reads all of them rather than use
/// an index. The table is said to be large and an entry of an index small, which makes it prefer an
/// index for ORDER BY with a LIMIT, too; how many documents share a value is measured. Collections
/// are said to be few, or it would read all documents once more for a Bloom filter.
private enum PlannerFigures {
  private static let rows = 1_000_000
  /// Fewer documents than this say nothing of the many that may come.
  private static let fewestRows = 1000
  private static let usualRowsOfValue = 100

  static func take(_ index: String, _ db: Database) throws {
    try db.execute(sql: "ANALYZE main.\(index)")
    let measured = try String.fetchOne(
      db, sql: "SELECT stat FROM main.sqlite_stat1 WHERE idx = ?", arguments: [index])
    let sharing = rowsOfValue(measured ?? "")
    try db.execute(
      sql: "DELETE FROM main.sqlite_stat1 WHERE tbl = 'documents' AND idx = ?",
      arguments: [index])
    try db.execute(
      sql: """
        DELETE FROM main.sqlite_stat1
          WHERE tbl = 'documents' AND (idx IS NULL OR idx = 'documents');
        INSERT INTO main.sqlite_stat1(tbl, idx, stat) VALUES
          ('documents', NULL, '\(rows) sz=400'),
          ('documents', 'documents', '\(rows) \(rows) 1 sz=400'),
          ('documents', '\(index)', '\(rows) \(rows) \(sharing) sz=40');
        DELETE FROM main.sqlite_stat1 WHERE tbl = 'collections';
        INSERT INTO main.sqlite_stat1(tbl, idx, stat) VALUES ('collections', NULL, '10');
        """)
  }

  /// How many of a million documents share a value, from what `ANALYZE` counted: all rows, then
  /// those of one collection, then those of one value in it, on average.
  private static func rowsOfValue(_ measured: String) -> Int {
    let counts = measured.split(separator: " ").compactMap { Int($0) }
    guard counts.count >= 3, counts[0] >= fewestRows else { return usualRowsOfValue }
    return max(1, min(rows, rows * counts[2] / counts[0]))
  }
}
