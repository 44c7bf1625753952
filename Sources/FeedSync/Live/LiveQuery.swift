import DocumentStorage

/// What a query shows, now and after each change of it, by whichever process or device.
///
///     let query = DocumentQuery("notes").ordered(by: "/title").limited(to: 20)
///     for try await result in store.observe(query) { show(result.documents) }
///
/// The first value is the present result. Others come when what is shown changes, and only then;
/// each is one consistent state, never half a transaction. A slow reader may see several commits as
/// one value. It ends when the task that iterates is cancelled, and throws ``FeedSyncError``:
/// `.usage` for a query that is wrong, `.noContainer` if another container takes the folder's
/// place, `.tryAgain` if another program makes the database anew.
///
/// Memory holds what the query shows: give it a limit where that is much.
public struct LiveQuery: AsyncSequence, Sendable {
  let store: DocumentStore
  let query: DocumentQuery
  let isImporting: Bool

  /// Begins to listen, before the first result is read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      store: store, query: query,
      subscription: Subscription(store: store, isImporting: isImporting))
  }

  /// Delivers results one by one.
  public struct Iterator: AsyncIteratorProtocol {
    let store: DocumentStore
    let query: DocumentQuery
    let subscription: Subscription
    private var reader: LiveReader?
    private var isOver = false

    init(store: DocumentStore, query: DocumentQuery, subscription: Subscription) {
      (self.store, self.query, self.subscription) = (store, query, subscription)
    }

    /// Waits for the next result; nil once the task is cancelled.
    public mutating func next() async throws -> LiveResult? {
      guard !isOver else { return nil }
      // Set back where there is something to deliver: after a failure, it is over.
      isOver = true
      do {
        let result = try await nextResult()
        isOver = result == nil
        return result
      } catch is CancellationError {
        return nil
      }
    }

    private mutating func nextResult() async throws -> LiveResult? {
      while !Task.isCancelled {
        try subscription.checkDatabase()
        if let result = try await read() { return result }
        try subscription.checkImporting()
        guard await subscription.wait() else { return nil }
      }
      return nil
    }

    private mutating func read() async throws -> LiveResult? {
      let (store, query, before) = (store, query, reader)
      let (after, result) = try await store.run {
        try store.transaction("observe") {
          let database = store.database
          guard var reader = before else {
            let checked = try query.checked(operation: "observe")
            try database.checkWorded(checked, operation: "observe")
            let reader = try LiveReader(checked, database)
            return (reader, LiveResult?.some(LiveResult(reader.window.matches, before: [])))
          }
          let result = try reader.update(database)
          return (reader, result)
        }
      }
      reader = after
      return result
    }
  }
}

extension DocumentStore {
  /// What a query shows, now and after each change of it.
  ///
  /// - parameters:
  ///   - query: Which documents, in which order, and how many.
  ///   - isImporting: Whether this process imports what arrives while it iterates, as
  ///     ``changes`` does. Without, somebody else has to: `feedsync watch`, cron.
  public func observe(_ query: DocumentQuery, isImporting: Bool = true) -> LiveQuery {
    LiveQuery(store: self, query: query, isImporting: isImporting)
  }

  /// What a query shows now.
  ///
  /// - throws: ``FeedSyncError`` with `.usage` for a query that is wrong.
  public func result(of query: DocumentQuery) throws -> [LiveResult.Document] {
    try transaction("query") {
      let checked = try query.checked(operation: "query")
      try database.checkWorded(checked, operation: "query")
      return try LiveReader(checked, database).window.matches.map { LiveResult.Document($0) }
    }
  }
}

extension StoreDatabase {
  fileprivate func checkWorded(_ query: CollectionQuery, operation: String) throws {
    do {
      try check(query)
    } catch let error as QueryError {
      throw FeedSyncError(error, operation: operation)
    }
  }
}
