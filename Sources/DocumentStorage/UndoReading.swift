import GRDB
import Replication

/// What an undo is about to do, as decided from one state of the store.
///
/// To decide it takes reading the logs, and folding all that was ever done to the documents; others
/// need not wait for that with their writes.
struct UndoReading {
  private struct Document {
    let key: DocumentKey
    let plan: UndoPlan
    /// What the plan was made for.
    let state: DocumentState
  }

  private let applied: Context
  private let documents: [Document]

  /// - throws: ``HistoryError``.
  init(
    _ name: String, isForced: Bool, log: TransactionLog,
    state: (DocumentKey) throws -> DocumentState
  ) throws {
    let (header, keys) = try log.transaction(named: name)
    let recorded = try log.events(of: keys)
    let events = try recorded.whole()
    applied = log.streams.frontier.applied
    documents = try keys.sorted().map { key in
      let state = try state(key)
      let plan = UndoPlan(
        of: header.tip, events: events[key] ?? [], lineage: log.streams.frontier.lineage,
        present: state.view(), waiting: state.pending, isForced: isForced)
      // An edit that the one who dropped what it edits had not heard of may have brought that back.
      if plan.isBlind, recorded.start != nil { throw HistoryError.forgotten(header.time) }
      return Document(key: key, plan: plan, state: state)
    }
  }

  /// Whether the store is still as it was, as far as it was looked at.
  fileprivate func isCurrent(_ writer: StoreWriter) throws -> Bool {
    guard writer.streams.frontier.applied == applied else { return false }
    return try documents.allSatisfy { try writer.state(of: $0.key) == $0.state }
  }

  fileprivate func perform(_ writer: inout StoreWriter) throws -> [StoreWriter.LeftAlone] {
    var left: [StoreWriter.LeftAlone] = []
    for document in documents {
      let (key, plan) = (document.key, document.plan)
      try writer.perform(plan.action, at: key)
      for (path, edit) in plan.edits.sorted(by: { $0.key < $1.key }) {
        _ = try writer.edit(edit, at: path, of: key) { _ in }
      }
      left += plan.left.map { StoreWriter.LeftAlone(document: key, path: $0) }
    }
    return left
  }
}

extension StoreWriter {
  /// What of a transaction could not be taken back, since others have changed it.
  package struct LeftAlone: Sendable, Equatable {
    package let document: DocumentKey
    /// The root stands for the whole document.
    package let path: Path
  }

  /// Takes back what a transaction did, as far as it still shows.
  ///
  /// It reads the logs with other writers kept out; ``StoreDatabase`` has one that does not.
  /// - parameters:
  ///   - name: `<stream>:<sequence>`, with `:<fingerprint>` where branches of the stream have
  ///     several such; either id may be cut where that is unambiguous.
  ///   - isForced: Whether what others have changed since is taken back, too.
  /// - returns: What was left alone.
  /// - throws: ``HistoryError``.
  package mutating func undo(_ name: String, isForced: Bool = false) throws -> [LeftAlone] {
    let writer = self
    let reading = try UndoReading(
      name, isForced: isForced, log: TransactionLog(db: db, streams: streams)
    ) { try writer.state(of: $0) }
    return try reading.perform(&self)
  }

  fileprivate mutating func perform(_ action: UndoPlan.Action, at key: DocumentKey) throws {
    switch action {
    case .nothing: break
    case .delete: _ = try delete(key)
    case .restore(let body, let restored): _ = try put(body, at: key, restoring: restored)
    case .change(let body, let named, let restored):
      _ = try change(to: body, named: named, restoring: restored, at: key)
    }
  }
}

extension StoreDatabase {
  /// Who writes all the time is kept out after so many readings that came to nothing.
  private static let mostReadings = 3

  /// Takes back what a transaction did, as far as it still shows, as a transaction of its own.
  ///
  /// It decides before it keeps other writers out, and again if something has come meanwhile.
  /// - parameters:
  ///   - name: As that of ``StoreWriter/undo(_:isForced:)``.
  ///   - isForced: Whether what others have changed since is taken back, too.
  ///   - now: The wall clock.
  ///   - nonce: A random number of this process.
  ///   - isPublishedAtOnce: Whether the caller publishes right after.
  ///   - onReading: Called with nobody kept out, when it is decided what is to be done.
  /// - returns: What was written, and what left alone.
  /// - throws: ``HistoryError``.
  package func undo(
    _ name: String, isForced: Bool = false, now: HybridTime, nonce: UInt64,
    isPublishedAtOnce: Bool = true, onReading: () throws -> Void = {}
  ) throws -> (result: StoreWriter.Result, left: [StoreWriter.LeftAlone]) {
    var left: [StoreWriter.LeftAlone]?
    for _ in 0..<Self.mostReadings {
      let reading = try readSnapshot { snapshot in
        try UndoReading(name, isForced: isForced, log: snapshot.log) {
          try snapshot.state(of: $0)
        }
      }
      try onReading()
      let result = try writeDocuments(
        now: now, nonce: nonce, isPublishedAtOnce: isPublishedAtOnce
      ) { writer in
        if try reading.isCurrent(writer) { left = try reading.perform(&writer) }
      }
      if let left { return (result, left) }
    }
    let result = try writeDocuments(
      now: now, nonce: nonce, isPublishedAtOnce: isPublishedAtOnce
    ) { left = try $0.undo(name, isForced: isForced) }
    return (result, left ?? [])
  }
}
