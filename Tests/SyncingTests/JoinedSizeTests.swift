import DocumentStorage
import Syncing
import Testing

@Suite("Joined files") struct JoinedSizeTests {
  @Test(
    "are larger where a device has written much, so that they stay few, but not beyond 2 MiB",
    arguments: [(0, 256), (32 << 10, 256), (33 << 10, 512), (65 << 10, 1024), (4 << 20, 2048)])
  func growing(kibibytes: Int, wanted: Int) {
    let limits = CompactionLimits.standard
    #expect(limits.bytes(ofStreamWith: kibibytes << 10) == wanted << 10)
  }

  @Test("are as large as the user says, if that is more")
  func said() throws {
    var settings = UpkeepSettings()
    try settings.set(.fileSize, to: 8 << 20)
    #expect(settings.limits.bytes(ofStreamWith: 4 << 30) == 8 << 20)
  }
}
