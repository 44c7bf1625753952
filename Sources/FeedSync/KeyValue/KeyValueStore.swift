import CanonicalJSON
import DocumentStorage
import Replication

/// Small values by name, the same on all devices: `NSUbiquitousKeyValueStore`'s counterpart.
///
///     let settings = try KeyValueStore(store)
///     try await settings.set("dark", forKey: "theme")
///     let theme = try await settings.value(forKey: "theme")?.string
///     for try await change in settings.changes { show(change.keys) }
///
/// Each key is a value of its own: of two that devices write at once, the later counts, and the
/// other stays a conflict until the key is written again. A dictionary is one value, never mixed
/// with another. Limits are Apple's: 1,024 keys of at most 64 bytes, 1,000,000 bytes of values.
///
/// Several stores may share a container under different names: each is a collection of documents
/// of its own, `feedsync.kv.` and the name. Make one object for a store, and keep it: what another
/// object writes is told to this one as somebody else's. See <doc:KeyValueStorage>.
public final class KeyValueStore: Sendable {
  /// The store of documents that it is kept in.
  public let store: DocumentStore
  /// What it is called.
  public let name: String
  let collection: ByteString
  let signals = KeyValueSignals()

  /// The key-value store of this name; nothing is made before something is written.
  ///
  /// - parameters:
  ///   - store: The container's documents.
  ///   - name: 1 to 52 characters of `a-z0-9._-`; programs that share a container choose each
  ///     their own.
  /// - throws: ``FeedSyncError`` with `.badInput` for a name that is none.
  public init(_ store: DocumentStore, name: String = "default") throws {
    self.store = store
    self.name = name
    collection = try KeyValueRules.collection(name)
  }
}

// MARK: - Reading

/// All that a key-value store holds at one moment.
public struct KeyValueContents: Sendable {
  /// The keys that have a value, sorted by bytes.
  public internal(set) var entries: [(key: String, value: PropertyListValue)] = []
  /// Keys whose values this version cannot read: a later one, or something else, wrote them.
  public internal(set) var unreadable: [String] = []
  /// How much there is, of what there may be.
  public internal(set) var usage = KeyValueUsage()
}

extension KeyValueStore {
  /// The value of a key; nil if it has none.
  ///
  /// - throws: ``FeedSyncError`` with `.badInput` for a key that is none, or a value that no
  ///   key-value store of this version wrote.
  public func value(forKey key: String) throws -> PropertyListValue? {
    let document = try KeyValueRules.document(key, in: collection)
    return try store.transaction("read a value") {
      guard let body = try store.database.document(at: document)?.body else { return nil }
      switch try KeyValueBody.content(body) {
      case .removed: return nil
      case .value(let value): return value
      case .unreadable: throw Self.unreadable(key)
      }
    }
  }

  /// All keys and values, from one consistent state.
  public func contents() throws -> KeyValueContents {
    try store.transaction("read all values") {
      try store.database.readSnapshot { try $0.keyValues(in: collection) }
    }
  }

  /// What is said of a value that cannot be read.
  package static func unreadable(_ key: String) -> FeedSyncError {
    FeedSyncError(
      .badInput, operation: "read a value",
      message: "the value of '\(key)' is none that a key-value store of this version wrote",
      hint: "update feedsync; or set the key anew")
  }
}

extension StoreSnapshot {
  package func keyValues(in collection: ByteString) throws -> KeyValueContents {
    var contents = KeyValueContents()
    try forEachDocument(in: collection) { document, body in
      let key = document.id.description
      switch try KeyValueBody.content(body) {
      case .removed: return
      case .value(let value): contents.entries.append((key, value))
      case .unreadable: contents.unreadable.append(key)
      }
      contents.usage.keys += 1
      contents.usage.bytes += KeyValueBody.valueBytes(body) ?? 0
    }
    return contents
  }
}

// MARK: - Writing

extension KeyValueStore {
  /// Gives a key a value; when it returns, that is on the disk, and in the folder if that is there.
  ///
  /// - throws: ``FeedSyncError``: `.badInput` for a key that is none, a number that is not finite,
  ///   more than 64 levels, and where the store would pass its limits, of which followers are told
  ///   as ``KeyValueChange/Reason/quotaViolation``; and what `write` of ``DocumentStore`` throws.
  ///   Then nothing is changed.
  @discardableResult
  public func set(_ value: PropertyListValue, forKey key: String) throws -> WriteResult<Void> {
    try write([KeyValueEdit(key: key, value: value)], operation: "set a value") { _ in () }
  }

  /// Takes a key away; one that has no value is left alone, unless it has a conflict to settle.
  ///
  /// - returns: Whether it had a value.
  /// - throws: ``FeedSyncError``: `.badInput` for a key that is none; and what `write` of
  ///   ``DocumentStore`` throws.
  @discardableResult
  public func remove(forKey key: String) throws -> WriteResult<Bool> {
    try write([KeyValueEdit(key: key, value: nil)], operation: "remove a key") { $0.isEmpty }
  }

  private func write<Value>(
    _ edits: [KeyValueEdit], operation: String, result: ([String]) -> Value
  ) throws -> WriteResult<Value> {
    do {
      let done = try store.commit(operation) { isPublishedAtOnce in
        try self.commit(edits, isPublishedAtOnce)
      }
      return WriteResult(
        value: result(done.value), changedCount: done.changedCount, transaction: done.transaction,
        publishingFailure: done.publishingFailure)
    } catch let violation as KeyValueViolation {
      signals.violated(violation.keys)
      throw violation.described
    }
  }

  /// Writes in a local transaction that followers know as this object's.
  private func commit(
    _ edits: [KeyValueEdit], _ isPublishedAtOnce: Bool
  ) throws -> ([String], StoreWriter.Result) {
    let device = store.device
    var missing: [String] = []
    var noted: (name: TransactionID, number: Int)?
    do {
      let result = try device.database.writeDocuments(
        now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: isPublishedAtOnce
      ) { writer in
        missing = try KeyValueEditing.apply(edits, in: collection, to: &writer)
        let id = TransactionID(
          stream: writer.name.stream.description, sequence: writer.name.sequence)
        noted = (id, signals.willCommit(id, try digests(edits)))
      }
      guard let noted else { return (missing, result) }
      if result.sequence != nil {
        signals.didCommit(noted.name)
      } else {
        // A write that changed nothing leaves its name to the next.
        signals.didNotCommit(noted.name, noted.number)
      }
      return (missing, result)
    } catch {
      if let noted { signals.didNotCommit(noted.name, noted.number) }
      throw error
    }
  }

  private func digests(_ edits: [KeyValueEdit]) throws -> [ByteString: Int?] {
    var digests: [ByteString: Int?] = [:]
    for edit in edits {
      let body = try edit.value.map { try KeyValueBody.holding($0).canonicalBytes() }
      digests.updateValue(body.flatMap { KeyValueBody.digest($0) }, forKey: ByteString(edit.key))
    }
    return digests
  }

  /// Publishes what waits here, and imports what has arrived in the folder.
  ///
  /// There is nothing else to do: every write is on the disk when it returns. Call it at launch, so
  /// that what the others wrote is there before the program decides what is missing.
  /// - returns: Whether the store and the folder agree now; false if the folder is away, or
  ///   something could not be published.
  /// - throws: As `importAll` of ``DocumentStore``.
  @discardableResult
  public func synchronize() throws -> Bool {
    guard try store.container.absence() == nil else { return false }
    return try store.importAll().publishingFailure == nil
  }
}

// MARK: - Without blocking the caller's thread

extension KeyValueStore {
  /// The value of a key, read without blocking the caller's thread.
  public func value(forKey key: String) async throws -> PropertyListValue? {
    try await store.run { try self.value(forKey: key) }
  }

  /// All keys and values, read without blocking the caller's thread.
  public func contents() async throws -> KeyValueContents {
    try await store.run { try self.contents() }
  }

  /// Gives a key a value without blocking the caller's thread.
  @discardableResult
  public func set(
    _ value: PropertyListValue, forKey key: String
  ) async throws -> WriteResult<Void> {
    try await store.run { try self.set(value, forKey: key) }
  }

  /// Takes a key away without blocking the caller's thread.
  @discardableResult
  public func remove(forKey key: String) async throws -> WriteResult<Bool> {
    try await store.run { try self.remove(forKey: key) }
  }

  /// Publishes and imports without blocking the caller's thread.
  @discardableResult
  public func synchronize() async throws -> Bool {
    try await store.run { try self.synchronize() }
  }
}
