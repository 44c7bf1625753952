import Foundation
import SegmentFormat
import Testing

/// `FEEDSYNC_REGENERATE_GOLDEN=1 swift test --filter Golden` writes the files anew: for a new
/// format version only, since devices out there hold files such as these.
@Suite("The golden files") struct GoldenFileTests {
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "fixtures/segments")

  private static let isRegenerating =
    ProcessInfo.processInfo.environment["FEEDSYNC_REGENERATE_GOLDEN"] == "1"

  private static func file(_ name: String) -> URL { directory.appending(path: name + ".log") }

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: file(name)))
  }

  init() throws {
    guard Self.isRegenerating else { return }
    try FileManager.default.createDirectory(
      at: Self.directory, withIntermediateDirectories: true)
    for (name, segment) in GoldenSegments.all {
      try Data(SegmentFile.encode(segment).bytes).write(to: Self.file(name))
    }
  }

  @Test("are read as what they were written from", arguments: GoldenSegments.all.map(\.name))
  func decoded(name: String) throws {
    let expected = try #require(GoldenSegments.all.first { $0.name == name }).segment
    let found = try SegmentFile.decode(try Self.bytes(name)).segment
    #expect(found.range == expected.range)
    #expect(found.attributes == expected.attributes)
    #expect(found.transactions == expected.transactions)
  }

  @Test(
    "have the content, byte by byte, that is written now",
    arguments: GoldenSegments.all.map(\.name))
  func encoded(name: String) throws {
    let expected = try #require(GoldenSegments.all.first { $0.name == name }).segment
    let (found, digest) = try SegmentFile.decode(try Self.bytes(name))
    let plain = SegmentFile.encode(expected, compressing: false)
    #expect(digest == plain.digest)
    #expect(SegmentFile.encode(found, compressing: false).bytes == plain.bytes)
  }

  @Test("are all that stands in the folder")
  func complete() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
      .filter { $0.hasSuffix(".log") }
    #expect(Set(names) == Set(GoldenSegments.all.map { $0.name + ".log" }))
  }
}
