import DocumentStorage
import Replication

/// Conflicts as they come to be, by whichever device's write.
///
///     for try await conflict in store.newConflicts() {
///       show("\(conflict.collection)/\(conflict.id)\(conflict.path) was written twice")
///     }
///
/// Each is delivered once; one that others join is delivered again. Ends and fails as
/// ``StoreChanges`` does.
public struct NewConflicts: AsyncSequence, Sendable {
  let store: DocumentStore
  let changes: StoreChanges
  let known: Result<KnownConflicts, FeedSyncError>

  /// Begins to deliver what came to be after the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, changes: changes.makeAsyncIterator(), known: known)
  }

  /// Delivers conflicts one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: DocumentStore
    private var changes: StoreChanges.Iterator
    private var known: KnownConflicts
    /// Why the first look has failed, if so.
    private let failure: FeedSyncError?
    private var waiting: ArraySlice<Conflict> = []
    private var isOver = false

    init(
      store: DocumentStore, changes: StoreChanges.Iterator,
      known: Result<KnownConflicts, FeedSyncError>
    ) {
      self.store = store
      self.changes = changes
      switch known {
      case .success(let known): (self.known, failure) = (known, nil)
      case .failure(let error): (self.known, failure) = (KnownConflicts([]), error)
      }
    }

    /// Waits for the next conflict; nil once the task is cancelled.
    public mutating func next() async throws -> Conflict? {
      guard !isOver else { return nil }
      // Set back where there is something to deliver: after a failure, it is over.
      isOver = true
      let conflict = try await nextConflict()
      isOver = conflict == nil
      return conflict
    }

    private mutating func nextConflict() async throws -> Conflict? {
      while true {
        if let conflict = waiting.popFirst() { return conflict }
        if let failure { throw failure }
        guard let extent = try await changes.next()?.extent else { return nil }
        // What the commit has left alone is not read: thousands may be in conflict.
        let store = store
        let found = try await store.run { try store.conflictedDocuments(of: extent) }
        waiting = known.update(found, of: extent)[...]
      }
    }
  }
}

extension DocumentStore {
  /// The conflicts that come to be from now on.
  ///
  /// - parameter isImporting: As for ``changes(after:isImporting:)``.
  public func newConflicts(isImporting: Bool = true) -> NewConflicts {
    // The changes first: what comes between is looked at again.
    let changes = changes(isImporting: isImporting)
    let known: Result<KnownConflicts, FeedSyncError>
    do {
      known = .success(KnownConflicts(try conflictedDocuments()))
    } catch {
      known = .failure(FeedSyncError(error, operation: "list conflicts"))
    }
    return NewConflicts(store: self, changes: changes, known: known)
  }
}
