import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// One inotify instance for all who watch single folders: a user may have few of them, 128 as a
/// rule, in all programs.
///
/// It is there as long as anybody watches.
package final class SharedInotify: Sendable {
  /// That of this process.
  static let ofProcess = SharedInotify()

  private typealias Tell = @Sendable (SharedWatches.News) -> Void

  private struct State {
    var instance: (descriptor: Int32, source: any DispatchSourceProtocol)?
    var watches = SharedWatches()
    var subscribers: [Int: Tell] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The instance's descriptor; nil if nobody watches.
  package var descriptor: Int32? { state.withLock { $0.instance?.descriptor } }

  /// Watches a folder, and those that lead to it as far as they can be read.
  ///
  /// - parameters:
  ///   - moves: what is heard of the folders that lead to it.
  ///   - tell: is called on a thread of Dispatch's.
  /// - returns: by what to end it; nil if it cannot be watched.
  func watch(
    _ folder: FilePath, for events: Int32, above moves: Int32,
    _ tell: @escaping @Sendable (SharedWatches.News) -> Void
  ) -> Int? {
    state.withLock { state in
      guard let descriptor = instance(&state) else { return nil }
      state.last += 1
      let subscriber = state.last
      func add(_ path: FilePath, _ events: Int32) -> Bool {
        // What others want to hear of it stays.
        let mask = UInt32(events) | UInt32(IN_MASK_ADD)
        let watch = path.withPlatformString { inotify_add_watch(descriptor, $0, mask) }
        if watch >= 0 { state.watches.add(watch, for: subscriber, events: events) }
        return watch >= 0
      }
      // First, so that what the path leads to is watched, or the move is heard of.
      var (above, path): ([FilePath], FilePath) = ([], folder)
      while path.removeLastComponent(), !path.isEmpty { above.append(path) }
      for path in above.reversed() { _ = add(path, moves) }
      guard add(folder, events) else {
        remove(subscriber, &state)
        return nil
      }
      state.subscribers[subscriber] = tell
      return subscriber
    }
  }

  /// Ends what ``watch(_:for:above:_:)`` began.
  func end(_ subscriber: Int) { state.withLock { remove(subscriber, &$0) } }

  private func remove(_ subscriber: Int, _ state: inout State) {
    state.subscribers[subscriber] = nil
    let left = state.watches.remove(subscriber)
    guard let instance = state.instance else { return }
    guard !state.subscribers.isEmpty else {
      // With all its watches.
      instance.source.cancel()
      state.instance = nil
      state.watches = SharedWatches()
      return
    }
    for watch in left { inotify_rm_watch(instance.descriptor, watch) }
  }

  private func instance(_ state: inout State) -> Int32? {
    if let instance = state.instance { return instance.descriptor }
    guard let descriptor = try? InotifyInstance.make() else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler { [weak self] in self?.read(descriptor) }
    source.setCancelHandler { InotifyInstance.end(descriptor) }
    source.resume()
    state.instance = (descriptor, source)
    return descriptor
  }

  private func read(_ descriptor: Int32) {
    InotifyRecord.take(from: descriptor) { records in
      let calls = state.withLock { state -> [(Tell, SharedWatches.News)] in
        // It may have ended meanwhile, and another begun, whose watches have the same numbers.
        guard state.instance?.descriptor == descriptor else { return [] }
        return state.watches.take(records).compactMap { subscriber, news in
          state.subscribers[subscriber].map { ($0, news) }
        }
      }
      for (tell, news) in calls { tell(news) }
    }
  }
}
