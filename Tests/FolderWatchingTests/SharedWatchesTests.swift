import FolderWatching
import Glibc
import Testing

/// What each of those hears who watch by one inotify instance.
@Suite struct SharedWatchesTests {
  private func record(_ watch: Int32, _ mask: Int32) -> InotifyRecord {
    InotifyRecord(watch: watch, mask: UInt32(bitPattern: mask), name: [])
  }

  private var watches: SharedWatches {
    var watches = SharedWatches()
    watches.add(1, for: 10, events: IN_MOVE_SELF)
    watches.add(2, for: 10, events: IN_CREATE | IN_MOVE_SELF)
    watches.add(2, for: 20, events: IN_MOVE_SELF)
    watches.add(3, for: 20, events: IN_CREATE | IN_MOVE_SELF)
    return watches
  }

  @Test func eachHearsWhatItAskedFor() {
    var watches = watches
    #expect(watches.take([record(2, IN_CREATE)]) == [10: .changed])
    #expect(watches.take([record(1, IN_CREATE), record(4, IN_CREATE)]).isEmpty)
    #expect(
      watches.take([record(2, IN_CREATE), record(3, IN_CREATE)]) == [10: .changed, 20: .changed])
  }

  @Test func whatIsMovedOrGoneIsSoForAllWhoWatchIt() {
    var watches = watches
    let moved = [record(2, IN_MOVE_SELF), record(2, IN_CREATE)]
    #expect(watches.take(moved) == [10: .gone, 20: .gone])
    #expect(watches.take([record(3, IN_IGNORED)]) == [20: .gone])
    // The kernel has ended that watch: nobody need.
    #expect(watches.remove(20) == [])
    #expect(watches.remove(10).sorted() == [1, 2])
  }

  @Test func aQueueThatOverflowedMayHaveLostAnything() {
    var watches = watches
    #expect(watches.take([record(-1, IN_Q_OVERFLOW)]) == [10: .gone, 20: .gone])
    _ = watches.remove(10)
    #expect(watches.take([record(-1, IN_Q_OVERFLOW)]) == [20: .gone])
  }

  @Test func aWatchIsGivenBackThatNobodyHas() {
    var watches = watches
    #expect(watches.remove(10) == [1])
    #expect(watches.take([record(2, IN_CREATE)]).isEmpty)
    #expect(watches.remove(20).sorted() == [2, 3])
  }
}
