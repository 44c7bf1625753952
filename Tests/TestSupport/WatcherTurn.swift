import FolderWatching
import Testing

/// Lets one suite at a time watch folders.
///
/// libinotifytools is global to the process, and the tests of several targets run in one. A turn
/// ends when its last watcher has ended, which may be after the task that held it was cancelled.
///
///     @Suite(.watchesAlone, .serialized) struct …
public struct WatcherTurn: SuiteTrait, TestScoping {
  private static let turns = Turns()

  /// Holds the turn while the suite runs.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: () async throws -> Void
  ) async throws {
    await Self.turns.take()
    do {
      try await function()
    } catch {
      await Self.end()
      throw error
    }
    await Self.end()
  }

  private static func end() async {
    await InotifyToolsBackend.waitUntilFree()
    await turns.giveBack()
  }
}

extension Trait where Self == WatcherTurn {
  /// Waits for the other suites that watch folders.
  public static var watchesAlone: Self { Self() }
}

private actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
