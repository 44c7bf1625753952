import Synchronization
import SystemPackage

extension FileCoordinator {
  /// Asks presenters once for many accesses that follow.
  ///
  /// Presenters of the items, and of all that is in them, are asked to give way and to save. The
  /// accesses that this coordinator makes before the batch is completed do not ask them again; each
  /// still has to be made, since the batch itself claims nothing.
  ///
  ///     try coordinator.prepare(reading: [folder]) { batch in
  ///       defer { batch.complete() }
  ///       for file in files { try coordinator.read(file) { … } }
  ///     }
  ///
  /// - parameter accessor: calls ``PreparedBatch/complete()`` when the last access has been made.
  @discardableResult
  public func prepare<Value>(
    reading: [FilePath] = [], _ options: FileAccessIntent.ReadingOptions = [],
    writing: [FilePath] = [], _ kind: FileAccessIntent.Writing = .plain,
    timeout: Duration? = nil, _ accessor: (PreparedBatch) throws -> Value
  ) throws -> Value {
    let intents =
      reading.map { FileAccessIntent.reading($0, options) }
      + writing.map { FileAccessIntent.writing($0, kind) }
    try checkQueue(before: intents)
    let access = try PendingAccess(intents, by: self, timeout: timeout, isBatch: true)
    let waiter = Waiter<[ItemPath]>()
    try access.begin { waiter.finish($0) }
    _ = try access.wait(waiter)
    try access.takeTurn { $0.batches.insert(access.batchKey) }
    return try accessor(PreparedBatch(of: self, access.batchKey))
  }
}

/// Accesses for which presenters have been asked already.
public final class PreparedBatch: Sendable {
  private let coordinator: FileCoordinator
  private let key: CoordinationKey
  private let isComplete = Mutex(false)

  init(of coordinator: FileCoordinator, _ key: CoordinationKey) {
    self.coordinator = coordinator
    self.key = key
  }

  /// Lets presenters go on; the second call does nothing.
  ///
  /// A batch that nobody has any more is complete, too.
  public func complete() {
    let isFirst = isComplete.withLock { isComplete in
      defer { isComplete = true }
      return !isComplete
    }
    guard isFirst else { return }
    coordinator.state.withLock { _ = $0.batches.remove(key) }
    coordinator.node.release(key, [])
  }

  deinit { complete() }
}
