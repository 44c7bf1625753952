import Dispatch
import Synchronization
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
  ///   - queue: where the accessor runs; nil: on one of the system's.
  ///   - accessor: gets the paths in the order of the intents.
  /// - throws: ``CoordinationError``, and what the accessor throws.
  public func coordinate<Value: Sendable>(
    _ intents: [FileAccessIntent], on queue: DispatchQueue? = nil, timeout: Duration? = nil,
    _ accessor: @escaping @Sendable ([FilePath]) throws -> Value
  ) async throws -> Value {
    let context = CoordinationContext.current
    let access = try await pendingAccess(intents, timeout: timeout, in: context)
    let queue = queue ?? .global()
    let box = OneAnswer<Value>()
    let end: @Sendable () -> Void = {
      access.cancel()
      // One whose turn has come may wait for its queue.
      box.take()?.resume(throwing: access.withdraw())
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        box.put(continuation)
        do {
          try access.begin(endingBy: end) { result in
            switch result {
            case .failure(let error):
              // Not on the queue, which may have other things to do for long.
              access.stopWaiting()
              box.take()?.resume(throwing: error)
            case .success(let paths):
              // Cancelled before it was asked for: not on the queue, as above.
              guard !box.isEmpty else {
                access.stopWaiting()
                return access.abandon()
              }
              queue.async {
                guard let continuation = box.take() else {
                  access.stopWaiting()
                  return access.abandon()
                }
                CoordinationContext.$current.withValue(context) {
                  continuation.resume(with: Result { try access.run(paths, accessor) })
                }
              }
            }
          }
          access.listen()
          // It may have been cancelled before there was anything to take.
          if Task.isCancelled { box.take()?.resume(throwing: access.withdraw()) }
        } catch {
          box.take()?.resume(throwing: error)
        }
        if let limit = access.backstop {
          let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))
          DispatchQueue.global().asyncAfter(deadline: deadline) {
            guard access.isWaiting, let continuation = box.take() else { return }
            continuation.resume(throwing: access.giveUp())
          }
        }
      }
    } onCancel: {
      end()
    }
  }

  /// Finds the items on a thread that may wait: a file system whose server is gone lets nobody go
  /// who asks it anything, and of those that all tasks share there are as many as processors.
  private func pendingAccess(
    _ intents: [FileAccessIntent], timeout: Duration?, in context: CoordinationContext
  ) async throws -> PendingAccess {
    let box = OneAnswer<PendingAccess>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        box.put(continuation)
        DispatchQueue.global().async {
          let access = Result {
            try CoordinationContext.$current.withValue(context) {
              try PendingAccess(intents, by: self, timeout: timeout)
            }
          }
          box.take()?.resume(with: access)
        }
        // It may have been cancelled before there was anything to take.
        if Task.isCancelled { box.take()?.resume(throwing: Self.cancelled(intents)) }
      }
    } onCancel: {
      box.take()?.resume(throwing: Self.cancelled(intents))
    }
  }

  private static func cancelled(_ intents: [FileAccessIntent]) -> CoordinationError {
    .cancelled(path: intents.first?.path.string ?? "")
  }
}

/// A continuation that is resumed once, by whoever comes first.
private final class OneAnswer<Value: Sendable>: Sendable {
  private let stored = Mutex<CheckedContinuation<Value, any Error>?>(nil)

  func put(_ continuation: CheckedContinuation<Value, any Error>) {
    stored.withLock { $0 = continuation }
  }

  /// Whether it is resumed, or about to be.
  var isEmpty: Bool { stored.withLock { $0 == nil } }

  func take() -> CheckedContinuation<Value, any Error>? {
    stored.withLock { stored in
      defer { stored = nil }
      return stored
    }
  }
}
