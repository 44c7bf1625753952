/// The identity that stands under a container's path, each time that it changes.
///
///     for await token in container.identityChanges {
///       show(isAvailable: token == container.ownIdentityToken)
///     }
///
/// A folder that goes away and comes back between two looks is not told; they are two seconds
/// apart. It ends when the task that iterates is cancelled.
public struct IdentityChanges: AsyncSequence, Sendable {
  let container: UbiquityContainer
  let interval: Duration
  let start: UbiquityIdentityToken?

  /// Begins with what stood there when the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(container: container, interval: interval, last: start)
  }

  /// Delivers identities one by one.
  public struct Iterator: AsyncIteratorProtocol {
    let container: UbiquityContainer
    let interval: Duration
    var last: UbiquityIdentityToken?

    /// Waits for the next; nil inside if there is none now, nil once the task is cancelled.
    public mutating func next() async -> UbiquityIdentityToken?? {
      while (try? await Task.sleep(for: interval)) != nil {
        let container = container
        let look = Task(executorPreference: BlockingExecutor.shared) { container.identityToken }
        let now = await look.value
        guard now != last else { continue }
        last = now
        return .some(now)
      }
      return nil
    }
  }
}

extension UbiquityContainer {
  private static let identityInterval = Duration.seconds(2)

  /// The identity under this container's path from now on, each time that it changes.
  public var identityChanges: IdentityChanges {
    identityChanges(interval: Self.identityInterval)
  }

  package func identityChanges(interval: Duration) -> IdentityChanges {
    IdentityChanges(container: self, interval: interval, start: identityToken)
  }
}
