import GRDB
import Replication

/// Takes what others have dropped out of documents, in one transaction of the database.
struct DocumentDropping {
  private let db: Database
  private var streams: StreamDirectory
  private var table: DocumentTable
  /// The documents that show something else by it, or are listed otherwise.
  private var changed: [ImportedPart.Document] = []

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
    let revival = state.revival(dropping: document.dropped) { stream in
      streams.row(of: stream).map { $0.isOwn || $0.retiredAt != nil } ?? false
    }
    return revival.map { Revival(key: document.key, steps: $0.steps, time: $0.time) }
  }

  /// - parameters:
  ///   - isGone: Whether the logs here are to have none of it any more, so that it does not count
  ///     as forgotten.
  ///   - isUncertain: Whether what the document counts as forgotten may have been changed by that
  ///     before.
  mutating func drop(
    _ document: HeedingPlan.Document, isGone: Bool, isUncertain: Bool = false
  ) throws {
    var state = try state(of: document.key)
    let before = (state.entries.count, state.forgotten)
    let shown = state.summary()
    state.drop(document.dropped, isLast: isGone)
    if document.isUncertain || isUncertain { state.forgetCount() }
    guard before != (state.entries.count, state.forgotten) else { return }
    try save(state, of: document.key)
    let now = state.summary()
    // Where an edit of somebody who is away is all that is left of it.
    guard shown != now else { return }
    changed.append(
      ImportedPart.Document(key: document.key, isDeleted: !now.isVisible, paths: []))
  }

  /// Tells followers which documents show something else, by what came of a stream.
  func noteChanges(by stream: StreamID) throws {
    guard !changed.isEmpty else { return }
    let documents = changed.sorted { $0.key < $1.key }
    let origin = CommittedChange.Origin(
      stream: stream, sequence: nil, collections: Set(documents.map(\.key.collection)).sorted(),
      documents: documents, isComplete: true)
    try ChangeLog.append([origin], db)
  }

  /// From now on the document does not know how much it has forgotten.
  mutating func forgetCount(of key: DocumentKey) throws {
    var state = try state(of: key)
    // One without a row has forgotten nothing that the logs have.
    guard state.forgotten != nil, !state.isEmpty || state.forgotten != 0 else { return }
    state.forgetCount()
    try save(state, of: key)
  }

  private mutating func save(_ state: DocumentState, of key: DocumentKey) throws {
    if state.isEmpty, state.forgotten == 0 {
      try table.remove(key)
    } else {
      try table.save(state, of: key) { try streams.number(of: $0, db) }
    }
  }
}
