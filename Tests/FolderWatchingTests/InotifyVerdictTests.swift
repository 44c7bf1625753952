import CInotifyTools
import FolderWatching
import SystemPackage
import Testing

@Suite struct InotifyVerdictTests {
  private func verdict(
    _ place: WatchedPlace?, _ mask: Int32, _ name: String = "", watch: Int32 = 1
  ) -> InotifyVerdict {
    var name = name
    return name.withUTF8 {
      InotifyVerdict(place: place, watch: watch, mask: UInt32(bitPattern: mask), name: $0)
    }
  }

  @Test func anOverflowHasEverythingSubscribedAnew() {
    #expect(verdict(nil, Int32(IN_Q_OVERFLOW), watch: -1) == .resubscribe)
    #expect(verdict(nil, 0, watch: -1) == .resubscribe)
  }

  @Test func anUnknownWatchIsIgnored() {
    #expect(verdict(nil, Int32(IN_MOVED_TO), "x.log") == .ignore)
  }

  // Lesson 10.
  @Test(arguments: [IN_MOVED_TO, IN_CREATE, IN_CLOSE_WRITE, IN_DELETE, IN_MOVED_FROM])
  func aFileInAStreamMarksIt(mask: Int32) {
    #expect(verdict(.stream("s"), mask, "x.log") == .changed("s"))
  }

  @Test(arguments: [
    ".syncthing.x.log.tmp", "~syncthing~x.log.tmp", ".nfs0001", ".feedsync-1.nosync", "x.nosync",
    "x.nosync.1", "",
  ])
  func aTemporaryNameMarksNothing(name: String) {
    #expect(verdict(.stream("s"), Int32(IN_MOVED_TO), name) == .ignore)
  }

  @Test(arguments: ["~x.log", "nosync", "x.nosyn", "x.sync-conflict-20260101-000000-AAAAAAA.log"])
  func aNameThatOnlyLooksTemporaryMarksItsStream(name: String) {
    #expect(verdict(.stream("s"), Int32(IN_MOVED_TO), name) == .changed("s"))
  }

  @Test func aDirectoryInAStreamIsForeign() {
    #expect(verdict(.stream("s"), Int32(IN_CREATE | IN_ISDIR), "deep") == .ignore)
  }

  @Test func aDirectoryInLogsAppearsAndGoes() {
    #expect(verdict(.logs, Int32(IN_CREATE | IN_ISDIR), "s") == .appeared("s"))
    #expect(verdict(.logs, Int32(IN_MOVED_TO | IN_ISDIR), "s") == .appeared("s"))
    #expect(verdict(.logs, Int32(IN_DELETE | IN_ISDIR), "s") == .changed("s"))
    #expect(verdict(.logs, Int32(IN_CREATE), "file") == .ignore)
    // It may have been made for another user, and be given to this one now.
    #expect(verdict(.logs, Int32(IN_ATTRIB | IN_ISDIR), "s") == .appeared("s"))
    #expect(WatchedPlace.logs.mask & UInt32(IN_ATTRIB) != 0)
  }

  @Test func ofTheContainerOnlyLogsAndTheArrivalOfTheMarkerCount() {
    #expect(verdict(.container, Int32(IN_CREATE | IN_ISDIR), "logs") == .resubscribe)
    #expect(verdict(.container, Int32(IN_CREATE | IN_ISDIR), "blobs") == .ignore)
    #expect(verdict(.container, Int32(IN_DELETE), "feedsync.container") == .ignore)
    #expect(verdict(.container, Int32(IN_MOVED_TO), "feedsync.container") == .resubscribe)
  }

  @Test(arguments: [WatchedPlace.cookies, .container, .logs])
  func whatIsWatchedBeingGoneHasAllSubscribedAnew(place: WatchedPlace) {
    for mask in [IN_DELETE_SELF, IN_MOVE_SELF, Int32(IN_IGNORED), IN_UNMOUNT] {
      #expect(verdict(place, Int32(mask)) == .resubscribe)
    }
  }

  @Test func aStreamThatIsDeletedIsLeftToLogsButOneThatIsMovedIsNot() {
    #expect(verdict(.stream("s"), Int32(IN_DELETE_SELF)) == .ignore)
    #expect(verdict(.stream("s"), Int32(IN_IGNORED)) == .ignore)
    #expect(verdict(.stream("s"), Int32(IN_MOVE_SELF)) == .resubscribe)
  }
}
