import SystemFiles
import Testing

@Suite("How many files a disk can still hold") struct FreeSpaceTests {
  @Test("is what its file system says")
  func counted() {
    #expect(FreeSpace.files(available: 7, ofAll: 64, blocks: 7084) == 7)
    #expect(FreeSpace.files(available: 0, ofAll: 64, blocks: 7084) == 0)
    #expect(FreeSpace.files(available: 5_000, ofAll: 6_000, blocks: 256) == 5_000)
  }

  @Test("is not known where it counts none, or says that more are there than can be")
  func unknown() {
    #expect(FreeSpace.files(available: 0, ofAll: 0, blocks: 7084) == nil)
    // As rclone does.
    #expect(FreeSpace.files(available: 0, ofAll: 1_000_000_000, blocks: 66_053_021) == nil)
  }
}
