import SharedFolder
import Syncing

/// What happens to a store as a whole while a program follows it.
///
/// After Apple's transition types for iCloud stores. Nothing is swapped under the program: there is
/// one database from the first write on, which takes writes through all of this.
public enum StoreTransition: String, Sendable {
  /// The folder is there again, after ``accountRemoved``; what waited is published.
  case accountAdded
  /// The folder or its marker has gone: writes stay here until it comes back.
  case accountRemoved
  /// The first import on this device that brought something of other devices.
  case initialImportCompleted
}

/// Decides which transitions there are, from what an import tells.
struct TransitionMachine {
  private var isAway: Bool
  private var isInitial: Bool

  /// - parameters:
  ///   - isAway: Whether the folder is away: that it is at the start is no transition.
  ///   - isInitial: Whether nothing of another device has been imported yet.
  init(isAway: Bool, isInitial: Bool) {
    self.isAway = isAway
    self.isInitial = isInitial
  }

  mutating func input(_ event: WatchEvent) -> StoreTransition? {
    switch event {
    case .failed(let error as ContainerError):
      guard !isAway, error.isAbsence else { return nil }
      isAway = true
      return .accountRemoved
    case .recovered:
      defer { isAway = false }
      return isAway ? .accountAdded : nil
    case .imported:
      defer { isInitial = false }
      return isInitial ? .initialImportCompleted : nil
    case .failed, .watching, .mode, .gap, .setAside, .restored, .revived: return nil
    }
  }
}

extension DocumentStore {
  /// What happens to the store as a whole from now on, in order.
  ///
  ///     for try await transition in store.transitions where transition == .accountRemoved { … }
  ///
  /// While it lives, this process imports what arrives, as with ``changes``. What came before is
  /// not told: `absence` of ``UbiquityContainer`` says how it is now. Throws ``FeedSyncError`` with
  /// `.noContainer` if another container stands under the folder's path.
  public var transitions: AsyncThrowingStream<StoreTransition, any Error> {
    let (stream, continuation) = AsyncThrowingStream<StoreTransition, any Error>.makeStream()
    // First, so that what comes while the rest is looked at is not missed.
    let events = importEvents()
    do {
      let start = TransitionMachine(
        isAway: try device.absence() != nil,
        isInitial: try device.database.streamSummaries().allSatisfy {
          $0.isOwn || $0.tips.isEmpty
        })
      let task = Task {
        var machine = start
        do {
          for try await event in events {
            if let transition = machine.input(event) { continuation.yield(transition) }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    } catch {
      continuation.finish(throwing: FeedSyncError(error, operation: "follow the store"))
    }
    return stream
  }

  /// What the import tells that this process does for those who follow.
  private func importEvents() -> AsyncThrowingStream<WatchEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
    let share = importing.share(
      device, wake: { [weak importing] in continuation.finish(throwing: importing?.failure) },
      report: { continuation.yield($0) })
    continuation.onTermination = { _ in withExtendedLifetime(share) {} }
    return stream
  }
}
