import FeedReading
import Testing

@Suite struct SanitizingTests {
  @Test(arguments: [
    ("<b>x</b>", "<b>x</b>"), ("<B>x", "<b>x</b>"), ("x</b>", "x"),
    ("<p>a<p>b", "<p>a</p><p>b</p>"),
    ("<b><i>x</b>y</i>", "<b><i>x</i></b>y"),
    ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
    (
      "<table><tr><td>a<td>b<tr><td>c</table>",
      "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"
    ),
    ("a<br>b<hr/>", "a<br/>b<hr/>"), ("<blink>x</blink>", "x"), ("<nosuch a=b>x", "x"),
    ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"), ("&eacute;&copy2;&nosuch;", "é©2;&amp;nosuch;"),
    ("<!-- x -->y<!DOCTYPE html>z", "yz"), ("a <b", "a &lt;b"), ("<![CDATA[x]]>", "x]]&gt;"),
    ("<p style='color: red; position: fixed'>x</p>", "<p style=\"color: red;\">x</p>"),
    ("<p style='width: \u{FEFF}; color: red'>x</p>", "<p style=\"color: red;\">x</p>"),
    ("a<img src=b.png width='\u{FEFF}1'>c", "ac"),
  ])
  func whatIsKeptIsWellFormed(html: String, expected: String) {
    #expect(HTMLSanitizer.clean(html) == expected)
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "<SCRIPT SRC=//e/x.js></SCRIPT>", "<script>a</scrip></script >",
    "<img src=x onerror=alert(1)>", "<svg onload=alert(1)></svg>", "<svg><script>x</script></svg>",
    "<a href='javascript:alert(1)'>x</a>", "<a href=' java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript&colon;alert(1)'>x</a>", "<a href='data:text/html,<script>'>x</a>",
    "<a href=vbscript:x>x</a>", "<img src='data:image/svg+xml,<svg onload=x>'>",
    "<iframe src=//e/></iframe>", "<object data=x></object>", "<embed src=x>", "<base href=//e/>",
    "<link rel=stylesheet href=x>", "<meta http-equiv=refresh content=0>", "<style>*{}</style>",
    "<p style='background:url(javascript:x)'>x</p>", "<p style='width:expression(alert(1))'>x</p>",
    "<p style='col\\6Fr:red;x:\\75rl(x)'>x</p>", "<form action=//e/><input type=submit></form>",
    "<button formaction=javascript:x>x</button>", "<svg><a xlink:href='javascript:x'>y</a></svg>",
    "<svg><use href='data:x'/></svg>", "<math><annotation-xml><script>x</script></math>",
    "<svg><foreignObject><iframe></foreignObject></svg>",
    "<a href=\"x\" \"onclick=alert(1)\">y</a>",
    "<img src=\"`><script>x</script>\">", "<<script>script>alert(1)<</script>/script>",
    "<svg><title><img title=\"</title><script>x</script>\"></title></svg>",
    "<textarea><img title=\"</textarea><script>x</script>\"></textarea>",
    "<noscript><p title=\"</noscript><script>x</script>\"></noscript>",
    "<?xml <script>x</script> ?>",
    "<a href=file:///etc/passwd>x</a>", "<img src=x style='position:fixed;top:0'>",
  ])
  func nothingThatRunsIsLeft(html: String) {
    let clean = HTMLSanitizer.clean(html).lowercased()
    let tags = clean.matches(of: /<[^>]*>/).map { String($0.output) }
    for word in ["<script", "<iframe", "<object", "<embed", "<base", "<link", "<meta", "<style"] {
      #expect(!clean.contains(word))
    }
    for tag in tags {
      #expect(!tag.contains(/\son\w+=/))
      #expect(!tag.contains(/(href|src|action)="\s*(javascript|data|vbscript|file):/))
      #expect(!tag.contains("formaction") && !tag.contains(" action="))
      #expect(!tag.contains("position") && !tag.contains("url(") && !tag.contains("expression"))
    }
  }

  @Test(arguments: [
    "<img src='http://e/x.gif' width=1 height=1>", "<img width='0' src='http://e/x.gif'>",
    "<img src='http://feeds.feedburner.com/~r/x/y/1'>", "<img src='https://pixel.wp.com/b.gif?x'>",
  ])
  func imagesThatOnlyCountReadersGo(html: String) {
    #expect(HTMLSanitizer.clean("a" + html) == "a")
  }

  @Test func imagesThatAreSeenStay() {
    let image = "<img src=\"http://e/x.png\" width=\"100\" height=\"10\" alt=\"a &amp; b\"/>"
    #expect(HTMLSanitizer.clean(image) == image)
  }

  @Test func relativeAddressesBecomeAbsolute() {
    let html = "<a href='../b?c#d'>x</a><img src='//h/i.png' srcset='a.png 1x, b.png 2x'>"
    #expect(
      HTMLSanitizer.clean(html, base: "http://e/x/y")
        == "<a href=\"http://e/b?c#d\">x</a>"
        + "<img src=\"http://h/i.png\" srcset=\"http://e/x/a.png 1x, http://e/x/b.png 2x\"/>")
  }

  @Test(
    "An address in a srcset goes on to the next white space, whatever commas are in it",
    arguments: [
      ("w_4,c/i.png 4w, w_8,c/i.png 8w", "http://e/w_4,c/i.png 4w, http://e/w_8,c/i.png 8w"),
      ("a.png, b.png 2x", "http://e/a.png, http://e/b.png 2x"),
      ("a.png,b.png", "http://e/a.png,b.png"),
      (" , a.png  1x ,b.png 2x,, ", "http://e/a.png 1x, http://e/b.png 2x"),
      ("a.png,, b.png", "http://e/a.png, http://e/b.png"),
      ("a.png 1x, javascript:x", nil), ("a.png,x, data:x", nil), ("a.png (1x, b.png)", nil),
      ("http://pixel.wp.com/i,j 1x", nil), (" , ", nil),
    ])
  func anAddressInASourceSetMayHaveCommas(set: String, expected: String?) {
    let clean = HTMLSanitizer.clean("<img alt=\"x\" srcset=\"\(set)\">", base: "http://e/")
    let kept = expected.map { " srcset=\"\($0)\"" } ?? ""
    #expect(clean == "<img alt=\"x\"\(kept)/>")
    #expect(HTMLSanitizer.clean(clean, base: "http://e/") == clean)
  }

  @Test("A colon behind the first part of a path makes no scheme")
  func aColonInAQueryOrAFragmentIsNoScheme() {
    for address in ["#fn:1", "?q=a:b", "a?b:c", "a/b:c", "//e/:", "1?javascript:x"] {
      #expect(WebAddress.isHarmless(address))
      let link = "<a href=\"\(address)\">x</a>"
      #expect(HTMLSanitizer.clean(link) == link)
    }
    for address in ["1:b", "javascript:#", "a b:c?", ":", "é:#", "%6Aavascript:x"] {
      #expect(!WebAddress.isHarmless(address))
    }
  }

  @Test(
    "A base that does harm is none",
    arguments: ["javascript://%0aalert(1)/", "JavaScript://e/", "data://e/", "file:///etc/"])
  func aBaseThatDoesHarmIsNone(base: String) throws {
    let body = "<a href=\"y\">x</a>"
    #expect(HTMLSanitizer.clean(body, base: base) == body)
    let escaped = body.replacing("<", with: "&lt;")
    let rss = try Feeds.read(
      "<rss xml:base='\(base)'><channel><link>x</link><item><link>x</link>"
        + "<enclosure url='x'/><description>\(escaped)</description></item></channel></rss>")
    let atom = try Feeds.read(
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'><link href='x'/>"
        + "<entry><link href='x'/><summary type='html'>\(escaped)</summary></entry></feed>")
    for channel in [rss, atom] {
      #expect(channel.link == "x" && channel.items.map(\.link) == ["x"])
      #expect(channel.items.map(\.summary) == [body])
      #expect(Feeds.addresses(in: channel).allSatisfy(WebAddress.isHarmless))
    }
  }

  @Test func controlAndDirectionCharactersGo() {
    #expect(HTMLSanitizer.clean("a\r\nb\rc&#13;d") == "a\nb\ncd")
    #expect(HTMLSanitizer.clean("a\u{1B}[31mb\u{202E}c&#27;d&#x202E;e\u{9B}f") == "a[31mbcde›f")
  }

  @Test(arguments: 0..<400)
  func cleaningAgainChangesNothing(seed: Int) {
    let parts = [
      "<b>", "</b>", "<p>", "</p>", "<div>", "</div>", "<li>", "<ul>", "</ul>", "<table>", "<td>",
      "<tr>", "</table>", "<a href='x'>", "</a>", "<script>", "</script>", "<svg>", "</svg>",
      "<title>", "</title>", "text", " ", "&amp;", "&lt;b&gt;", "<", ">", "&", "\"", "'", "<!--",
      "-->", "<img src=x alt=\"<b>\">", "<br>", "<i title='>'>", "</i>", "<math>", "<mi>",
      "<textarea>", "<p style='color:red;;'>", "é", "\u{202E}", "&#27;", "&notit;", "<x y=z/>",
      "<dl>", "<dt>", "<dd>", "<circle r=1 />", "</", "<!", "<?", "=",
      "<p style='width:\u{FEFF};color:red'>", "<img srcset='a \u{FEFF}, b'>",
      "<img srcset='a,b 1x,, c, \u{A0},d'>",
    ]
    var random = SplitMix(state: UInt64(seed))
    let count = Int.random(in: 1...40, using: &random)
    let html = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    let once = HTMLSanitizer.clean(html, base: "http://e/")
    #expect(HTMLSanitizer.clean(once, base: "http://e/") == once, "\(html)")
    #expect(Balance.isWellFormed(once), "\(html) became \(once)")
  }
}

/// Whether tags are balanced, and everything else is escaped.
enum Balance {
  static func isWellFormed(_ html: String) -> Bool {
    var open: [Substring] = []
    var rest = html[...]
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == ">" }) {
      guard rest[start] == "<", let end = rest[start...].firstIndex(of: ">") else { return false }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
    }
    return open.isEmpty
  }
}
