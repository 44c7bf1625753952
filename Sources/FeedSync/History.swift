import CanonicalJSON
import DocumentStorage
import Foundation
import Replication

extension DocumentStore {
  /// What happened to a document, the oldest first, as far back as the logs reach.
  ///
  ///     let history = try store.history(of: "groceries", in: "notes")
  ///     for change in history.entries.last?.changes ?? [] {
  ///       print(change.path, change.old as Any, change.new as Any)
  ///     }
  ///
  /// It reads all that this device has kept of the logs: some millions of operations a second.
  /// - returns: No entries for a document that never was.
  /// - throws: ``FeedSyncError`` with `.badInput` for names over the limits.
  public func history(of id: String, in collection: String) throws -> DocumentTimeline {
    let key = try DocumentRules.key(collection, id)
    return try transaction("read the history") {
      try database.readSnapshot { snapshot in
        try DocumentTimeline(
          try snapshot.events(of: key), of: key, names: snapshot.deviceNames)
      }
    }
  }

  /// The history of a document, without blocking the caller's thread.
  public func history(of id: String, in collection: String) async throws -> DocumentTimeline {
    try await run { try self.history(of: id, in: collection) }
  }

  /// A document's content as of what had been written by a moment; nil if it was absent then.
  ///
  ///     let yesterday = Date.now.addingTimeInterval(-86_400)
  ///     let body = try store.body(at: "groceries", in: "notes", asOf: yesterday)
  ///
  /// Written counts by the clock of the device that wrote it, wherever it had arrived by then.
  /// - throws: ``FeedSyncError`` with `.cannotRead` where something that may decide it was applied
  ///   before this device kept what it reads; `.usage` for a date that is not a number.
  public func body(at id: String, in collection: String, asOf moment: Date) throws -> JSON? {
    let operation = "read the past"
    let key = try DocumentRules.key(collection, id)
    guard !moment.timeIntervalSince1970.isNaN else {
      throw FeedSyncError(.usage, operation: operation, message: "the date is not a number")
    }
    return try transaction(operation) {
      try database.readSnapshot { snapshot in
        try snapshot.body(of: key, at: HybridTime(upTo: moment)).map {
          try JSON(parsing: $0, limits: .held)
        }
      }
    }
  }

  /// Takes back what a transaction did, as a new transaction.
  ///
  ///     let result = try store.write { try $0.delete(at: "groceries", in: "notes") }
  ///     if let transaction = result.transaction { try store.undo(transaction) }
  ///
  /// In each document, what the transaction changed and nobody has changed since shows again what
  /// it showed before. A document that it made is deleted if it is as it was made; one that it
  /// deleted comes back as it was. What others have changed since is left alone, and named.
  /// - parameters:
  ///   - transaction: Any device's; one that undoes another can be undone, too.
  ///   - isForced: Whether what has been changed since is taken back as well.
  /// - returns: With what was left alone.
  /// - throws: ``FeedSyncError`` with `.notFound` for a transaction that is not here, `.usage`
  ///   where branches of its stream have several of that number, `.cannotRead` where something that
  ///   may decide it is not kept.
  @discardableResult
  public func undo(
    _ transaction: TransactionID, isForced: Bool = false
  ) throws -> WriteResult<[UntouchedMember]> {
    try commit(
      "undo",
      writing: { isPublishedAtOnce in
        let (result, left) = try device.database.undo(
          transaction.description, isForced: isForced, now: device.ambient.time,
          nonce: device.nonce, isPublishedAtOnce: isPublishedAtOnce)
        return (left.map { UntouchedMember($0) }, result)
      })
  }

  /// Takes back what a transaction did, without blocking the caller's thread.
  @discardableResult
  public func undo(
    _ transaction: TransactionID, isForced: Bool = false
  ) async throws -> WriteResult<[UntouchedMember]> {
    try await run { try self.undo(transaction, isForced: isForced) }
  }
}

extension TransactionID: LosslessStringConvertible {
  /// Reads `<stream>:<sequence>` as the command prints it, or `<stream>:<sequence>:<branch>`; nil
  /// if it is not of that form.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
    guard (2...3).contains(parts.count), !parts.contains(""), let sequence = UInt64(parts[1])
    else { return nil }
    self.init(
      stream: parts[0], sequence: sequence, branch: parts.count > 2 ? parts[2] : nil)
  }
}

/// Something that a transaction changed, and that an undo left as it is, since it has been changed
/// again.
public struct UntouchedMember: Hashable, Sendable {
  /// The collection's name.
  public let collection: String
  /// The document's id.
  public let id: String
  /// The member, as a JSON Pointer such as `/title`; empty for the whole document.
  public let path: String
}

extension UntouchedMember {
  package init(_ left: StoreWriter.LeftAlone) {
    self.init(
      collection: left.document.collection.description, id: left.document.id.description,
      path: left.path.pointer)
  }
}

extension HybridTime {
  /// The last moment that the hybrid clock counts as `date`'s millisecond.
  package init(upTo date: Date) {
    // Most milliseconds are no exact doubles: a microsecond more finds the one that was meant.
    let milliseconds = (date.timeIntervalSince1970 * 1000 + 0.001).rounded(.down)
    let bounded = min(max(milliseconds, 0), Double(Self.latestMilliseconds))
    self.init(milliseconds: Int64(bounded), counter: .max)
  }
}
