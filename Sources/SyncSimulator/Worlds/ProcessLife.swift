import DocumentStorage
import Synchronization
import SystemFiles

/// Whether a device's process is alive, as its database sees it; the file system has its own way
/// to kill it, and each takes the other along.
final class ProcessLife: Sendable {
  struct Killed: Error {}

  private struct State {
    var commitsLeft: Int?
    var isDead = false
    var isFull = false
  }

  private let files: InMemoryFileSystem
  private let state = Mutex(State())

  init(files: InMemoryFileSystem) { self.files = files }

  /// Lets the process die before its `commit`-th commit from now on.
  func kill(atCommit commit: Int) { state.withLock { $0.commitsLeft = commit } }

  /// Makes every commit fail for want of room.
  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  var isOver: Bool { files.wasKilled || state.withLock { $0.isDead } }

  func beginAgain() { state.withLock { $0 = State() } }

  /// What the database asks before it writes.
  func requireAlive() throws {
    guard !files.wasKilled else { throw Killed() }
    let isFull = try state.withLock { state in
      if let left = state.commitsLeft {
        state.commitsLeft = left - 1
        if left <= 1 { state.isDead = true }
      }
      guard !state.isDead else { throw Killed() }
      return state.isFull
    }
    if isFull { throw StorageError.full(":memory:") }
  }

  /// Takes the file system along: its next change will not happen.
  func spread() {
    if state.withLock({ $0.isDead }), !files.wasKilled { files.kill(at: 1) }
  }
}
