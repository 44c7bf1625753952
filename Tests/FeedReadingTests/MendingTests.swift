import FeedReading
import Testing

/// XML as people publish it.
@Suite struct MendingTests {
  @Test(arguments: [
    ("R&D & more", "R&D & more"), ("a < b", "a < b"),
    ("caf&eacute; &nbsp;&hellip;", "café \u{A0}…"),
    ("&#233;&#xE9;&#150;", "éé–"), ("&nosuch; x", "&nosuch; x"), ("a]]>b", "a]]>b"),
    ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"), ("a\u{0}b\u{C}c", "abc"), ("&#0;&#x1F;x", "x"),
    ("&lang;", "\u{2329}"), ("<!-- no -->yes<?php no ?>", "yes"), ("x&#93;&#93;>y", "x]]>y"),
    ("x]\u{1B}]>y", "x]]>y"), ("<![CDATA[x]\u{1B}]>y]]>", "x]]>y"),
    ("<a:b:c x:='1'>x</a:b:c><y:>z</y:>", "xz"),
  ])
  func textIsWhatItWasMeantToBe(text: String, expected: String) throws {
    let title = try Feeds.channel("<title>\(text)</title>").title?.text
    #expect(title?.replacing("\u{FFFD}", with: "") == expected)
  }

  @Test func addressesMayHoldAmpersands() throws {
    let link = try Feeds.item("<link>http://e/?a=1&b=2&copy=3&amp;d</link>").link
    #expect(link == "http://e/?a=1&b=2&copy=3&d")
    let url = try Feeds.item("<enclosure url='http://e/?a=1&b=2'/>").enclosures.first?.url
    #expect(url == "http://e/?a=1&b=2")
  }

  @Test func tagsThatWereNotClosedSwallowNothing() throws {
    let channel = try Feeds.read(
      """
      <rss><channel><title>T<link>http://e/</link>
      <item><title>One</title><description>a<br>b<p>c</description><link>http://e/1</link>
      <item><title>Two</title><link href="http://e/2"><guid>2</guid></item>
      <item><TITLE>Three</title></i></item></b>
      """)
    #expect(channel.items.map(\.title?.text) == ["One", "Two", "Three"])
    #expect(channel.items.map(\.link) == ["http://e/1", "http://e/2", nil])
    #expect(channel.items.first?.summary == "a<br/>b<p>c</p>")
    #expect(channel.items[1].id == "2")
  }

  @Test("However many tags of a body are not closed, the items after it are whole")
  func aBodyOfUnclosedTagsSwallowsNoItem() throws {
    for tag in ["<br>", "<img src='i.png'>", "<hr></hr>", "<p>"] {
      let body = "a" + String(repeating: tag, count: 230)
      let others = (1...3).map { "<item><title>T\($0)</title><link>http://e/\($0)</link></item>" }
      let channel = try Feeds.read(
        "<rss><channel><item><title>T0</title><description>\(body)</description>"
          + "<link>http://e/0</link></item>\(others.joined())</channel></rss>")
      #expect(channel.items.map(\.title?.text) == ["T0", "T1", "T2", "T3"], "\(tag)")
      #expect(channel.items.dropFirst().map(\.link) == (1...3).map { "http://e/\($0)" }, "\(tag)")
      // A paragraph may have an end, so the depth counts it, and its item loses what follows.
      if tag != "<p>" { #expect(channel.items.first?.link == "http://e/0", "\(tag)") }
    }
  }

  @Test func attributesMayBeWrittenAnyhow() throws {
    let item = try Feeds.item(
      "<enclosure url=http://e/1.mp3 type='audio/mpeg' length=\"5\" length='6' x y=/>")
    #expect(
      item.enclosures == [Enclosure(url: "http://e/1.mp3", type: "audio/mpeg", length: 5)])
    let open = try Feeds.item("<enclosure url=\"http://e/2.mp3><title>T</title>")
    #expect(open.enclosures.map(\.url) == ["http://e/2.mp3"])
    #expect(open.title?.text == "T")
  }

  /// Lesson 30: be lenient, field by field.
  @Test(arguments: ["many", "-1", "1.5", "", "99999999999999999999"])
  func aBadNumberLosesNothingElse(text: String) throws {
    let item = try Feeds.item(
      "<enclosure url='http://e/1.mp3' type='audio/mpeg' length='\(text)'/><title>T</title>")
    #expect(item.enclosures == [Enclosure(url: "http://e/1.mp3", type: "audio/mpeg", length: nil)])
    #expect(item.title?.text == "T")
  }

  @Test func prefixesNeedNotBeDeclared() throws {
    let channel = try Feeds.read(
      """
      <rss><channel><item><dc:creator>Ann</dc:creator><content:encoded>C</content:encoded>
      <media:thumbnail url="http://e/t.png"/></item></channel></rss>
      """)
    #expect(channel.items.first?.authors.map(\.name) == ["Ann"])
    #expect(channel.items.first?.content == "C")
    #expect(channel.items.first?.image == "http://e/t.png")
  }

  @Test func aFeedIsFoundAmongWhatStandsAroundIt() throws {
    let channel = try Feeds.read(
      "\n\n<b>Warning</b>: oh<br />\n<?xml version='1.0'?>"
        + "<rss><channel><title>T</title></channel></rss><script>x</script></html>")
    #expect(channel.title?.text == "T")
  }

  @Test func aFeedThatBreaksOffHasWhatCameBefore() throws {
    let whole = "<rss><channel><title>T</title><item><title>One</title><description>"
    for end in ["abc", "<![CDATA[abc", "abc<", "abc<b", "abc<b c=\"", "abc&am", "abc<!--"] {
      let channel = try Feeds.read(whole + end)
      #expect(channel.items.first?.title?.text == "One", "\(end)")
      #expect(channel.items.first?.summary?.hasPrefix("abc") == true, "\(end)")
    }
  }

  @Test func declaredEntitiesAreHonoured() throws {
    let channel = try Feeds.read(
      """
      <?xml version="1.0"?><!DOCTYPE rss [ <!-- ' --> <!ENTITY co "Company &amp; &#169; &more;">
      <!ENTITY more '<![CDATA[<more>]]>'> <!ENTITY % p "x">
      <!ENTITY file SYSTEM "file:///etc/passwd">
      ]><rss><channel><title>The &co;&file;</title><link>http://e/&co;</link></channel></rss>
      """)
    #expect(channel.title?.text == "The Company & © <more>&file;")
    #expect(channel.link == "http://e/Company%20&%20©%20<more>")
  }

  @Test(arguments: 0..<4)
  func longTextOfAnyAlphabetStaysWhole(shift: Int) throws {
    let text = String(repeating: "x", count: shift) + String(repeating: "日本𝄞é", count: 40_000)
    let item = try Feeds.item("<description>\(text)</description><title>after</title>")
    #expect(item.summary == text)
    #expect(item.title?.text == "after")
    let marked = try Feeds.item("<description>&lt;b>\(text)</description>")
    #expect(marked.summary == "<b>\(text)</b>")
  }
}
