import FeedSync
import FolderWatching
import Syncing
import TestSupport
import Testing

/// libinotifytools watches one folder in a process: whoever follows a second container polls it,
/// as long as it has to.
@Suite(.watchesAlone, .serialized, .timeLimit(.minutes(5))) struct SecondContainerTests {
  @Test func theKernelTellsOfTheSecondContainerOnceTheFirstIsNotFollowedAnyMore() async throws {
    let (first, second) = (try Place(), try Place())
    let (firstModes, following) = follow(try first.store())
    var told = firstModes.makeAsyncIterator()
    #expect(await told.next() == .inotify)

    let (secondModes, followingToo) = follow(try second.store())
    var toldToo = secondModes.makeAsyncIterator()
    #expect(await toldToo.next() == .polling(.watcherTaken))
    following.cancel()
    #expect(await toldToo.next() == .inotify)
    followingToo.cancel()
    try await following.value
    try await followingToo.value
  }

  @Test func aFolderThatIsBackAsTheWatcherBecomesFreeIsToldToBeBack() async throws {
    let (first, second) = (try Place(), try Place())
    let (firstModes, following) = follow(try first.store())
    var told = firstModes.makeAsyncIterator()
    #expect(await told.next() == .inotify)

    let store = try second.store()
    try second.setFolder(isAway: true)
    var transitions = store.transitions.makeAsyncIterator()
    try await waitUntil { store.importFailure != nil }
    try second.setFolder(isAway: false)
    following.cancel()
    #expect(try await transitions.next() == .accountAdded)
    #expect(store.importFailure == nil)
    try await following.value
  }

  /// Follows a store, and returns how its folder is watched, each time that this changes.
  private func follow(_ store: DocumentStore) -> (AsyncStream<WatchMode>, Task<Void, any Error>) {
    let (modes, continuation) = AsyncStream<WatchMode>.makeStream()
    let task = Task {
      try await ImportingSession.run(store.device) { event in
        if case .watching(let mode) = event { continuation.yield(mode) }
      }
    }
    return (modes, task)
  }
}
