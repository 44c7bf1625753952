import Foundation
import Testing

@Suite("A command of nerdfeed that may write no larger file") struct FileSizeTests {
  @Test("says so and ends with 73, and is not ended without a word")
  func results() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-size-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let items = (0..<100).map { "<item><guid>\($0)</guid><title>Item \($0)</title></item>" }
    let feed = "<rss version=\"2.0\"><channel>\(items.joined())</channel></rss>"
    try Data(feed.utf8).write(to: directory.appending(path: "feed.xml"))
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -f 1; exec \"$0\" parse feed.xml >out 2>err", Program.binary.path,
    ]
    process.environment = ["HOME": directory.path]
    process.currentDirectoryURL = directory
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 73)
    let errors = try String(contentsOf: directory.appending(path: "err"), encoding: .utf8)
    #expect(errors.contains("cannot write the results: File too large"))
  }
}
