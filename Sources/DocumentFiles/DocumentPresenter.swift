import Dispatch
import FileCoordination
import Synchronization
import SystemPackage

/// What a document does when others ask or tell it something.
protocol DocumentOwner: AnyObject, Sendable {
  /// Saves at once, whatever else waits.
  func saveForOthers() async -> (any Error)?
  /// The file will be deleted or replaced.
  func letGo() async -> (any Error)?
  /// Something may have changed.
  func look() async
  /// The presenter has another path.
  func followMove() async
}

/// A document's part in coordination.
///
/// It passes on to the document what it is asked, on no queue that waits, so that a document's own
/// accesses never wait for it.
final class DocumentPresenter: FilePresenter {
  private struct State {
    weak var owner: (any DocumentOwner)?
    var path: FilePath
  }
  private let state: Mutex<State>
  let presentedItemQueue = DispatchQueue(label: "feedsync.document")

  init(_ path: FilePath) { state = Mutex(State(path: path)) }

  var owner: (any DocumentOwner)? {
    get { state.withLock { $0.owner } }
    set { state.withLock { $0.owner = newValue } }
  }

  /// Where the document is now; moves are noted in the order in which they are told.
  var path: FilePath { state.withLock { $0.path } }
  var presentedItemPath: FilePath? { path }

  // A task that is made here knows for whom it answers, and what it writes does not wait for that.
  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    guard let owner else { return done(nil) }
    Task { done(await owner.saveForOthers()) }
  }

  func accommodatePresentedItemDeletion(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    guard let owner else { return done(nil) }
    Task { done(await owner.letGo()) }
  }

  func presentedItemDidChange() { look() }
  func presentedItem(_ event: FileVersionEvent, version: String) { look() }

  func presentedItemDidMove(to path: FilePath) {
    state.withLock { $0.path = path }
    guard let owner else { return }
    Task { await owner.followMove() }
  }

  private func look() {
    guard let owner else { return }
    Task { await owner.look() }
  }
}

/// Passes events to whoever listens.
final class DocumentEvents: Sendable {
  private struct State {
    var next = 0
    var isOver = false
    var listeners: [Int: AsyncStream<DocumentEvent>.Continuation] = [:]
  }
  private let state = Mutex(State())

  func stream() -> AsyncStream<DocumentEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: DocumentEvent.self)
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  func send(_ event: DocumentEvent) {
    for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.yield(event) }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isOver = true
      return state.listeners.values.map { $0 }
    }
    for listener in listeners { listener.finish() }
  }
}
