import FeedSync
import Foundation
import Testing

@Suite("A count in a sentence") struct CountTextTests {
  @Test(
    "has the one word for one, and the other for more and for none",
    arguments: [(0, "0 files stay"), (1, "1 file stays"), (2, "2 files stay")])
  func words(count: Int, text: String) {
    #expect(CountText.of(count, "file stays", "files stay") == text)
    #expect(text.hasPrefix(CountText.of(count, "file")))
  }

  @Test("is one where commands tell of one document in one transaction")
  func commands() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    #expect(
      try machine.feedsync("import", environment: bob).output
        == "imported 1 segment: 1 transaction, 1 operation, 1 document; published 0 transactions\n")
    let status = try machine.feedsync("status", environment: bob)
    #expect(status.lines.contains("1 document, 0 conflicts"))
    #expect(status.lines.contains("0 transactions to be published"))
    #expect(status.lines.contains("from ann: 1 transaction"))
    #expect(status.output.contains("the folder holds 1 file with "))
    try FileManager.default.removeItem(at: machine.folder)
    try machine.feedsync("put", "n", "y", "{}")
    #expect(try machine.feedsync("status").lines.contains("1 transaction to be published"))
  }
}
