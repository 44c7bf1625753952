import CanonicalJSON
import Foundation
import GRDB
import Replication

extension StoreDatabase {
  /// All that is kept of one document, shown or not.
  package struct KeptDocument: Sendable {
    package let key: DocumentKey
    package let state: DocumentState
    /// Whether its row says that it shows.
    package let isVisible: Bool
    /// How many conflicts its row counts.
    package let conflictCount: Int
    /// The body that queries see; nil if there is none.
    package let queriedBody: [UInt8]?
  }

  /// Every document that anything is kept of, sorted by collection and id.
  ///
  /// All of them at once: for checks of small stores.
  package func keptDocuments() throws -> [KeptDocument] {
    try read { db in
      let streams = try streams(db)
      let sql = """
        SELECT name, documents.id AS id, visible, conflicts, state,
          \(BodyFunction.name)(state) AS body FROM documents
        JOIN collections ON collections.id = collection ORDER BY name, documents.id
        """
      return try Row.fetchAll(db.prepared(sql)).map { row in
        KeptDocument(
          key: try row.documentKey(),
          state: try StateCoding.decode(
            try [UInt8](row.value("state") as Data), streams: streams,
            lineage: streams.frontier.lineage),
          isVisible: try row.value("visible"), conflictCount: try row.value("conflicts"),
          queriedBody: (try row.value("body") as String?).map { Array($0.utf8) })
      }
    }
  }

  /// How many documents do not show of which something is kept: what deletes them, most of all.
  package func hiddenCount() throws -> Int {
    try read { db in
      try Int.fetchOne(db.prepared("SELECT count(*) FROM documents WHERE NOT visible")) ?? 0
    }
  }

  /// How far each stream is applied, and how much of that may be claimed.
  package func frontier() throws -> Frontier {
    try read { db in try streams(db).frontier }
  }
}
