import FeedReading
import Testing

@Suite struct AtomTests {
  @Test func aFeedAndItsEntriesAreRead() throws {
    let channel = try Feeds.read(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="http://e/x/">
      <title type="html">A &amp;amp; B</title><subtitle>Sub</subtitle><id>urn:1</id>
      <link rel="self" href="feed"/><link href="."/><updated>2003-12-13T18:30:02Z</updated>
      <author><name>Ann</name><email>ann@e.org</email><uri>/ann</uri></author>
      <icon>i.ico</icon><logo>l.png</logo><category term="c" label="C"/>
      <entry xml:base="y/"><title>One</title><id>urn:2</id><link href="1"/>
        <link rel="enclosure" href="1.mp3" type="audio/mpeg" length="9"/>
        <published>2003-12-13T08:29:29-04:00</published>
        <summary type="html">&lt;a href="z"&gt;z&lt;/a&gt;</summary></entry>
      </feed>
      """)
    #expect(channel.format == "atom")
    #expect(channel.title?.text == "A & B")
    #expect(channel.link == "http://e/x/")
    #expect(channel.language == "de")
    #expect(channel.icon == "http://e/x/i.ico")
    #expect(channel.image == "http://e/x/l.png")
    #expect(channel.categories == ["c"])
    #expect(
      channel.authors == [Author(name: "Ann", email: "ann@e.org", url: "http://e/ann")])
    let entry = try #require(channel.items.first)
    #expect(entry.link == "http://e/x/y/1")
    #expect(entry.published?.text == "2003-12-13T12:29:29Z")
    #expect(entry.summary == "<a href=\"http://e/x/y/z\">z</a>")
    #expect(entry.enclosures.map(\.url) == ["http://e/x/y/1.mp3"])
  }

  @Test(arguments: [
    ("<title>A &lt;b&gt; C</title>", "A <b> C"),
    ("<title type='text'>AT&amp;amp;T</title>", "AT&amp;T"),
    ("<title type='html'>AT&amp;amp;T &lt;b&gt;x&lt;/b&gt;</title>", "AT&T x"),
    ("<title type='html'>&amp;lt;title></title>", "<title>"),
    ("<title type='html'><![CDATA[&lt;title>]]></title>", "<title>"),
    (
      "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a &lt; <b>b</b></div></title>",
      "a < b"
    ),
    ("<title type='text/plain'>a &lt; b</title>", "a < b"),
  ])
  func aTitleIsReadByItsType(element: String, expected: String) throws {
    #expect(try Feeds.entry(element).title?.text == expected)
  }

  @Test func XHTMLLosesItsDivAndGainsAbsoluteAddresses() throws {
    let entry = try Feeds.entry(
      """
      <content type="xhtml" xml:base="http://e/a/"><x:div xmlns:x="http://www.w3.org/1999/xhtml">
      <x:p xml:base="b/">See <x:a href="c">c</x:a><x:br/></x:p></x:div></content>
      """)
    #expect(entry.content == "<p>See <a href=\"http://e/a/b/c\">c</a><br/></p>")
  }

  @Test func plainTextIsEscaped() throws {
    let entry = try Feeds.entry("<content>1 &lt; 2 &amp;amp; &lt;script></content>")
    #expect(entry.content == "1 &lt; 2 &amp;amp; &lt;script&gt;")
  }

  @Test func theLinkIsTheAlternateWhereverItStands() throws {
    let links = """
      <link rel="replies" href="http://e/r"/><link rel="edit" href="http://e/e"/>
      <link rel="alternate" type="application/json" href="http://e/j"/>
      <link rel="alternate" type="text/html" href="http://e/h"/><link rel="via" href="http://e/v"/>
      """
    #expect(try Feeds.entry(links).link == "http://e/h")
    #expect(try Feeds.entry("<link rel='self' href='http://e/s'/>").link == nil)
  }

  @Test func theOlderVersionHasModesAndOtherNames() throws {
    let channel = try Feeds.read(
      """
      <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title>
      <tagline mode="escaped" type="text/html">&lt;i&gt;x&lt;/i&gt;</tagline>
      <modified>2004-01-02T03:04:05Z</modified>
      <entry><title mode="base64" type="text/html">PGI+aGk8L2I+</title>
      <issued>2004-01-01T00:00:00Z</issued><author><name>A</name><url>http://a/</url></author>
      </entry></feed>
      """)
    #expect(channel.summary == "<i>x</i>")
    #expect(channel.updated?.text == "2004-01-02T03:04:05Z")
    #expect(channel.items.first?.title?.html == "<b>hi</b>")
    #expect(channel.items.first?.published?.text == "2004-01-01T00:00:00Z")
    #expect(channel.items.first?.authors.first?.url == "http://a/")
  }

  @Test func aSingleEntryIsAFeedOfOne() throws {
    let channel = try Feeds.read(
      "<entry xmlns='http://www.w3.org/2005/Atom'><title>One</title><id>urn:1</id></entry>")
    #expect(channel.items.map(\.id) == ["urn:1"])
  }

  @Test func whatASourceOrAnotherNamespaceSaysIsNotTheEntrys() throws {
    let entry = try Feeds.entry(
      """
      <source><title>Source</title><id>urn:s</id><author><name>S</name></author></source>
      <title>Mine</title><id>urn:m</id>
      """)
    #expect(entry.title?.text == "Mine")
    #expect(entry.id == "urn:m")
    #expect(entry.authors.map(\.name) == ["S"])
  }
}
