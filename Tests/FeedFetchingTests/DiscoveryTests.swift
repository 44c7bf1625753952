import Testing

@testable import FeedFetching

@Suite struct DiscoveryTests {
  private func found(_ page: String, at url: String = "https://e.org/blog/") throws -> [String] {
    FeedDiscovery.candidates(in: Array(page.utf8), at: try FeedAddress(url)).map(\.address.url)
  }

  private func link(_ attributes: String) -> String {
    "<html><head><link rel=alternate type='application/rss+xml' \(attributes)></head>"
  }

  @Test(arguments: [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "TEXT/XML",
    "application/rdf+xml", "application/rss+xml; charset=utf-8", "application/json",
  ])
  func eachTypeOfFeedIsFound(type: String) throws {
    let page = "<LINK REL='Alternate' TYPE='\(type)' HREF='feed'>"
    #expect(try found(page) == ["https://e.org/blog/feed"])
  }

  @Test func addressesAreRelativeToThePageOrItsBase() throws {
    #expect(try found(link("href='/feed'")) == ["https://e.org/feed"])
    #expect(try found(link("href='?feed=rss2&amp;x=1'")) == ["https://e.org/blog/?feed=rss2&x=1"])
    #expect(try found(link("href='//f.org/x'")) == ["https://f.org/x"])
    #expect(try found("<base href='/other/'>" + link("href=feed")) == ["https://e.org/other/feed"])
    #expect(
      try found("<base href='data:,x'>" + link("href=feed")) == ["https://e.org/blog/feed"])
    #expect(try found(link("href='feed://e.org/x'")) == ["http://e.org/x"])
    #expect(try found(link("href='feed:https://e.org/x'")) == ["https://e.org/x"])
  }

  @Test func whatIsNoFeedIsPassedOver() throws {
    let page = """
      <link rel=stylesheet href=a><link rel=alternate hreflang=de href=/de>
      <link rel=alternate type=text/html href=b><link rel=icon type=image/png href=c>
      <link rel=alternate type=application/json+oembed href=d>
      <link rel=alternate type=text/xml+oembed href=d>
      <link rel=alternate type=application/json href=https://e.org/wp-json/wp/v2/pages/1>
      <link rel="alternate stylesheet" type=text/xml href=e>
      <link rel=alternate type=application/rss+xml href="javascript:alert(1)">
      <link rel=alternate type=application/rss+xml href="">
      """
    #expect(try found(page).isEmpty)
  }

  @Test func whatLooksLikeATagInACommentOrScriptIsNone() throws {
    let hidden = link("href=no")
    let page = "<!-- \(hidden) --><script>\"\(hidden)\"</script><STYLE>\(hidden)</STYLE>"
    #expect(try found(page + link("href=yes")) == ["https://e.org/blog/yes"])
    #expect(try found("<!-- " + hidden).isEmpty)
  }

  @Test func feedsOfCommentsComeLastAndEachAddressOnce() throws {
    let page =
      link("href=/comments/feed/ title='Blog » Comments Feed'") + link("href=/feed title=Blog")
      + link("href=/feed") + "<link rel=feed href=/all>"
    let candidates = FeedDiscovery.candidates(
      in: Array(page.utf8), at: try FeedAddress("https://e.org/"))
    #expect(
      candidates.map(\.address.url)
        == ["https://e.org/feed", "https://e.org/all", "https://e.org/comments/feed/"])
    #expect(candidates.first?.title == "Blog")
  }

  @Test func aPageInAnotherEncodingIsRead() throws {
    let page = link("href='/f' title='Bücher'")
    let bytes = page.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    let candidates = FeedDiscovery.candidates(
      in: bytes, at: try FeedAddress("https://e.org/"), charset: "iso-8859-1")
    #expect(candidates.first?.title == "Bücher")
  }

  @Test func hostilePagesAreReadInTime() throws {
    let many = String(repeating: link("href=x"), count: 100_000)
    #expect(try found(many) == ["https://e.org/blog/x"])
    for junk in ["<", "<link ", "<!--", "<script>", "<link rel='alternate"] {
      _ = try found(String(repeating: junk, count: 200_000))
    }
  }
}
