import DocumentStorage

/// What has been committed since a point, and the point to go on from.
public struct CommittedChanges: Sendable {
  /// The changes in their order; empty if there is nothing new.
  public let changes: [StoreChange]
  /// The point behind the last of them.
  public let position: ChangePosition
}

extension DocumentStore {
  /// All that was committed since a point, without waiting for more: for programs that end, and go
  /// on from where they were when they are started again.
  ///
  ///     let news = try store.committedChanges(after: saved.position)
  ///     if news.changes.contains(where: { $0.affects("notes") }) { try readNotes() }
  ///     saved.position = news.position
  ///
  /// Positions are of one device's database. One from before a backup was restored or the store
  /// rebuilt, or of another device, is known by the commit before it, and gives one change of
  /// ``StoreChange/Extent/everything``; not so where that commit is the last that is not kept any
  /// more, nor one that an earlier version of this library kept. Who keeps
  /// ``UbiquityContainer/thisDevice`` beside it is sure of the device.
  /// - parameter position: The point, from an earlier call or change; nil if nothing is known yet,
  ///   which gives one change of ``StoreChange/Extent/everything``.
  /// - throws: ``FeedSyncError`` if the database fails.
  public func committedChanges(after position: ChangePosition?) throws -> CommittedChanges {
    do {
      guard var last = position else {
        let first = StoreChange(missedUpTo: try database.lastPoint())
        return CommittedChanges(changes: [first], position: first.position)
      }
      var changes: [StoreChange] = []
      while let next = try Subscription.changes(of: database, after: last).nonEmpty {
        changes += next
        last = next.last?.position ?? last
      }
      return CommittedChanges(changes: changes, position: last)
    } catch {
      throw FeedSyncError(error, operation: "follow the store")
    }
  }
}

extension [StoreChange] {
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
