import FeedReading
import Foundation
import Testing

@testable import NerdfeedCommand

/// Files that commands and subscriptions name.
@Suite struct InputFileTests {
  private static func refusal(of file: String, kind: InputFile.Kind) -> String? {
    let error = #expect(throws: FeedError.self) {
      try InputFile.contents(of: file, kind: kind)
    }
    return error?.message
  }

  @Test("Why a file cannot be read is said as the system says it")
  func reasons() {
    for kind in [InputFile.Kind.any, .regular] {
      #expect(Self.refusal(of: "/nowhere/feed", kind: kind)?.contains("No such file") == true)
      #expect(Self.refusal(of: "/", kind: kind)?.contains("directory") == true)
    }
  }

  @Test("What comes through a pipe is read, as a shell gives it for <(…)")
  func pipes() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let text = Array("<rss/>".utf8)
    try #require(write(ends[1], text, text.count) == text.count)
    close(ends[1])
    #expect(try InputFile.contents(of: "/proc/self/fd/\(ends[0])") == text)
  }

  @Test("What never comes to its end is left alone after a while, and what does is there")
  func patience() throws {
    struct Refusal: Error {}
    let isOver = DispatchSemaphore(value: 0)
    defer { isOver.signal() }
    #expect(try Patience.run(seconds: 0.05) { isOver.wait() } == nil)
    #expect(try Patience.run(seconds: 60) { 7 } == 7)
    #expect(throws: Refusal.self) { try Patience.run(seconds: 60) { throw Refusal() } }
    let error = #expect(throws: FeedError.self) {
      try InputFile.contents(of: "/nowhere/feed", within: 60)
    }
    #expect(error?.message.contains("No such file") == true)
  }

  @Test("A subscription to a pipe, or to a device, is refused and not waited for")
  func noFiles() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-pipe-\(UUID().uuidString)").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    for file in [path, "/dev/zero"] {
      #expect(Self.refusal(of: file, kind: .regular)?.contains("no file") == true)
    }
  }
}
