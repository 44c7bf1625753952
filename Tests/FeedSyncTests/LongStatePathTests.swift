import DocumentStorage
import FeedSync
import SystemPackage
import Testing

@Suite("A database that cannot be opened") struct LongStatePathTests {
  // SQLite says no more of it than of a full disk.
  @Test("is told to have too long a path, where it has one", arguments: [504, 505, 3_000])
  func told(length: Int) {
    let file = FilePath("/" + String(repeating: "d", count: length - 1))
    let told = FeedSyncError(StorageError.cannotOpen(file, detail: "14"), operation: "open")
    #expect(told.code == .cannotWrite)
    #expect(told.hint?.contains("shorter --state DIR") == (length > 504))
    #expect(told.hint?.contains("make room") == (length <= 504))
  }
}
