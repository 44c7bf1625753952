import Testing

@testable import FeedLibrary

/// Bodies as lines of text.
@Suite struct PlainTextTests {
  @Test(arguments: [
    ("<p>One <b>word</b></p><p>Two</p>", "One word\n\nTwo"),
    ("a<br>b<br/>\n c", "a\nb\nc"),
    ("<ul><li>one</li><li>two</li></ul>after", "- one\n- two\n\nafter"),
    ("1 &lt; 2 &amp;amp; &#233;&#xe9; &nope; &", "1 < 2 &amp; éé &nope; &"),
    ("<pre>a\n  b</pre>", "a\n  b"),
    ("x <img src=\"y\" alt=\"a &quot;cat&quot;\"> z", "x [a \"cat\"] z"),
    ("a <b title=\"x > y\">c</b>", "a c"),
    ("", ""), ("<p></p>", ""), ("a < b", "a < b"), ("<unclosed", "<unclosed"),
  ])
  func markupBecomesLines(_ html: String, _ text: String) {
    #expect(PlainText(html).text == text)
  }

  @Test func linksAreCollectedOnce() {
    let html =
      "<a href=\"https://a.org/?x=1&amp;y=2\">a</a> <a href=\"https://a.org/?x=1&amp;y=2\">"
    #expect(PlainText(html).links == ["https://a.org/?x=1&y=2"])
  }

  @Test func whatIsLongIsCut() {
    let text = PlainText(String(repeating: "word ", count: 100_000), limit: 1_000).text
    #expect(text.utf8.count <= 1_001)
  }
}
