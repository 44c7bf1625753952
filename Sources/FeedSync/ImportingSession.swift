import FolderWatching
import SharedFolder
import Synchronization
import Syncing
import SystemPackage

/// The import that runs while somebody follows a store; several followers share it.
package final class ImportingSession: Sendable {
  private struct Follower: Sendable {
    let wake: @Sendable () -> Void
    let report: @Sendable (WatchEvent) -> Void
  }
  private struct State {
    var shares: [Int: Follower] = [:]
    var nextShare = 0
    var task: Task<Void, Never>?
    /// Counts the sessions, so that one that ends late does not speak for a newer one.
    var generation = 0
    /// Whether the session has looked at all that there was when it began.
    var hasLooked = false
    var failure: FeedSyncError?
    var fatal: FeedSyncError?
  }
  private let state = Mutex(State())

  /// Why the last look into the folder failed; nil if it did not, or nobody follows.
  var failure: FeedSyncError? { state.withLock { $0.fatal ?? $0.failure } }

  /// Whether the session's first look is done; if not, it tells so once it is.
  var hasLooked: Bool { state.withLock { $0.hasLooked } }

  /// A follower's part in the session, which ends with the last one.
  final class Share: Sendable {
    private let session: ImportingSession
    private let number: Int

    fileprivate init(_ session: ImportingSession, number: Int) {
      self.session = session
      self.number = number
    }

    deinit { session.release(number) }

    /// What has ended the session for good.
    var fatalError: FeedSyncError? { session.state.withLock { $0.fatal } }
  }

  /// Starts the session if none runs, or the last one has ended by an error.
  ///
  /// - parameters:
  ///   - wake: is called if the session ends by an error that no later look may mend.
  ///   - report: is called with what the session tells from now on.
  func share(
    _ device: Syncing.Device, wake: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (WatchEvent) -> Void = { _ in }
  ) -> Share {
    let number = state.withLock { state in
      let number = state.nextShare
      state.nextShare += 1
      state.shares[number] = Follower(wake: wake, report: report)
      // One that is there for nobody else is ending: it was cancelled with its last follower.
      if state.shares.count == 1 || state.fatal != nil { start(device, &state) }
      return number
    }
    return Share(self, number: number)
  }

  private func start(_ device: Syncing.Device, _ state: inout State) {
    let former = state.task
    state.generation += 1
    state.hasLooked = false
    state.failure = nil
    state.fatal = nil
    let generation = state.generation
    state.task = Task {
      // The one before may still hold what only one in a process can have.
      await former?.value
      await self.run(device, generation)
    }
  }

  private func release(_ number: Int) {
    state.withLock { state in
      state.shares[number] = nil
      guard state.shares.isEmpty else { return }
      state.task?.cancel()
      state.hasLooked = false
      state.failure = nil
      // Kept, so that a session that follows can wait for its end; never a reason not to start.
      state.fatal = nil
      state.generation += 1
      guard let ending = state.task else { return }
      let generation = state.generation
      Task {
        await ending.value
        self.state.withLock { if $0.generation == generation { $0.task = nil } }
      }
    }
  }

  private func run(_ device: Syncing.Device, _ generation: Int) async {
    do {
      // Whoever has found the folder away hears of its return also if no look fails.
      try await Self.run(device, isFailing: true) { event in
        switch event {
        case .failed(let error):
          let described = FeedSyncError(error, operation: "import")
          self.note(generation) { $0.failure = described }
        case .watching: self.note(generation) { $0.hasLooked = true }
        case .recovered: self.note(generation) { $0.failure = nil }
        default: break
        }
        for follower in self.followers(of: generation) { follower.report(event) }
      }
    } catch {
      // Its last follower has cancelled it; nobody else may end it unheard.
      guard !Task.isCancelled else { return }
      let described = FeedSyncError(error, operation: "import")
      note(generation) { $0.fatal = described }
      for follower in followers(of: generation) { follower.wake() }
    }
  }

  /// Those who follow a session; nobody, once another one has begun.
  private func followers(of generation: Int) -> [Follower] {
    state.withLock { $0.generation == generation ? Array($0.shares.values) : [] }
  }

  private func note(_ generation: Int, _ change: (inout State) -> Void) {
    state.withLock { if $0.generation == generation { change(&$0) } }
  }
}

// MARK: - Running

extension ImportingSession {
  private static let silenceInterval = Duration.seconds(5)

  /// Imports what arrives until the task is cancelled; a folder that is away is waited for.
  ///
  /// - parameter isFailing: Whether also the first look is told if it does not fail
  ///   (``WatchEvent/recovered``).
  package static func run(
    _ device: Syncing.Device, isFailing: Bool = false,
    _ report: @escaping @Sendable (WatchEvent) -> Void
  ) async throws {
    // Reading files and waiting for the disk is not for the threads that all tasks share.
    try await withTaskExecutorPreference(BlockingExecutor.shared) {
      let device = try await reachable(device, report)
      let telling = Telling(isFailing: isFailing, report)
      let state = device.database.file.removingLastComponent()
      while !Task.isCancelled {
        let watcher = FolderWatcher(
          container: device.container.root, cookies: state.appending("cookies"))
        do {
          let session = WatchSession(device: device, watcher: watcher)
          return try await session.run(waitsForFolder: true, isFailing: telling.isFailing) {
            telling.tell($0)
          }
        } catch WatchError.alreadyRunning {
          try await pollUntilWatcherIsFree(device, telling)
        }
      }
    }
  }

  /// Polls as long as another container has what libinotifytools has once in a process.
  private static func pollUntilWatcherIsFree(
    _ device: Syncing.Device, _ telling: Telling
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let polling = FolderWatcher(backend: PollingBackend(reason: .watcherTaken))
        try await WatchSession(device: device, watcher: polling)
          .run(waitsForFolder: true, isFailing: telling.isFailing) { telling.tell($0) }
      }
      group.addTask { await InotifyToolsBackend.waitUntilFree() }
      // Either the session has failed, or it need not poll any more.
      try await group.next()
      group.cancelAll()
    }
  }

  /// Waits until the folder's file system answers.
  private static func reachable(
    _ device: Syncing.Device, _ report: (WatchEvent) -> Void
  ) async throws -> Syncing.Device {
    var device = device.asked()
    guard device.isOutOfReach else { return device }
    report(.failed(ContainerError.unreachable(device.container.root, .timedOut)))
    while device.isOutOfReach {
      try await Task.sleep(for: silenceInterval)
      device = device.asked()
    }
    report(.recovered)
    return device
  }
}

/// Tells what several sessions do, one after another, and whether the last look of one had failed,
/// which the next goes on from.
private final class Telling: Sendable {
  private let report: @Sendable (WatchEvent) -> Void
  private let state: Mutex<Bool>

  init(isFailing: Bool, _ report: @escaping @Sendable (WatchEvent) -> Void) {
    state = Mutex(isFailing)
    self.report = report
  }

  var isFailing: Bool { state.withLock { $0 } }

  func tell(_ event: WatchEvent) {
    report(event)
    switch event {
    case .failed: state.withLock { $0 = true }
    case .recovered: state.withLock { $0 = false }
    default: break
    }
  }
}
