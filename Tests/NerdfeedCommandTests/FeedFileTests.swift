import FeedLibrary
import Foundation
import Testing

@testable import NerdfeedCommand

/// A feed in a file of this machine.
@Suite struct FeedFileTests {
  /// The first item's link and body in a feed that has this in front of its items.
  private func read(_ head: String) throws -> (link: String?, content: String?) {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-file-\(UUID().uuidString).xml").standardizedFileURL
    defer { try? FileManager.default.removeItem(at: file) }
    let text = """
      <rss version="2.0"><channel><title>T</title>\(head)<item><title>One</title>
      <link>posts/one</link><description>&lt;a href="two"&gt;two&lt;/a&gt;</description></item>
      </channel></rss>
      """
    try Data(text.utf8).write(to: file)
    let subscription = Subscription(url: file.absoluteString)
    let channel = try FeedFile.channel(of: subscription, at: file.path, within: 60)
    let item = try #require(channel.items.first)
    return (item.link, item.summary ?? item.content)
  }

  @Test("What is relative in it is relative to the page that it is the feed of")
  func whatIsRelative() throws {
    let item = try read("<link>https://e.org/blog/</link>")
    #expect(item.link == "https://e.org/blog/posts/one")
    #expect(item.content?.contains("https://e.org/blog/two") == true)
    #expect(try read("").link?.hasPrefix("file:///") == true)
    #expect(try read("<link>/blog</link>").link?.hasPrefix("file:///") == true)
  }
}
