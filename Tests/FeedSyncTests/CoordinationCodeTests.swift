import FeedSync
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
}
