import CanonicalJSON
import Foundation
import GRDB
import Replication

// What documents show once more is known of the streams.
extension DocumentTable {
  /// A document that shows something else than before.
  struct Judged {
    let key: DocumentKey
    let isVisible: Bool
    /// Where.
    let paths: Set<Path>
  }

  /// Which documents are looked at.
  enum Scope {
    /// All that keep what an author had seen.
    case all
    /// Those that keep something which had not arrived.
    case provisional
    /// Those that keep edits whose insert had not come.
    case orphans
  }

  /// Judges documents again after more of streams has been applied, and writes those anew of which
  /// that tells more.
  ///
  /// - returns: those that show something else, or have other conflicts.
  mutating func judgeAgain(
    _ streams: inout StreamDirectory, _ scope: Scope
  ) throws -> [Judged] {
    let lineage = streams.frontier.lineage
    var judged: [Judged] = []
    for key in try outdated(streams, scope) {
      guard let row = try row(of: key) else { continue }
      let (before, after) = try (row.shown(streams), row.state(streams, lineage))
      let view = after.view()
      let db = db
      try save(after, of: key) { try streams.number(of: $0, db) }
      // A conflict that is not in doubt any more is another one.
      let hasSameConflicts =
        row.conflicts == view.conflictCount
        && (view.conflictCount == 0 || row.provisional == after.provisionalLevel)
      let isSame = view.body == before && hasSameConflicts && row.isVisible == view.isVisible
      guard !isSame else { continue }
      let paths = try ShownValues.differing(before, view.body)
      judged.append(Judged(key: key, isVisible: view.isVisible, paths: paths))
    }
    return judged
  }

  /// The documents whose rows do not say what the lineage tells.
  private func outdated(_ streams: StreamDirectory, _ scope: Scope) throws -> [DocumentKey] {
    // SQLite takes the index only where its own condition is named, too.
    let (from, condition) =
      switch scope {
      case .all: ("documents", "1")
      case .provisional: ("documents INDEXED BY provisional", "provisional > 0")
      case .orphans: ("documents INDEXED BY provisional", "provisional > 0 AND provisional > 1")
      }
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT name, documents.id AS id, visible, conflicts, pending, provisional, state
        FROM \(from) JOIN collections ON collections.id = collection
        WHERE \(condition)
        """)
    var keys: [DocumentKey] = []
    while let found = try rows.next() {
      let row = try StoredRow(found)
      guard try row.pending > 0 || row.provisional > 0 || row.keepsContexts else { continue }
      let state = try row.state(streams, streams.frontier.lineage)
      let view = state.view()
      let isRight =
        try row.isVisible == view.isVisible && row.conflicts == view.conflictCount
        && row.provisional == state.provisionalLevel && row.shown(streams) == view.body
      if !isRight { keys.append(try found.documentKey()) }
    }
    return keys
  }

  private func row(of key: DocumentKey) throws -> StoredRow? {
    guard let collection = collections.number(of: key.collection) else { return nil }
    return try Row.fetchOne(
      db,
      sql: """
        SELECT visible, conflicts, pending, provisional, state FROM documents
        WHERE collection = ? AND id = ?
        """,
      arguments: [collection, key.id.description]
    ).map { try StoredRow($0) }
  }
}

extension ImportedPart.FromDevice {
  /// Counts documents that may be counted already.
  mutating func note(_ judged: [DocumentTable.Judged]) {
    for document in judged {
      note(
        document.key, isDeleted: !document.isVisible, paths: document.paths, mayBeKnown: true)
    }
  }
}

/// A document as its row has it.
private struct StoredRow {
  let isVisible: Bool
  let conflicts: Int
  let pending: Int
  let provisional: Int
  private let bytes: [UInt8]

  init(_ row: Row) throws {
    isVisible = try row.value("visible")
    conflicts = try row.value("conflicts")
    pending = try row.value("pending")
    provisional = try row.value("provisional")
    bytes = try [UInt8](row.value("state") as Data)
  }

  var keepsContexts: Bool {
    get throws { try bytes.withUnsafeBufferPointer { try StoredBody.keepsContexts($0) } }
  }

  func state(_ streams: StreamDirectory, _ lineage: Lineage?) throws -> DocumentState {
    try StateCoding.decode(bytes, streams: streams, lineage: lineage)
  }

  /// The body that the row shows, as queries see it.
  func shown(_ streams: StreamDirectory) throws -> [UInt8]? {
    let rendering = try bytes.withUnsafeBufferPointer { try Rendering(inFrontOf: $0) }
    if let rendering { return rendering.body }
    return try state(streams, nil).view().body
  }
}

extension DocumentState {
  /// As the column `provisional` has it: 2 where it keeps edits whose insert has not come, else 1
  /// where something had not arrived.
  var provisionalLevel: Int { hasOrphans ? 2 : isProvisional ? 1 : 0 }
}

extension ShownValues {
  /// Where two bodies, nil for an absent document, show different values.
  fileprivate static func differing(_ first: [UInt8]?, _ second: [UInt8]?) throws -> Set<Path> {
    guard let first, let second else { return [] }
    let (old, new) = try (values(of: first), values(of: second))
    return Set(Set(old.keys).union(new.keys).filter { old[$0] != new[$0] })
  }

  private static func values(of body: [UInt8]) throws -> ShownValues {
    guard let json = try? JSON(parsing: body, limits: .held) else { throw StoredBytes.damage }
    return json.shownValues
  }
}
