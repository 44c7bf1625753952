import Dispatch
import Synchronization
import SystemPackage

extension FileCoordinator {
  /// Accesses several items as one, on a queue, without blocking a thread while it waits.
  ///
  ///     try await coordinator.coordinate([.writing(path)], on: queue) { paths in … }
  ///
  /// A task that is cancelled while it waits gives up; an accessor that runs is left alone.
  ///
  /// - parameters:
  ///   - queue: where the accessor runs; nil: on one of the system's.
  ///   - accessor: gets the paths in the order of the intents.
  /// - throws: ``CoordinationError``, and what the accessor throws.
  public func coordinate<Value: Sendable>(
    _ intents: [FileAccessIntent], on queue: DispatchQueue? = nil, timeout: Duration? = nil,
    _ accessor: @escaping @Sendable ([FilePath]) throws -> Value
  ) async throws -> Value {
    let access = try PendingAccess(intents, by: self, timeout: timeout)
    let queue = queue ?? .global()
    let context = CoordinationContext.current
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let once = Mutex<CheckedContinuation<Value, any Error>?>(continuation)
        let box = OneAnswer(once)
        do {
          try access.begin { result in
            queue.async {
              guard let continuation = box.take() else { return access.abandon() }
              CoordinationContext.$current.withValue(context) {
                continuation.resume(
                  with: Result { try access.run(try result.get(), accessor) })
              }
            }
          }
          access.listen()
        } catch {
          box.take()?.resume(throwing: error)
        }
        if let limit = access.backstop {
          queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))) {
            guard access.isWaiting, let continuation = box.take() else { return }
            continuation.resume(throwing: access.giveUp())
          }
        }
      }
    } onCancel: {
      access.cancel()
    }
  }
}

/// A continuation that is resumed once, by whoever comes first.
private final class OneAnswer<Value: Sendable>: Sendable {
  private let stored: Mutex<CheckedContinuation<Value, any Error>?>

  init(_ stored: consuming Mutex<CheckedContinuation<Value, any Error>?>) {
    self.stored = stored
  }

  func take() -> CheckedContinuation<Value, any Error>? {
    stored.withLock { stored in
      defer { stored = nil }
      return stored
    }
  }
}
