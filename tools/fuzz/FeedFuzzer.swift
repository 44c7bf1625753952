// Compiled with the sources of FeedReading into one module, by tools/fuzz-feeds.

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  FeedFuzzer.checkFeed(bytes)
  FeedFuzzer.checkHTML(bytes)
  FeedFuzzer.checkSubscriptions(bytes)
  return 0
}

/// What must be true of whatever is read, whatever it was.
enum FeedFuzzer {
  static func checkFeed(_ bytes: [UInt8]) {
    checkFeed(bytes, from: FeedOrigin(url: "http://example.org/a/feed"))
    // What is relative then is so to what the document itself says.
    checkFeed(bytes, from: FeedOrigin())
  }

  private static func checkFeed(_ bytes: [UInt8], from origin: FeedOrigin) {
    guard let channel = try? FeedParser.parse(bytes, from: origin) else { return }
    require((try? FeedParser.parse(bytes, from: origin)) == channel, "another feed at the next look")
    require(channel.items.count <= FeedLimits.items, "too many items")
    checkLine(channel.title?.text, "a feed's title")
    checkBody(channel.summary, "a feed's summary")
    checkPeople(channel.authors, channel.categories)
    for item in channel.items {
      checkLine(item.title?.text, "a title")
      checkBody(item.summary, "a summary")
      checkBody(item.content, "a content")
      checkPeople(item.authors, item.categories)
      require(item.enclosures.count <= FeedLimits.list, "too many enclosures")
      for address in [item.link, item.image] + item.enclosures.map(\.url) { checkAddress(address) }
    }
  }

  /// Markup that was cleaned is clean: cleaning it again changes nothing.
  static func checkHTML(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    checkBody(HTMLSanitizer.clean(text, base: "http://example.org/a/b"), "cleaned markup")
  }

  /// A list of subscriptions that was written is read as the same.
  static func checkSubscriptions(_ bytes: [UInt8]) {
    guard let document = try? OPMLDocument(parsing: bytes) else { return }
    let written = document.bytes
    guard let again = try? OPMLDocument(parsing: written) else {
      return require(false, "a list that was written cannot be read")
    }
    // Commas in tags cannot be written.
    require(again.bytes == written, "a list is read otherwise than it was written")
  }

  // MARK: Parts

  private static func checkPeople(_ authors: [Author], _ categories: [String]) {
    require(max(authors.count, categories.count) <= FeedLimits.list, "too long a list")
    for author in authors { checkLine(author.name, "an author") }
    for category in categories { checkLine(category, "a category") }
  }

  /// One line, which moves no cursor and turns no text around.
  private static func checkLine(_ line: String?, _ what: String) {
    guard let line else { return }
    require(line.utf8.count <= FeedLimits.titleBytes, "\(what) is too long")
    for scalar in line.unicodeScalars {
      let isHarmful =
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      require(!isHarmful, "\(what) holds \(scalar.value)")
    }
  }

  private static func checkBody(_ body: String?, _ what: String) {
    guard let body else { return }
    require(body.utf8.count <= FeedLimits.bodyBytes, "\(what) is too long")
    for tag in body.lowercased().split(separator: "<").dropFirst(body.hasPrefix("<") ? 0 : 1) {
      for harmful in ["script", "iframe", "object", "style"] {
        require(!tag.hasPrefix(harmful), "\(what) holds <\(harmful)")
      }
      // Outside and inside of quotation marks by turns: what a value says is harmless.
      let parts = tag.prefix { $0 != ">" }.split(separator: "\"", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        let isHarmful =
          index % 2 == 0
          ? [" onload=", " onerror=", " onclick="].contains { part.contains($0) }
          : part.hasPrefix("javascript:") || part.hasPrefix("vbscript:")
        require(!isHarmful, "\(what) holds \(part) in a tag")
      }
    }
    require(HTMLSanitizer.clean(body) == body, "\(what) is not clean: cleaned again it differs")
  }

  private static func checkAddress(_ address: String?) {
    guard let address else { return }
    require(address.utf8.count <= FeedLimits.addressBytes, "an address is too long")
    let isSafe = address.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    require(isSafe, "an address holds control characters")
    require(WebAddress.isHarmless(address), "an address does harm")
  }

  private static func require(_ isTrue: Bool, _ what: String) {
    guard !isTrue else { return }
    fatalError(what)
  }
}
