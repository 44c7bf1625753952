import Foundation
import Testing

@Suite("Interrupting feedsync attach") struct AttachInterruptionTests {
  @Test(
    "one signal ends its waiting for input, with nothing changed", arguments: [SIGINT, SIGTERM])
  func waiting(number: Int32) throws {
    let machine = try Machine()
    let scratch = try Scratch()
    let process = Command.process(
      ["attach", "notes", "n", "-", "--as", "in.txt"], environment: machine.environment)
    // Nobody writes into it, and nobody closes it.
    let input = Pipe()
    process.standardInput = input
    process.standardError = try scratch.newFile("err")
    try process.run()
    // Its directory is made before anything is read.
    let blobs = machine.folder.appending(path: "blobs").path
    let limit = Date(timeIntervalSinceNow: 20)
    while process.isRunning, Date() < limit, !FileManager.default.fileExists(atPath: blobs) {
      usleep(1_000)
    }
    kill(process.processIdentifier, number)
    while process.isRunning, Date() < limit { usleep(1_000) }
    // If it waits for input all the same, it is to end now.
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    #expect(try scratch.text("err").contains("nothing was changed"))
    #expect(try machine.feedsync("get", "notes", "n").status == 1)
  }
}
