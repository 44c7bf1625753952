import DocumentFiles
import FileCoordination
import FolderWatching
import Synchronization
import SystemPackage

/// Hints that come when a test says so, about folders that are watched alone, as the kernel's do.
final class FakeHints: FolderHints {
  private struct State {
    var watched: Set<FilePath> = []
    var hint = FolderHint.nothing
    var isBlind = false
    var wake: @Sendable () -> Void = {}
  }
  private let state = Mutex(State())

  var watched: Set<FilePath> { state.withLock { $0.watched } }
  /// Whether it sees nothing more, as where no watches are left.
  var isBlind: Bool {
    get { state.withLock { $0.isBlind } }
    set { state.withLock { $0.isBlind = newValue } }
  }

  func connect(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  /// Something happens in a folder.
  func happen(in folder: FilePath) {
    let wake = state.withLock { state -> @Sendable () -> Void in
      guard state.watched.contains(folder), !state.isBlind else { return {} }
      state.hint = state.hint.union(.folders([folder]))
      return state.wake
    }
    wake()
  }

  /// The queue overflows: nobody knows what has happened.
  func overflow() {
    let wake = state.withLock { state in
      state.hint = .everything
      return state.wake
    }
    wake()
  }

  func watch(_ folder: FilePath) { state.withLock { _ = $0.watched.insert(folder) } }
  func forget(_ folder: FilePath) { state.withLock { _ = $0.watched.remove(folder) } }
  var seesAll: Bool { !isBlind }

  func take() -> FolderHint {
    state.withLock { state in
      defer { state.hint = .nothing }
      return state.hint
    }
  }
}

/// Follows a query in a task of its own, so that a test can see that nothing comes.
final class QueryRun: Sendable {
  private let heard = Mutex<(updates: [MetadataUpdate], error: (any Error)?, isOver: Bool)>(
    ([], nil, false))
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ query: MetadataQuery) {
    let running = Task { [weak self] in
      do {
        for try await update in query { self?.heard.withLock { $0.updates.append(update) } }
      } catch {
        self?.heard.withLock { $0.error = error }
      }
      self?.heard.withLock { $0.isOver = true }
    }
    task.withLock { $0 = running }
  }

  deinit { cancel() }

  var updates: [MetadataUpdate] { heard.withLock { $0.updates } }
  var error: (any Error)? { heard.withLock { $0.error } }
  var isOver: Bool { heard.withLock { $0.isOver } }

  func cancel() { task.withLock { $0?.cancel() } }

  /// Waits until so many updates have come; returns the last of them.
  func update(_ count: Int) async -> MetadataUpdate? {
    _ = await eventually { self.updates.count >= count || self.isOver }
    let all = updates
    return all.count == count ? all.last : nil
  }
}

extension Desk {
  /// The folder, watched by these hints.
  ///
  /// - parameters:
  ///   - reads: notes each folder that is read.
  ///   - turns: notes each time that a query begins to decide what comes next, or has read.
  func folder(
    hints: FakeHints, counting reads: Heard? = nil, turns: Heard? = nil
  ) throws -> DocumentFolder {
    try folder { ambient in
      let uptime = ambient.uptime
      ambient.uptime = {
        turns?.note("")
        return uptime()
      }
      ambient.watchTree = { _, wake in
        hints.connect(wake)
        return hints
      }
      let look = ambient.look
      ambient.look = { root, names, limit in
        reads?.note(names.map(\.string).joined(separator: "/"))
        return try look(root, names, limit)
      }
    }
  }

  /// Waits until the query sleeps until a time, so that it has taken in all hints before.
  func sleeps(until time: Duration) async -> Bool {
    await eventually { self.time.due.contains(time) }
  }
}

extension MetadataUpdate {
  var names: [String] { result.items.map(\.relativePath) }
  var isGathered: Bool { if case .gathered = self { true } else { false } }
}
