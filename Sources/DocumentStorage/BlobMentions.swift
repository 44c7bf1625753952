import CanonicalJSON
import Foundation
import GRDB
import Replication

/// An operation that is kept, by what it may say about blobs.
package struct BlobMention: Sendable {
  package let document: DocumentKey
  /// Who wrote it.
  package let author: StreamID
  /// Where it stands, which for an element of a set is what it is, and what it carries; as bytes.
  package let path: Path
  package let payload: SmallBytes
  /// Whether it is gone from the document by a delete that nobody has undone, and can come back
  /// only if somebody undoes that.
  package let isDeleted: Bool
  /// What wrote the values that show in the document.
  package let shown: [Stamp]
}

/// What tells one state of a database from the next, in one process.
package struct DatabaseStamp: Sendable, Equatable {
  private let version: Int
  private let changes: Int

  init(_ db: Database) throws {
    version = try Int.fetchOne(db.prepared("PRAGMA data_version")) ?? 0
    changes = db.totalChangesCount
  }
}

extension StoreDatabase {
  /// Calls `body` with each operation kept of documents that have a text somewhere in what is
  /// stored of them: what shows, what lost a conflict, what a delete hides, what is not published
  /// yet, and what this version does not understand.
  ///
  /// What a write covers is kept no more, and is not told of.
  ///
  /// - returns: what tells whether anything has changed since.
  package func forEachMention(
    of text: String, _ body: (BlobMention) throws -> Void
  ) throws -> DatabaseStamp {
    try read { db in
      let streams = try streams(db)
      let rows = try Row.fetchCursor(
        db.prepared(
          """
          SELECT name, documents.id AS id, state FROM documents
          JOIN collections ON collections.id = collection
          WHERE instr(state, CAST(? AS BLOB)) > 0
          """), arguments: [text])
      while let row = try rows.next() {
        let state = try StateCoding.decode(
          try [UInt8](row.value("state") as Data), streams: streams,
          lineage: streams.frontier.lineage)
        try state.forEachMention(in: try row.documentKey(), body)
      }
      return try DatabaseStamp(db)
    }
  }

  /// Calls `body` with each operation whose transaction is stamped after a moment, whatever has
  /// become of it since, with that stamp's time; as far as the content of transactions is kept.
  ///
  /// Segment by segment: others wait for none but the one in hand.
  ///
  /// - parameter moment: in milliseconds since 1970, by the clocks of the authors.
  /// - returns: whether all of it could be told: not if a segment came or went meanwhile.
  package func forEachOperation(
    stampedAfter moment: Int64,
    _ body: (_ path: Path, _ payload: [UInt8], _ time: Int64) throws -> Void
  ) throws -> Bool {
    let log = TransactionLog(of: self, streams: try read { try streams($0) })
    for row in log.streams.all
    where row.positions.contains(where: { Int64($0.time.milliseconds) > moment }) {
      let segments = try log.segments(of: row.stream)
      _ = try log.forEach(of: row.stream) { transaction in
        let time = Int64(transaction.header.time.milliseconds)
        guard time > moment else { return }
        for operation in transaction.operations.all {
          try body(operation.path, operation.payload, time)
        }
      }
      guard try log.segments(of: row.stream) == segments else { return false }
    }
    return true
  }

  /// Whether nothing has changed since a stamp was taken.
  package func isUnchanged(since stamp: DatabaseStamp) throws -> Bool {
    try read { try DatabaseStamp($0) == stamp }
  }

  /// What is applied here and has operations, and whether nothing is known to be missing of what
  /// the authors of that had seen.
  package func settlement() throws -> (written: Context, isSettled: Bool) {
    try read { db in
      let streams = try streams(db)
      return (streams.written, streams.frontier.open.isEmpty)
    }
  }

  /// Whether every other device that is live says that it has all that is applied here, and all
  /// that this device wrote is in the folder.
  ///
  /// - parameter horizon: see ``isClaimedByAll(_:liveSince:)``.
  package func isAllClaimed(liveSince horizon: Int64) throws -> Bool {
    let (written, isSettled) = try settlement()
    return try isSettled && isClaimedByAll(written, liveSince: horizon)
  }
}

/// A document that has a text somewhere in what is stored of it.
package struct MentioningDocument {
  package let key: DocumentKey
  fileprivate let state: DocumentState

  /// Its canonical body; nil if it is absent.
  package var body: [UInt8]? { state.view().body }

  /// Its conflicts, sorted by path.
  package func conflicts() -> [DocumentConflict] { state.conflicts() }

  /// Who wrote the operations that carry a text.
  package func authors(of text: String) -> Set<StreamID> {
    let bytes = Array(text.utf8)
    return Set(
      state.entries.filter {
        $0.effect.payload.contains(bytes) || $0.effect.path.bytes.contains(bytes)
      }.map(\.stamp.dot.stream))
  }
}

extension StoreSnapshot {
  /// Calls `body` with each document that has a text somewhere in what is stored of it, shown or
  /// not, sorted by collection and id.
  ///
  /// - parameter key: the only one to look at; nil for all.
  package func forEachDocument(
    mentioning text: String, in collection: ByteString? = nil, at key: DocumentKey? = nil,
    _ body: (MentioningDocument) throws -> Void
  ) throws {
    if let key {
      return try body(MentioningDocument(key: key, state: try state(of: key)))
    }
    let rows = try Row.fetchCursor(
      db.prepared(
        """
        SELECT name, documents.id AS id, state FROM documents
        JOIN collections ON collections.id = collection
        WHERE instr(state, CAST(?1 AS BLOB)) > 0 AND (?2 IS NULL OR name = ?2)
        ORDER BY name, documents.id
        """), arguments: [text, collection?.description])
    while let row = try rows.next() {
      let state = try StateCoding.decode(
        try [UInt8](row.value("state") as Data), streams: streams,
        lineage: streams.frontier.lineage)
      try body(MentioningDocument(key: try row.documentKey(), state: state))
    }
  }
}

extension DocumentState {
  fileprivate func forEachMention(
    in document: DocumentKey, _ body: (BlobMention) throws -> Void
  ) throws {
    let shown = visibility()
    // Where anything is in doubt, all may show one day.
    let isCertain =
      pending.isEmpty && !isProvisional && shown.undoneDeletes.isEmpty && shown.hidden.isEmpty
      && shown.doubtful.isEmpty && shown.orphans.isEmpty && shown.hiddenDeletes.isEmpty
      && entries.allSatisfy { $0.effect.kind.isUnderstood }
    let visible = Set(shown.values)
    let stamps = shown.values.map { entries[$0].stamp }
    for (index, entry) in entries.enumerated() {
      try body(
        BlobMention(
          document: document, author: entry.stamp.dot.stream, path: entry.effect.path,
          payload: entry.effect.payload, isDeleted: isCertain && !visible.contains(index),
          shown: stamps))
    }
  }
}
