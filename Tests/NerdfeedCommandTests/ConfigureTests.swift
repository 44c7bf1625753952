import FeedLibrary
import Testing

@testable import NerdfeedCommand

@Suite("nerdfeed configure") struct ConfigureTests {
  private func parse(_ arguments: String...) throws -> ConfigureCommand {
    try ConfigureCommand.parse(["feed"] + arguments)
  }

  @Test("takes a setting back where its value is empty")
  func takesBack() throws {
    let command = try parse("--interval", "", "--items", "", "--keep", "")
    #expect(command.interval != nil && command.interval?.value == nil)
    #expect(command.items != nil && command.items?.value == nil)
    #expect(command.keep != nil && command.keep?.value == nil)
    #expect(try parse().interval == nil)
  }

  @Test("takes no time that would be none in the unit that is synced")
  func tooShort() throws {
    for arguments in [["--interval", "30s"], ["--keep", "12h"], ["--items", "0"]] {
      #expect(throws: (any Error).self) { try ConfigureCommand.parse(["feed"] + arguments) }
    }
    #expect(try parse("--interval", "1m", "--keep", "1d").interval?.value?.seconds == 60)
  }

  @Test("refuses a tag that a list of subscriptions would have as two")
  func noTag() throws {
    let command = try parse("--add-tag", "a,b")
    let error = #expect(throws: LibraryError.self) { try command.run() }
    #expect(error?.cause == .notATag("a,b"))
  }
}
