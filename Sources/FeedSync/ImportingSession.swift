import Dispatch
import FolderWatching
import Synchronization
import Syncing
import SystemPackage

/// The import that runs while somebody follows a store; several followers share it.
final class ImportingSession: Sendable {
  private struct State {
    var shares = 0
    var task: Task<Void, Never>?
    var failure: FeedSyncError?
    var fatal: FeedSyncError?
  }
  private let state = Mutex(State())

  /// Why the last look into the folder failed; nil if it did not.
  var failure: FeedSyncError? { state.withLock { $0.fatal ?? $0.failure } }

  /// A follower's part in the session, which ends with the last one.
  final class Share: Sendable {
    private let session: ImportingSession

    fileprivate init(_ session: ImportingSession) { self.session = session }

    deinit { session.release() }

    /// What has ended the session for good.
    var fatalError: FeedSyncError? { session.state.withLock { $0.fatal } }
  }

  /// Starts the session if it does not run.
  ///
  /// - parameter onEnd: is called if it ends by itself, by an error that no later look may mend.
  func share(_ device: Syncing.Device, onEnd: @escaping @Sendable () -> Void) -> Share {
    state.withLock { state in
      state.shares += 1
      guard state.task == nil else { return }
      state.fatal = nil
      state.task = Task(executorPreference: ImportExecutor.shared) {
        await self.run(device)
        onEnd()
      }
    }
    return Share(self)
  }

  private func release() {
    state.withLock { state in
      state.shares -= 1
      guard state.shares == 0 else { return }
      state.task?.cancel()
      state.task = nil
    }
  }

  private func run(_ device: Syncing.Device) async {
    do {
      try await Self.run(device) { event in
        switch event {
        case .failed(let error):
          let described = FeedSyncError(error, operation: "import")
          self.state.withLock { $0.failure = described }
        case .recovered: self.state.withLock { $0.failure = nil }
        default: break
        }
      }
    } catch is CancellationError {
      return
    } catch {
      let described = FeedSyncError(error, operation: "import")
      state.withLock { $0.fatal = described }
    }
  }

  /// Imports what arrives until the task is cancelled; a folder that is away is waited for.
  static func run(
    _ device: Syncing.Device, _ report: @escaping @Sendable (WatchEvent) -> Void
  ) async throws {
    let state = device.database.file.removingLastComponent()
    let watcher = FolderWatcher(
      container: device.container.root, cookies: state.appending("cookies"))
    do {
      try await WatchSession(device: device, watcher: watcher).run(waitsForFolder: true, report)
    } catch WatchError.alreadyRunning {
      // libinotifytools watches one folder in a process; a second one is polled.
      let polling = FolderWatcher(backend: PollingBackend(reason: .watcherTaken))
      try await WatchSession(device: device, watcher: polling).run(waitsForFolder: true, report)
    }
  }
}

/// Runs the import on a thread of its own: it reads files and waits for the disk.
private final class ImportExecutor: TaskExecutor {
  static let shared = ImportExecutor()
  private let queue = DispatchQueue(label: "feedsync.import", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
