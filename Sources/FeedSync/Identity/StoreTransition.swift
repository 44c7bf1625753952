import DocumentStorage
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

/// Decides when the folder goes and comes back, from what an import tells.
struct TransitionMachine {
  private var isAway: Bool

  /// - parameter isAway: Whether the folder is away: that it is at the start is no transition.
  init(isAway: Bool) { self.isAway = isAway }

  mutating func input(_ event: WatchEvent) -> StoreTransition? {
    switch event {
    case .failed(let error as ContainerError):
      guard !isAway, error.isAbsence else { return nil }
      isAway = true
      return .accountRemoved
    case .recovered:
      defer { isAway = false }
      return isAway ? .accountAdded : nil
    // Another process may import as well: the database tells of the first.
    case .failed, .watching, .mode, .imported, .gap, .setAside, .restored, .revived,
      .removalsGivenUp:
      return nil
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
    do {
      // Before this process imports, which may be done with the first import at once.
      let isInitial = try database.hasImportedNothing()
      // Where the last look found it, the next tells that it is away, and so when it is back. Of a
      // session that begins now it is not asked: its first look is told before what that found.
      let isFound = importing.hasLooked && importing.failure == nil
      // Before the folder is looked at, so that what becomes of it meanwhile is not missed.
      let events = importEvents()
      let start = TransitionMachine(isAway: try device.absence() != nil && !isFound)
      let (looks, look) = AsyncStream<Void>.makeStream()
      let firstImport = isInitial ? tellFirstImport(to: continuation, after: looks) : nil
      if importing.hasLooked { look.finish() }
      let task = Task {
        defer { firstImport?.cancel() }
        var machine = start
        do {
          for try await event in events {
            if case .watching = event { look.finish() }
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

  /// Tells of the first import that brings something of other devices, whoever makes it: this
  /// process for those who follow, the program itself, or another process.
  ///
  /// - parameter looks: Ends when this process has looked at all that was in the folder, which may
  ///   have been imported in many parts.
  private func tellFirstImport(
    to continuation: AsyncThrowingStream<StoreTransition, any Error>.Continuation,
    after looks: AsyncStream<Void>
  ) -> Task<Void, Never> {
    Task {
      for await _ in looks {}
      guard !Task.isCancelled else { return }
      // Before the first look at the database.
      let subscription = Subscription(store: self, isImporting: false)
      let database = database
      do {
        while try await run({ try database.hasImportedNothing() }) {
          guard await subscription.wait() else { return }
        }
        continuation.yield(.initialImportCompleted)
      } catch {
        continuation.finish(throwing: FeedSyncError(error, operation: "follow the store"))
      }
    }
  }

  /// What the import tells that this process does for those who follow.
  private func importEvents() -> AsyncThrowingStream<WatchEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
    let share = importing.share(
      container.device,
      wake: { [weak importing] in continuation.finish(throwing: importing?.failure) },
      report: { continuation.yield($0) })
    continuation.onTermination = { _ in withExtendedLifetime(share) {} }
    return stream
  }
}

extension StoreDatabase {
  /// Whether nothing of another device has been imported yet.
  func hasImportedNothing() throws -> Bool {
    try streamSummaries().allSatisfy { $0.isOwn || $0.tips.isEmpty }
  }
}
