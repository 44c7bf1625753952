import DocumentStorage
import Replication
import Syncing
import SystemFiles

/// The documents of a container, as this device has them.
///
///     struct Note: Codable { var title: String; var done = false }
///
///     let store = DocumentStore(try UbiquityContainer.join("/home/ann/Sync/notes"))
///     try store.write { try $0.put(Note(title: "Groceries"), at: "groceries", in: "notes") }
///     let note = try store.read { try $0.get(Note.self, at: "groceries", in: "notes") }
///
/// Reading and writing need only the local database, so they work offline; a folder on a network
/// file system that does not answer delays a write by five seconds. All threads and processes may
/// use a device's store at once; within one process, transactions run one after another. The
/// asynchronous forms (`try await store.write { … }`) do the same without blocking the caller's
/// thread.
public final class DocumentStore: Sendable {
  /// The container that this is the store of.
  public let container: UbiquityContainer
  /// What the container's device is now: a folder that did not answer may do so again.
  package var device: Syncing.Device { container.device.asked() }
  /// For what needs the database alone: no folder is asked for that whether it answers.
  var database: StoreDatabase { container.device.database }
  let importing = ImportingSession()
  /// The database's file as it was when the container was opened; nil if nobody can say.
  var original: FileStatus? { container.databaseFile }
  private let publishing = Publisher.Memory()

  /// Opens the store of a container that this device has joined.
  public init(_ container: UbiquityContainer) {
    self.container = container
  }
}

// MARK: - Transactions

/// What a committed write came to.
public struct WriteResult<Value> {
  /// What the body returned.
  public let value: Value
  /// How many documents changed; writing what is there already changes nothing.
  public let changedCount: Int
  /// The transaction that other devices will see; nil if nothing changed.
  public let transaction: TransactionID?
  /// Why the transaction could not be brought into the folder yet, if so.
  ///
  /// It is safe in the local database, and published with a later write or import.
  public let publishingFailure: FeedSyncError?
}

extension WriteResult: Sendable where Value: Sendable {}

extension DocumentStore {
  /// Reads any number of documents from one consistent state.
  ///
  ///     let notes = try store.read { reader in
  ///       let ids = try reader.ids(in: "notes")
  ///       return try ids.compactMap { try reader.get(Note.self, at: $0, in: "notes") }
  ///     }
  ///
  /// - parameter body: Runs at once; the reader is of no use after it.
  /// - throws: What `body` throws, or ``FeedSyncError`` if the database fails. Inside another
  ///   transaction of the same thread it throws `.usage`; inside one of another store `.tryAgain`,
  ///   if whoever has this one waits for that.
  public func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
    try transaction("read") {
      try database.readSnapshot { snapshot in
        let reader = ReadTransaction(snapshot)
        defer { reader.end() }
        return try body(reader)
      }
    }
  }

  /// Reads from one consistent state without blocking the caller's thread.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await run { try self.read(body) }
  }

  /// Writes documents in one transaction, on this device and as others will see it.
  ///
  ///     try store.write { writer in
  ///       try writer.put(Note(title: "Groceries"), at: "groceries", in: "notes")
  ///       try writer.delete(at: "shopping", in: "notes")
  ///     }
  ///
  /// When it returns, the transaction is on disk, and in the folder if that is there. Other
  /// processes' writes wait meanwhile: keep `body` short.
  /// - parameter body: Runs at once; if it throws, nothing is written.
  /// - throws: What `body` throws, or ``FeedSyncError``: `.tryAgain` if another process holds the
  ///   database for half a minute, or another database was put in the place of this one,
  ///   `.cannotWrite` if the disk is full, `.noContainer` if another container stands under the
  ///   folder's path, `.usage` and `.tryAgain` inside another transaction, as `read`.
  @discardableResult
  public func write<Value>(
    _ body: (WriteTransaction) throws -> Value
  ) throws -> WriteResult<Value> {
    try commit("write") { writer in
      let transaction = WriteTransaction(writer)
      defer { transaction.end(&writer) }
      return try body(transaction)
    }
  }

  /// Runs a local transaction, and publishes it.
  func commit<Value>(
    _ operation: String, _ body: (inout StoreWriter) throws -> Value
  ) throws -> WriteResult<Value> {
    try commit(
      operation,
      writing: { isPublishedAtOnce in
        var value: Value?
        let result = try device.database.writeDocuments(
          now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: isPublishedAtOnce
        ) { value = try body(&$0) }
        guard let value else {
          throw FeedSyncError(.software, operation: operation, message: "the body did not run")
        }
        return (value, result)
      })
  }

  /// Publishes what `write` writes in a local transaction, which is told whether it will be.
  func commit<Value>(
    _ operation: String,
    writing write: (_ isPublishedAtOnce: Bool) throws -> (Value, StoreWriter.Result)
  ) throws -> WriteResult<Value> {
    try transaction(operation) {
      // Another container under the path ends it here; whatever comes later, the write stands.
      let absence = try device.absence()
      let (value, result) = try write(absence == nil)
      return WriteResult(
        value: value, changedCount: result.changed, transaction: TransactionID(result),
        publishingFailure: absence.map { FeedSyncError($0, operation: "publish") } ?? publish())
    }
  }

  /// Writes in one transaction without blocking the caller's thread.
  @discardableResult
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Value
  ) async throws -> WriteResult<Value> {
    try await run { try self.write(body) }
  }

  /// Words the store's own errors; those of the caller's body are its own.
  func transaction<Value>(
    _ operation: String, _ run: () throws -> Value
  ) throws -> Value {
    do {
      return try run()
    } catch {
      guard FeedSyncError.isOfThisPackage(error) else { throw error }
      throw FeedSyncError(error, operation: operation)
    }
  }

  func publish() -> FeedSyncError? {
    do {
      try Publisher(device: device).publishOwn(remembering: publishing)
      return nil
    } catch {
      return FeedSyncError(error, operation: "publish")
    }
  }

  /// Does blocking work on a thread that is not one of those that all tasks share; cancelling the
  /// caller's task cancels what looks at it.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let task = Task(executorPreference: BlockingExecutor.shared) { try body() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
