import FeedReading
import Testing

/// Documents that are made to exhaust whoever reads them.
@Suite struct HostileTests {
  private let clock = ContinuousClock()

  private func rss(_ inside: String) -> [UInt8] {
    Array("<rss><channel>\(inside)</channel></rss>".utf8)
  }

  private func many(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// Reads the document, which must take a few seconds at most, on a slow machine, too.
  @discardableResult
  private func read(_ bytes: [UInt8]) throws -> Channel {
    var channel: Channel?
    let time = try clock.measure { channel = try Feeds.read(bytes) }
    #expect(time < .seconds(10), "\(time) for \(bytes.count) bytes")
    return try #require(channel)
  }

  @Test func entityBombsDoNotGoOff() throws {
    let levels = (1...12).map { "<!ENTITY a\($0) \"\(many("&a\($0 - 1);", 10))\">" }.joined()
    let bomb = "<!DOCTYPE r [<!ENTITY a0 \"lol\">\(levels)]>"
    let channel = try read(Array(bomb.utf8) + rss("<title>x&a12;</title><link>http://e/</link>"))
    #expect(channel.title?.text.hasPrefix("x") == true)
    #expect(channel.link == "http://e/")
    let itself = "<!DOCTYPE r [<!ENTITY a \"&a;&a;\">]>"
    try read(Array(itself.utf8) + rss("<title>\(many("&a;", 100_000))</title>"))
    let wide = "<!DOCTYPE r [<!ENTITY a \"\(many("x", 60_000))\">]>"
    try read(Array(wide.utf8) + rss("<enclosure url='\(many("&a;", 10_000))'/>"))
  }

  @Test func twentyThousandLevelsAreReadFlat() throws {
    let deep = many("<div>", 20_000) + "core" + many("</div>", 20_000)
    let inside = "<item><description>\(deep)</description><title>after</title></item>"
    let item = try #require(try read(rss(inside)).items.first)
    #expect(item.title?.text == "after")
    #expect(item.summary?.contains("core") == true)
    let escaped = deep.replacing("<", with: "&lt;")
    let other = try read(rss("<item><description>\(escaped)</description></item>")).items.first
    #expect(other?.summary?.contains("core") == true)
    try read(
      Array("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":".utf8)
        + Array(many("[", 2_000_000).utf8))
  }

  @Test func aTitleOfFiftyMegabytesIsCut() throws {
    let title = try read(rss("<title>\(many("A", 50 << 20))</title>")).title?.text
    #expect(title?.utf8.count ?? 0 <= FeedLimits.titleBytes)
    #expect(title?.hasSuffix("…") == true)
  }

  @Test func aTitleIsNoLongerThanItsLimitWhateverItIsCutIn() throws {
    // Characters of one to four bytes, and ones that another takes the place of.
    for end in ["A", "é", "…", "🂡", "\u{202E}", "\u{202E}é"] {
      for length in (FeedLimits.titleBytes - 8)...FeedLimits.titleBytes {
        let title = try read(rss("<title>\(many("A", length))\(many(end, 9))</title>")).title?.text
        #expect(title?.utf8.count ?? 0 <= FeedLimits.titleBytes)
        #expect(title?.hasPrefix("AAAA") == true && title?.contains("\u{FFFD}\u{FFFD}…") == false)
      }
    }
  }

  @Test func itemsAndListsAreCounted() throws {
    let items = try read(rss(many("<item><title>t</title></item>", FeedLimits.items + 10))).items
    #expect(items.count == FeedLimits.items)
    let subjects = (0..<50_000).map { "<category>\($0)</category>" }.joined()
    let item = try read(rss("<item>\(subjects)</item>")).items.first
    #expect(item?.categories.count == FeedLimits.list)
  }

  /// Each of these made one reader or another quadratic.
  @Test(arguments: [
    "<!--", "<![CDATA[", "<?a ", "<!a ", "<a ", "<a b=\"", "</a>", "<a></b>", "&", "&#", "&amp",
    "<",
    "]]", "<!DOCTYPE [>", "<link>", "<item>",
  ])
  func repeatedOpeningsCostNoMoreThanTheirLength(part: String) throws {
    try read(rss("<title>x</title>" + many(part, 2_000_000 / part.utf8.count)))
  }

  /// The same inside of an entity, which is read as often as it is referred to.
  @Test(arguments: ["<!--", "<![CDATA[", "<?a ", "<?a ><", "<!a ", "<a ", "</a>", "&", "&#", "]]"])
  func openingsInAnEntityCostNoMoreThanTheirLength(part: String) throws {
    let entity = many(part, 65_536 / part.utf8.count)
    let type = Array("<!DOCTYPE rss [<!ENTITY e '\(entity)'>]>".utf8)
    let channel = try read(type + rss("<title>x</title><link>http://e/</link>\(many("&e;", 100))"))
    #expect(channel.title?.text == "x")
  }

  @Test(arguments: [
    "<a ", "<a b=\"", "<script>", "<!--", "<!x", "<li>", "<b></i>", "&amp", "<applet>", "</p>",
    "<td>", "<svg><a xlink:href=x>", "<p style=color:red>", "<b",
  ])
  func bodiesCostNoMoreThanTheirLength(part: String) throws {
    let body = many(part, 2_000_000 / part.utf8.count)
    try read(rss("<item><description><![CDATA[\(body)]]></description></item>"))
  }

  @Test func shortAddressesDoNotGrowWithoutLimit() throws {
    let body = many("<a href=b>", 200_000)
    let base = "http://e/" + many("x/", 2_000)
    #expect(HTMLSanitizer.clean(body, base: base).utf8.count < 40 << 20)
    let entry = "<entry><link href='b'/></entry>"
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'>\(entry)</feed>"
    #expect(try read(Array(feed.utf8)).items.first?.link == "b")
  }

  @Test func namesAndAttributesAreCounted() throws {
    let attributes = (0..<200_000).map { "a\($0)='1'" }.joined(separator: " ")
    try read(Array("<rss \(attributes)>".utf8) + rss("<title>T</title>"))
    try read(rss((0..<200_000).map { "<x\($0)/>" }.joined()))
  }

  @Test func noBytesReachATerminal() throws {
    let text = "a\u{0}\u{1B}[31m\u{7}\u{9B}2J\u{202E}b&#27;[1m&#x202e;"
    let channel = try read(
      rss(
        "<title>\(text)</title><item><title>\(text)</title><description>\(text)</description>"
          + "<author>\(text)</author><category>\(text)</category><guid>\(text)</guid>"
          + "<link>http://e/\(text)</link></item>"))
    let item = try #require(channel.items.first)
    let all = [
      channel.title?.text, item.title?.html, item.summary, item.authors.first?.name,
      item.categories.first, item.id, item.link,
    ]
    for text in all {
      let scalars = try #require(text).unicodeScalars
      #expect(!scalars.contains { $0.value < 32 || 0x7F..<0xA0 ~= $0.value || $0 == "\u{202E}" })
    }
  }

  @Test(arguments: 0..<300)
  func randomDamageHasNoWorseEffectThanLoss(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed) &+ 7)
    var bytes = Array(
      """
      <?xml version="1.0" encoding="utf-8"?><!DOCTYPE rss [<!ENTITY e "x">]>
      <rss xmlns:dc="http://purl.org/dc/elements/1.1/" xml:base="http://e/"><channel>
      <title>T &amp; &e; é</title><item><title><![CDATA[<b>One</b>]]></title><dc:date>2002</dc:date>
      <description>&lt;p style="color:red"&gt;x&lt;a href='b'&gt;</description></item>
      </channel></rss>
      """.utf8)
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: index)
      case 2:
        bytes.insert(Array("<>&'\"/!?[]-;=".utf8).randomElement(using: &random) ?? 0, at: index)
      default: bytes.replaceSubrange(index..., with: Array(bytes[index...].reversed()))
      }
    }
    // Either a feed or a refusal; what it may not be is a crash, or HTML that is not harmless.
    guard let channel = try? Feeds.read(bytes) else { return }
    for item in channel.items {
      if let summary = item.summary { #expect(Balance.isWellFormed(summary)) }
    }
    #expect(Feeds.addresses(in: channel).allSatisfy(WebAddress.isHarmless))
  }
}
