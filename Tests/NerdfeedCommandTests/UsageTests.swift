import Foundation
import Testing

@Suite("A command of nerdfeed that there is not") struct UsageTests {
  private struct Answer {
    let status: Int32
    let output: String
    let errors: String
  }

  private func run(_ arguments: [String]) throws -> Answer {
    let process = Process()
    process.executableURL = Program.binary
    process.arguments = arguments
    process.environment = [:]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Answer(
      status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self))
  }

  @Test(
    "is refused, also where help is asked for",
    arguments: [
      ["nosuch"], ["nosuch", "--help"], ["help", "nosuch"],
    ])
  func unknown(words: [String]) throws {
    let answer = try run(words)
    #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
    #expect(answer.errors.contains("there is no command 'nosuch'"))
  }

  @Test("is not one of those that there are", arguments: [["help"], ["help", "add"]])
  func known(words: [String]) throws {
    let answer = try run(words)
    #expect(answer.status == 0 && answer.output.contains("USAGE: nerdfeed"), "\(answer)")
  }
}
