import FeedReading
import Foundation
import Testing

/// The shared feeds that may stand beside the project; `tools/check-feeds` counts their cases.
enum Corpus {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/feedcorpus/feedparser/feeds")

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func files() -> [URL] {
    let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "xml" }
      .sorted { $0.path < $1.path }
  }
}

@Suite(.enabled(if: Corpus.isThere, "../shared/feedcorpus is not there"))
struct CorpusTests {
  @Test func everyFeedIsReadAndItsBodiesAreHarmless() throws {
    let files = Corpus.files()
    #expect(files.count > 1_000)
    var refused = 0
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      guard let channel = try? FeedParser.parse(bytes) else {
        refused += 1
        continue
      }
      Self.expectHarmless(channel, of: file.lastPathComponent)
    }
    #expect(refused < 20)
  }

  private static func expectHarmless(_ channel: Channel, of name: String) {
    let bodies = channel.items.flatMap { [$0.summary, $0.content] }
    for body in (bodies + [channel.summary]).compactMap({ $0 }) {
      #expect(HTMLSanitizer.clean(body) == body, "\(name)")
    }
    for address in Feeds.addresses(in: channel) {
      #expect(WebAddress.isHarmless(address), "\(name)")
    }
  }

  /// What comes before the feed itself is none; from there on each beginning is one.
  @Test func cutAnywhereTheyAreStillRead() throws {
    var read = 0
    for (index, file) in Corpus.files().enumerated() where index.isMultiple(of: 10) {
      let bytes = Array(try Data(contentsOf: file).prefix(4_000))
      var hasBegun = false
      for end in stride(from: 0, to: bytes.count, by: 97) {
        let name = "\(file.lastPathComponent), \(end) bytes"
        let channel = try? FeedParser.parse(Array(bytes[..<end]))
        #expect(channel != nil || !hasBegun, "\(name)")
        guard let channel else { continue }
        hasBegun = true
        read += 1
        Self.expectHarmless(channel, of: name)
      }
    }
    #expect(read > 100)
  }
}
