import DocumentStorage
import FeedSync
import Testing

@Suite("A container that takes no more writes") struct NoMoreWritesTests {
  @Test(
    "is left by what keeps all that is here, and nobody is told to remove another device's files",
    arguments: [StorageError.clockExhausted, .contextTooLarge(entries: 4097)])
  func hint(error: StorageError) throws {
    let hint = try #require(FeedSyncError(error, operation: "put").hint)
    #expect(hint.contains("'feedsync dump'") && hint.contains("'feedsync load'"))
    #expect(!hint.contains("remove"))
  }
}
