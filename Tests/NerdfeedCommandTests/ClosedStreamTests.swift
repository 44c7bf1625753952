import Foundation
import Testing

@Suite("A command of nerdfeed without a standard stream", .timeLimit(.minutes(5)))
struct ClosedStreamTests {
  // What is opened first has the number of the stream otherwise, and gets the results.
  @Test("gives its number to no other file, and says that results cannot be written")
  func output() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-closed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let feed = directory.appending(path: "feed").path
    try #require(mkfifo(feed, 0o600) == 0)
    let writing = open(feed, O_RDWR | O_CLOEXEC)
    try #require(writing >= 0)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exec \"$0\" parse feed 2>err >&-", Program.binary.path]
    process.environment = ["HOME": directory.path]
    process.currentDirectoryURL = directory
    try process.run()
    let descriptors = "/proc/\(process.processIdentifier)/fd"
    func links() -> [String: String] {
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      let pairs = numbers.compactMap { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)"))
          .map { (number, $0) }
      }
      return Dictionary(uniqueKeysWithValues: pairs)
    }
    while process.isRunning, !links().values.contains(where: { $0.hasSuffix("/feed") }) {
      usleep(1_000)
    }
    #expect(links()["1"] == "/dev/null")
    let text = "<rss version=\"2.0\"><channel><title>T</title></channel></rss>"
    try FileHandle(fileDescriptor: writing, closeOnDealloc: true)
      .write(contentsOf: Data(text.utf8))
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    let errors = try String(contentsOf: directory.appending(path: "err"), encoding: .utf8)
    #expect(errors.contains("cannot write the results: Bad file descriptor"))
  }
}
