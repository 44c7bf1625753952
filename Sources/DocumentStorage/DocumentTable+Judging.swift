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

  /// Judges documents again after a branch of a stream has begun or gone on, and writes those anew
  /// of which that tells more.
  ///
  /// - parameter isThorough: whether all that keep what an author had seen are looked at, rather
  ///   than those that keep something which had not arrived.
  /// - returns: those that show something else, or have other conflicts.
  mutating func judgeAgain(
    _ streams: inout StreamDirectory, isThorough: Bool
  ) throws -> [Judged] {
    let lineage = streams.frontier.lineage
    var judged: [Judged] = []
    for key in try outdated(streams, isThorough: isThorough) {
      guard let row = try row(of: key) else { continue }
      let (before, after) = try (row.shown(streams), row.state(streams, lineage))
      let view = after.view()
      let db = db
      try save(after, of: key) { try streams.number(of: $0, db) }
      let isSame =
        view.body == before && row.conflicts == view.conflictCount
        && row.isVisible == view.isVisible
      guard !isSame else { continue }
      let paths = try ShownValues.differing(before, view.body)
      judged.append(Judged(key: key, isVisible: view.isVisible, paths: paths))
    }
    return judged
  }

  /// The documents whose rows do not say what the lineage tells.
  private func outdated(
    _ streams: StreamDirectory, isThorough: Bool
  ) throws -> [DocumentKey] {
    let from = isThorough ? "documents" : "documents INDEXED BY provisional"
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT name, documents.id AS id, visible, conflicts, pending, provisional, state
        FROM \(from) JOIN collections ON collections.id = collection
        WHERE \(isThorough ? "1" : "provisional > 0")
        """)
    var keys: [DocumentKey] = []
    while let found = try rows.next() {
      let row = try StoredRow(found)
      guard try row.pending > 0 || row.keepsContexts else { continue }
      let state = try row.state(streams, streams.frontier.lineage)
      let view = state.view()
      let isRight =
        try row.isVisible == view.isVisible && row.conflicts == view.conflictCount
        && row.isProvisional == state.isProvisional && row.shown(streams) == view.body
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

/// A document as its row has it.
private struct StoredRow {
  let isVisible: Bool
  let conflicts: Int
  let pending: Int
  let isProvisional: Bool
  private let bytes: [UInt8]

  init(_ row: Row) throws {
    isVisible = try row.value("visible")
    conflicts = try row.value("conflicts")
    pending = try row.value("pending")
    isProvisional = try row.value("provisional")
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

extension ShownValues {
  /// Where two bodies, nil for an absent document, show different values.
  fileprivate static func differing(_ first: [UInt8]?, _ second: [UInt8]?) throws -> Set<Path> {
    guard let first, let second else { return [] }
    let (old, new) = try (values(of: first), values(of: second))
    return Set(Set(old.keys).union(new.keys).filter { old[$0] != new[$0] })
  }

  private static func values(of body: [UInt8]) throws -> ShownValues {
    guard let json = try? JSON(parsing: body) else { throw StoredBytes.damage }
    return json.shownValues
  }
}
