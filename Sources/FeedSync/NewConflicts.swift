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
  let known: Result<Set<Conflict>, FeedSyncError>

  /// Begins to deliver what came to be after the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, changes: changes.makeAsyncIterator(), known: known)
  }

  /// Delivers conflicts one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: DocumentStore
    private var changes: StoreChanges.Iterator
    private var known: Result<Set<Conflict>, FeedSyncError>
    private var waiting: ArraySlice<Conflict> = []

    init(
      store: DocumentStore, changes: StoreChanges.Iterator,
      known: Result<Set<Conflict>, FeedSyncError>
    ) {
      self.store = store
      self.changes = changes
      self.known = known
    }

    /// Waits for the next conflict; nil once the task is cancelled.
    public mutating func next() async throws -> Conflict? {
      while true {
        if let conflict = waiting.popFirst() { return conflict }
        let before = try known.get()
        guard try await changes.next() != nil else { return nil }
        let now = try await store.conflictedDocuments().flatMap(\.conflicts)
        waiting = now.filter { !before.contains($0.unnamed) }[...]
        known = .success(Set(now.map(\.unnamed)))
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
    let known: Result<Set<Conflict>, FeedSyncError>
    do {
      known = .success(Set(try conflictedDocuments().flatMap(\.conflicts).map(\.unnamed)))
    } catch {
      known = .failure(FeedSyncError(error, operation: "list conflicts"))
    }
    return NewConflicts(store: self, changes: changes, known: known)
  }
}

extension Conflict {
  /// The same whatever people call the devices.
  fileprivate var unnamed: Conflict {
    Conflict(
      collection: collection, id: id, path: path, kind: kind,
      values: values.map { value in
        Value(content: value.content, device: nil, time: nil, transaction: value.transaction)
      }, beside: [])
  }
}
