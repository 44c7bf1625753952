import Dispatch
import SystemPackage

extension FileCoordinator {
  /// Accesses several items as one, on a queue, without blocking a thread while it waits.
  ///
  ///     try await coordinator.coordinate([.writing(path)], on: queue) { paths in … }
  ///
  /// A task that is cancelled while it waits gives up; an accessor that runs is left alone. The
  /// time-out counts until the accessor begins, should the queue be busy.
  ///
  /// - parameters:
  ///   - queue: where the accessor runs; nil: on one of the system's, or a thread of its own.
  ///   - accessor: gets the paths in the order of the intents.
  /// - throws: ``CoordinationError``, and what the accessor throws.
  @discardableResult
  public func coordinate<Value: Sendable>(
    _ intents: [FileAccessIntent], on queue: DispatchQueue? = nil, timeout: Duration? = nil,
    _ accessor: @escaping @Sendable ([FilePath]) throws -> Value
  ) async throws -> Value {
    let context = CoordinationContext.current
    let call = AwaitedAccess<Value>(firstPath: intents.first?.path.string ?? "")
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        call.begin(continuation)
        // It may have been cancelled before there was anybody to tell.
        guard !Task.isCancelled else { return call.cancel() }
        // Until then there is nothing in the queue that could be given up.
        guard let lookup = beginLookingUp(endingBy: { call.cancel() }) else { return call.cancel() }
        // On a thread that may wait: a file system whose server is gone lets nobody go who asks it
        // anything, an arbiter may have to be looked for, and of the threads that all tasks share
        // there are as many as processors.
        BlockingCalls.ofProcess.run {
          defer { self.state.withLock { $0.waiting[lookup] = nil } }
          CoordinationContext.$current.withValue(context) {
            self.ask(for: intents, timeout: timeout, call) { access, paths in
              Self.run(on: queue) {
                CoordinationContext.$current.withValue(context) {
                  call.run(access, on: paths, accessor)
                }
              }
            }
          }
        }
        call.giveUpLookingUp(after: timeout.map { $0 + PendingAccess.grace })
      }
    } onCancel: {
      call.cancel()
    }
  }

  private static func run(
    on queue: DispatchQueue?, _ body: @escaping @Sendable () -> Void
  ) {
    if let queue { queue.async(execute: body) } else { BlockingCalls.ofProcess.run(body) }
  }

  /// Has an access end with the coordinator that is not asked for yet; nil: that is cancelled.
  private func beginLookingUp(endingBy end: @escaping @Sendable () -> Void) -> CoordinationKey? {
    let key = node.nextKey()
    return state.withLock { state in
      guard !state.isCancelled else { return nil }
      state.waiting[key] = end
      return key
    }
  }

  /// Asks for an access; `run` is called when its turn has come, on any thread.
  private func ask<Value>(
    for intents: [FileAccessIntent], timeout: Duration?, _ call: AwaitedAccess<Value>,
    _ run: @escaping @Sendable (PendingAccess, [ItemPath]) -> Void
  ) {
    do {
      let access = try PendingAccess(intents, by: self, timeout: timeout)
      // Whoever ends it from now on gives up the access, too.
      guard call.found(access) else { return }
      try access.begin(endingBy: { call.cancel() }) { result in
        switch result {
        case .failure(let error):
          // Not on the queue, which may have other things to do for long.
          access.stopWaiting()
          call.fail(error)
        case .success(let paths):
          // Ended before it was asked for: not on the queue, as above.
          guard call.isAwaited else { return access.giveBack() }
          run(access, paths)
        }
      }
      access.listen()
      call.giveUpWaiting(after: access.limit)
      // Whoever ended it while it was being asked for found nothing yet to give up.
      if call.isEndedEarly { access.giveBack() }
    } catch {
      call.fail(error)
    }
  }
}
