import GRDB
import Replication

/// Takes what others have dropped out of documents, in one transaction of the database.
struct DocumentDropping {
  private let db: Database
  private var streams: StreamDirectory
  private var table: DocumentTable

  init(_ streams: StreamDirectory, _ db: Database) throws {
    self.db = db
    self.streams = streams
    table = try DocumentTable(db)
  }

  /// A document without what has come to be covered since it was stored: that may be what a delete
  /// is kept for.
  func state(of key: DocumentKey) throws -> DocumentState {
    var state = try table.state(of: key, streams: streams)
    state.settle()
    return state
  }

  /// What has to be written anew before something is taken out of a document: edits of this device
  /// show with it (protocol.md 24).
  func revival(of document: HeedingPlan.Document, _ state: DocumentState) -> Revival? {
    let steps = state.revival(dropping: document.dropped) { stream in
      streams.row(of: stream).map { $0.isOwn || $0.retiredAt != nil } ?? false
    }
    return steps.map { Revival(key: document.key, steps: $0) }
  }

  /// - parameters:
  ///   - isLast: Whether the logs here have none of it any more.
  ///   - isUncertain: Whether what the document counts as forgotten may have been changed by that
  ///     before.
  mutating func drop(
    _ document: HeedingPlan.Document, isLast: Bool, isUncertain: Bool
  ) throws {
    var state = try state(of: document.key)
    let before = (state.entries.count, state.forgotten)
    state.drop(document.dropped, isLast: isLast)
    if document.isUncertain || isUncertain { state.forgetCount() }
    guard before != (state.entries.count, state.forgotten) else { return }
    if state.isEmpty, state.forgotten == 0 {
      try table.remove(document.key)
    } else {
      try table.save(state, of: document.key) { try streams.number(of: $0, db) }
    }
  }
}
