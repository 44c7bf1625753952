import DocumentStorage
import FeedSync
import FeedSyncCommand
import SystemFiles
import Testing

@Suite("What kept from being published what is written") struct PublishFailureTests {
  @Test("says that the write is safe where the database is")
  func safe() {
    let full = FileError(.write, "/folder/a.log", .noSpace)
    let told = Writing.failure(full)
    #expect(told.message.contains("what was written is safe here"))
    #expect(told.file == "/folder/a.log")
  }

  @Test("says neither that it is safe nor that it was not written where the database is another")
  func replaced() {
    let told = Writing.failure(StorageError.replaced("/state/store.sqlite"))
    #expect(told.code == .tryAgain && told.file == "/state/store.sqlite")
    #expect(!told.message.contains("safe"))
    #expect(!told.message.contains("nothing was written"))
  }
}
