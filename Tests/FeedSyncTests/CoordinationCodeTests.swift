import FeedSync
import Glibc
import SystemPackage
import Testing

@Suite("A system call that fails beneath a coordinated access") struct CoordinationCodeTests {
  @Test(
    "counts as what could not be written, where nothing can be, and else as what could not be read",
    arguments: [
      (Errno.readOnlyFileSystem, FeedSyncError.Code.cannotWrite), (.noSpace, .cannotWrite),
      (.diskQuotaExceeded, .cannotWrite), (.permissionDenied, .notPermitted),
      (.ioError, .cannotRead),
    ])
  func code(errno: Errno, code: FeedSyncError.Code) {
    let error = CoordinationError.system(
      operation: "mkdir", path: "/state/coordination", errno: errno.rawValue)
    #expect(FeedSyncError(error, operation: "coordinate").code == code)
  }

  @Test(
    "blames no other process for a want of descriptors",
    arguments: [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem])
  func descriptors(errno: Errno) {
    let error = CoordinationError.noArbiter(path: "/state/socket", errno: errno.rawValue)
    let told = FeedSyncError(error, operation: "coordinate")
    #expect(told.code == .tryAgain)
    #expect(told.hint?.contains("ulimit -n") == true)
    #expect(!told.message.contains("does not answer"))
  }

  @Test("says where it may have waited for this very process, and only there")
  func ownWay() {
    let own = CoordinatingProcess(id: getpid(), name: "own")
    let other = CoordinatingProcess(id: getppid(), name: "other")
    func hint(_ process: CoordinatingProcess, _ role: CoordinationHolder.Role) -> String {
      let holder = CoordinationHolder(process: process, role: role, path: "/f")
      let error = CoordinationError.timedOut(path: "/f", waitedFor: [holder])
      return FeedSyncError(error, operation: "read").hint ?? ""
    }
    #expect(hint(own, .writes).contains("another thread"))
    #expect(hint(own, .reads).contains("another thread"))
    #expect(!hint(other, .writes).contains("another thread"))
    // It may have a presenter that is slow.
    #expect(!hint(own, .presents).contains("another thread"))
  }

  @Test("is called a wrong use where the purpose has no name")
  func emptyPurpose() {
    #expect(FeedSyncError(CoordinationError.emptyPurpose, operation: "read").code == .usage)
  }
}
