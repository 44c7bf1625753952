import Foundation
import Testing

@Suite("Results that cannot be written") struct OutputTests {
  @Test("are a failure, as a backup to a full disk must be")
  func fullDisk() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("put", "n", "1", "{}").status == 0)
    let process = Command.process(["dump"], environment: machine.environment)
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    #expect(String(decoding: text, as: UTF8.self).contains("cannot write the results"))
  }
}
