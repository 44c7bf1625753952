import CanonicalJSON
import DocumentStorage
import SharedFolder

/// That keys have other values now, by somebody else's doing, or that a write was refused.
public struct KeyValueChange: Hashable, Sendable {
  /// Why a follower is told.
  public enum Reason: String, Sendable {
    /// Another device wrote; or another process, or another ``KeyValueStore``, of this device.
    case serverChange
    /// It came with the first import on this device that brought key-value data.
    case initialSyncChange
    /// A write was refused, since the store would have passed its limits: nothing has changed.
    case quotaViolation
    /// Another container stands under the folder's path. This store's values stay as they are, and
    /// cannot be written; open the container anew to have those of the other one.
    case accountChange
  }

  /// Why.
  public let reason: Reason
  /// The keys, sorted by bytes: those that have changed or have been removed, those that a refused
  /// write named, or all that there were.
  public let keys: [String]

  /// A change of these parts.
  public init(reason: Reason, keys: [String]) {
    self.reason = reason
    self.keys = keys
  }
}

/// What others change in a key-value store, and the own writes that are refused.
///
///     let changes = settings.changes  // From here on nothing is missed.
///     show(try await settings.contents())
///     for try await change in changes { … }
///
/// Own writes never come, nor do writes that leave a key with the value that the program knows. It
/// ends when the task that iterates is cancelled, and throws as ``StoreChanges`` does. Each
/// iterator delivers every change.
public struct KeyValueChanges: AsyncSequence, Sendable {
  let store: KeyValueStore
  let changes: StoreChanges
  let start: Result<KeyValueFollower, FeedSyncError>

  /// Begins to deliver what was written after the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream<KeyValueChange, any Error>.makeStream()
    let signals = store.signals
    let listener = signals.listen { keys in
      continuation.yield(KeyValueChange(reason: .quotaViolation, keys: keys.sortedByBytes))
    }
    let (store, changes, start) = (store, changes, start)
    let task = Task {
      do {
        try await store.follow(changes, from: try start.get()) { continuation.yield($0) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in
      signals.endListening(listener)
      task.cancel()
    }
    return Iterator(base: stream.makeAsyncIterator())
  }

  /// Delivers changes one by one.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<KeyValueChange, any Error>.AsyncIterator

    /// Waits for the next change; nil once the task is cancelled.
    public mutating func next() async throws -> KeyValueChange? { try await base.next() }
  }
}

extension KeyValueStore {
  /// All that others change from now on.
  ///
  /// While an iterator lives, this process imports what arrives, as ``DocumentStore/changes`` does.
  public var changes: KeyValueChanges { changes() }

  /// All that others change from now on.
  ///
  /// - parameter isImporting: Whether this process imports what arrives. Without, somebody else has
  ///   to, and another container under the folder's path is not noticed.
  public func changes(isImporting: Bool = true) -> KeyValueChanges {
    // The position first: what comes between the two is looked at again.
    let changes = store.changes(isImporting: isImporting)
    let start: Result<KeyValueFollower, FeedSyncError>
    do {
      start = .success(try follower())
    } catch {
      start = .failure(FeedSyncError(error, operation: "follow the key-value store"))
    }
    return KeyValueChanges(store: self, changes: changes, start: start)
  }

  private func follower() throws -> KeyValueFollower {
    let database = store.database
    // After the position, so that each write which is later than it comes, and is taken in.
    let lastWrite = signals.lastWrite
    return KeyValueFollower(
      known: try database.readSnapshot { try $0.keyValueDigests(of: nil, in: collection) },
      lastWrite: lastWrite, isInitial: try database.hasImportedNothing())
  }

  fileprivate func follow(
    _ changes: StoreChanges, from start: KeyValueFollower,
    _ tell: @Sendable (KeyValueChange) -> Void
  ) async throws {
    var follower = start
    do {
      for try await change in changes where change.affects(collection.description) {
        if let news = try await news(of: change, for: &follower) { tell(news) }
      }
    } catch {
      if isOfAnotherContainer() {
        tell(KeyValueChange(reason: .accountChange, keys: follower.keys))
      }
      throw error
    }
  }

  private func news(
    of change: StoreChange, for follower: inout KeyValueFollower
  ) async throws -> KeyValueChange? {
    var named = change.extent.keys(in: collection)
    if case .local(let id?) = change.origin, let write = await signals.write(id) {
      named = follower.wrote(write, changing: named)
      guard named?.isEmpty != true else { return nil }
    } else if change.extent == .everything {
      // What the program wrote meanwhile does not come by itself any more.
      for write in signals.writes(after: follower.lastWrite) { follower.wrote(write) }
    }
    let keys = named
    let now = try await store.run {
      try self.store.transaction("follow the key-value store") {
        try self.store.database.readSnapshot {
          try $0.keyValueDigests(of: keys, in: self.collection)
        }
      }
    }
    let own = signals.writes(after: follower.lastWrite)
    return follower.changed(keys, now: now, own: own, isImport: change.origin.isOfOthers)
  }

  /// Whether what ended the following is that the folder is another container's now.
  private func isOfAnotherContainer() -> Bool {
    do {
      _ = try store.device.absence()
      return false
    } catch ContainerError.otherContainer {
      return true
    } catch {
      return false
    }
  }
}

extension StoreChange.Extent {
  /// The documents of a collection that it names; nil if it does not name them.
  fileprivate func keys(in collection: ByteString) -> Set<ByteString>? {
    guard case .documents(let documents) = self else { return nil }
    let name = collection.description
    return Set(documents.filter { $0.collection == name }.map { ByteString($0.id) })
  }
}

extension StoreChange.Origin {
  fileprivate var isOfOthers: Bool { if case .local = self { false } else { true } }
}

extension [String] {
  fileprivate var sortedByBytes: [String] { map { ByteString($0) }.sorted().map(\.description) }
}
