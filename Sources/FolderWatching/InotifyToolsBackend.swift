import CInotifyTools
import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Finds changes through inotify, by libinotifytools, on a thread of its own.
///
/// The library is global to the process, so only one of these runs at a time. Nothing wakes the
/// thread but events; what others want of it they note in `shared` and then touch the cookie.
package final class InotifyToolsBackend: WatchBackend {
  private struct Shared {
    var isRunning = false
    var mustStop = false
    var mustTick = false
    /// How to wake the thread where no cookie can be written.
    var interruption: (descriptor: Int32, watch: Int32)?
    var stopped: [CheckedContinuation<Void, Never>] = []
  }
  private let shared = Mutex(Shared())
  private let container: FilePath
  private let cookies: CookieFile
  private let fileSystem: @Sendable (FilePath) -> String?

  private static let turn = ProcessTurn()

  /// Waits until no backend of this process uses the library; returns at once if the task is
  /// cancelled.
  package static func waitUntilFree() async { await turn.waitUntilFree() }

  /// A backend that does nothing yet.
  ///
  /// - parameters:
  ///   - container: The container; its `logs/` is watched, and need not be there yet.
  ///   - cookies: A directory for cookie files alone, made if missing, on a local file system.
  ///   - fileSystem: Names the file system of a path if it reports no remote changes.
  package init(
    container: FilePath, cookies: FilePath,
    fileSystem: @escaping @Sendable (FilePath) -> String? = {
      InotifyToolsBackend.remoteName(of: $0)
    }
  ) {
    self.container = container
    self.cookies = CookieFile(directory: cookies)
    self.fileSystem = fileSystem
  }

  /// By the mount table first: a server that does not answer would hold the question itself, and
  /// with it the process's only watcher.
  package static func remoteName(of path: FilePath) -> String? {
    if let place = MountTable.current()?.remotePlace(of: path) { return place.name }
    guard case .remote(let name)? = try? LinuxFileSystem().kind(of: path) else { return nil }
    return name
  }

  /// What `ps -T` shows.
  private static let threadName = "feedsync-watch"

  package func start(
    deliver: @escaping @Sendable (WatchSignal) -> Void
  ) async throws(WatchError) -> WatchMode {
    guard Self.turn.take() else { throw .alreadyRunning }
    shared.withLock {
      $0 = Shared()
      $0.isRunning = true
    }
    let result = await withCheckedContinuation { started in
      do throws(Errno) {
        // Of its own, since libinotifytools blocks and is to be called from one thread alone.
        try DetachedThread.run {
          pthread_setname_np(pthread_self(), Self.threadName)
          self.run(deliver: deliver, started: started)
        }
      } catch {
        ended()
        started.resume(returning: .failure(.unavailable(.unavailable(error))))
      }
    }
    return try result.get()
  }

  package func touchCookie(_ id: UInt64) throws(Errno) {
    do throws(Errno) {
      try cookies.touch(id)
    } catch {
      interrupt()
      throw error
    }
  }

  package func tick() {
    shared.withLock { $0.mustTick = true }
    wake()
  }

  package func stop() async {
    await withCheckedContinuation { stopped in
      let isRunning = shared.withLock { shared in
        shared.mustStop = true
        if shared.isRunning { shared.stopped.append(stopped) }
        return shared.isRunning
      }
      if isRunning { wake() } else { stopped.resume() }
    }
  }

  /// Makes the thread look at `shared`.
  private func wake() {
    do { try cookies.touch(0) } catch { interrupt() }
  }

  /// Wakes the thread where no cookie can be touched, and has it subscribe anew.
  ///
  /// The state directory may be gone or read-only. The end of the watch on it is an event too;
  /// this is a call to the kernel and does not touch the library.
  private func interrupt() {
    shared.withLock { shared in
      guard let interruption = shared.interruption else { return }
      inotify_rm_watch(interruption.descriptor, interruption.watch)
    }
  }
}

// MARK: - On the thread

extension InotifyToolsBackend {
  private typealias Deliver = @Sendable (WatchSignal) -> Void
  /// What the user was last told, and what there was to tell.
  private struct Told {
    var mode: WatchMode
    var hadLogs: Bool
  }
  private typealias Started = CheckedContinuation<Result<WatchMode, WatchError>, Never>

  private func run(deliver: Deliver, started: Started) {
    do throws(WatchError) {
      let first = try subscribe()
      let mode = mode(of: first, hadLogs: false)
      started.resume(returning: .success(mode))
      follow(first, mode: mode, deliver: deliver)
    } catch {
      ended()
      started.resume(returning: .failure(error))
    }
  }

  /// Delivers what happens, through as many subscriptions as it takes, until told to stop.
  private func follow(_ first: InotifySubscription, mode: WatchMode, deliver: Deliver) {
    var subscription = first
    var told = Told(mode: mode, hadLogs: first.hasLogs)
    do throws(WatchError) {
      while try serve(subscription, &told, deliver: deliver) {
        // The library has but one instance, so the old one ends first. What happens until the
        // new one watches is found by the rescan that is asked for after it.
        end(subscription)
        subscription = try subscribe()
        tellMode(of: subscription, &told, deliver: deliver)
        deliver(.event(subscription.hasLogs ? .overflow : .rootGone))
      }
      end(subscription)
    } catch {
      if case .unavailable(let reason) = error { deliver(.ended(reason)) }
    }
    ended()
  }

  /// Delivers the events of one subscription; returns whether another is needed.
  private func serve(
    _ subscription: InotifySubscription, _ told: inout Told, deliver: Deliver
  ) throws(WatchError) -> Bool {
    var hasWorked = false
    while true {
      // Looked at before each wait: a cookie touched before this subscription wakes nobody.
      let orders = takeOrders()
      if orders.stop { return false }
      if orders.tick {
        if subscription.isStale { return true }
        deliver(.event(.rescan))
      }
      do {
        switch try subscription.next() {
        case .ignore: break
        case .resubscribe: return true
        case .cookie(let number): deliver(.cookie(number))
        case .changed(let stream): deliver(.event(.changed(stream)))
        case .appeared(let stream):
          // It may be the one for which no watch was left.
          tellMode(of: subscription, &told, deliver: deliver)
          deliver(.event(.appeared(stream)))
        }
        hasWorked = true
      } catch {
        if error == .interrupted { continue }
        deliver(.event(.failed(error)))
        guard hasWorked else {
          end(subscription)
          throw .unavailable(.unavailable(error))
        }
        return true
      }
    }
  }

  private func tellMode(
    of subscription: InotifySubscription, _ told: inout Told, deliver: Deliver
  ) {
    let mode = mode(of: subscription, hadLogs: told.hadLogs)
    if mode != told.mode { deliver(.event(.mode(mode))) }
    told.mode = mode
    told.hadLogs = told.hadLogs || subscription.hasLogs
  }

  private func takeOrders() -> (stop: Bool, tick: Bool) {
    shared.withLock { shared in
      defer { shared.mustTick = false }
      return (shared.mustStop, shared.mustTick)
    }
  }

  private func subscribe() throws(WatchError) -> InotifySubscription {
    let paths = InotifySubscription.Paths(container: container, cookies: cookies)
    for path in [paths.container, paths.logs] {
      if let name = fileSystem(path) { throw .unavailable(.fileSystem(name)) }
    }
    let subscription = try InotifySubscription(paths: paths)
    let interruption = subscription.interruption
    shared.withLock { $0.interruption = interruption }
    return subscription
  }

  private func end(_ subscription: InotifySubscription) {
    shared.withLock { $0.interruption = nil }
    subscription.end()
  }

  /// A folder that was there and is not may come back by a mount, which makes no event.
  private func mode(of subscription: InotifySubscription, hadLogs: Bool) -> WatchMode {
    if let reason = subscription.shortcoming { return .polling(reason) }
    let isMissing = !subscription.hasContainer || hadLogs && !subscription.hasLogs
    return isMissing ? .polling(.folderMissing) : .inotify
  }

  private func ended() {
    cookies.close()
    let stopped = shared.withLock { shared in
      shared.isRunning = false
      return shared.stopped
    }
    Self.turn.giveBack()
    for continuation in stopped { continuation.resume() }
  }
}
