import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Tells that a file of a local directory has been written, by whichever process.
///
/// For the local database's log: a commit by any process writes to it. But SQLite lets others see
/// the commit only after it has synced that write, by a change of shared memory that makes no
/// event; so each event is followed by echoes, at growing intervals, until that must have
/// happened. The beginning is followed by echoes, too: a commit that was written before, and not
/// yet to be seen by who looked first, makes no other event. This is inotify on a local directory
/// without libinotifytools, which is global to the process and belongs to the folder's watcher.
/// Where inotify is not to be had, it signals every half second instead.
///
///     let signal = FileChangeSignal(directory: state, names: ["store.sqlite-wal"])
///     for await _ in signal.changes { look() }
package final class FileChangeSignal: Sendable {
  /// Has an element when something may have changed; any number of changes make one element.
  package let changes: AsyncStream<Void>
  private let source: Mutex<any DispatchSourceProtocol>
  private let echoes: EchoTimer
  private let continuation: AsyncStream<Void>.Continuation
  private static let pollingInterval = DispatchTimeInterval.milliseconds(500)

  /// Begins to watch; what can be seen only after this call is told.
  ///
  /// - parameters:
  ///   - directory: A local directory that is there.
  ///   - names: The files in it that matter; they need not be there.
  package init(directory: FilePath, names: Set<String>) {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    let echoes = EchoTimer { continuation.yield() }
    self.echoes = echoes
    source = Mutex(
      Self.watch(directory, names: names, echoes: echoes)
        ?? pollingTimer(every: Self.pollingInterval, continuation))
  }

  deinit {
    continuation.finish()
    source.withLock { $0.cancel() }
    echoes.end()
  }

  /// Lets whoever waits look once more.
  package func wake() { continuation.yield() }

  private static func watch(
    _ directory: FilePath, names: Set<String>, echoes: EchoTimer
  ) -> sending (any DispatchSourceProtocol)? {
    guard let descriptor = try? InotifyInstance.make() else { return nil }
    // The directory itself may be put aside, as by a rebuild. Of one that is removed while a file
    // in it is open, only the files' removal is told.
    let events = UInt32(
      IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF)
    guard inotify_add_watch(descriptor, directory.string, events) >= 0 else {
      InotifyInstance.end(descriptor)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler {
      if Self.reads(anyOf: names, descriptor) { echoes.begin() }
    }
    source.setCancelHandler { InotifyInstance.end(descriptor) }
    source.resume()
    echoes.restart()
    return source
  }

  /// Reads all events; returns whether one of the names was in them, or may have been.
  private static func reads(anyOf names: Set<String>, _ descriptor: Int32) -> Bool {
    var isNamed = false
    InotifyRecord.take(from: descriptor) { records in
      isNamed =
        isNamed
        || records.contains { record in
          record.says(IN_Q_OVERFLOW | IN_MOVE_SELF | IN_DELETE_SELF)
            || names.contains(String(decoding: record.name, as: UTF8.self))
        }
    }
    return isNamed
  }
}

/// Calls at once, and again after growing times; each beginning starts those anew.
private final class EchoTimer: Sendable {
  private static let milliseconds = [
    5, 20, 80, 320, 1000, 3000, 10_000, 10_000, 10_000, 10_000, 10_000, 60_000, 300_000,
  ]

  private struct State {
    let timer: any DispatchSourceTimer
    var next = 0
  }
  private let state: Mutex<State>
  private let call: @Sendable () -> Void

  init(_ call: @escaping @Sendable () -> Void) {
    self.call = call
    let timer = DispatchSource.makeTimerSource()
    state = Mutex(State(timer: timer))
    state.withLock { state in
      state.timer.setEventHandler { [weak self] in self?.fire() }
      state.timer.resume()
    }
  }

  func begin() {
    call()
    restart()
  }

  /// Only the later calls.
  func restart() {
    state.withLock { state in
      state.next = 0
      Self.schedule(&state)
    }
  }

  func end() { state.withLock { $0.timer.cancel() } }

  private func fire() {
    call()
    state.withLock { Self.schedule(&$0) }
  }

  private static func schedule(_ state: inout State) {
    guard state.next < milliseconds.count else {
      return state.timer.schedule(deadline: .distantFuture)
    }
    state.timer.schedule(deadline: .now() + .milliseconds(milliseconds[state.next]))
    state.next += 1
  }
}
