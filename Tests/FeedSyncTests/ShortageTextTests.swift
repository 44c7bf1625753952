import DocumentStorage
import FeedSync
import Testing

@Suite("Where the database cannot grow") struct ShortageTextTests {
  // A load may have written thousands, and what failed may be to publish them.
  @Test(
    "nothing is said of what was written before, but that a transaction is written whole",
    arguments: [
      StorageError.full("/state/store.sqlite"), .tooLarge("/state/store.sqlite"),
    ])
  func told(error: StorageError) {
    let told = FeedSyncError(error, operation: "load")
    #expect(told.code == .cannotWrite && told.file == "/state/store.sqlite")
    #expect(!told.message.contains("written"))
    #expect(told.hint?.hasSuffix("; a transaction that failed has written nothing") == true)
  }
}
