import FeedReading
import Testing

@Suite struct RSSTests {
  @Test func aChannelSaysWhatItIs() throws {
    let channel = try Feeds.channel(
      """
      <title>News &amp; more</title><link> http://example.org/ </link><language>en_gb</language>
      <description>&lt;b&gt;All&lt;/b&gt; of it</description>
      <lastBuildDate>Sat, 07 Sep 2002 09:42:31 GMT</lastBuildDate>
      <managingEditor>ann@example.org (Ann)</managingEditor><category>A</category>
      <image><url>http://example.org/i.png</url><title>Picture</title><link>http://x/</link></image>
      <textInput><title>Search</title><link>http://y/</link></textInput>
      """)
    #expect(channel.format == "rss")
    #expect(channel.title?.text == "News & more")
    #expect(channel.link == "http://example.org/")
    #expect(channel.summary == "<b>All</b> of it")
    #expect(channel.language == "en-gb")
    #expect(channel.updated?.text == "2002-09-07T09:42:31Z")
    #expect(channel.authors == [Author(name: "Ann", email: "ann@example.org")])
    #expect(channel.categories == ["A"])
    #expect(channel.image == "http://example.org/i.png")
  }

  @Test func anItemHasItsOwnElementsAndThoseOfModules() throws {
    let item = try Feeds.item(
      """
      <title>One</title><guid isPermaLink="false">x:1</guid><link>/1</link>
      <dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:subject>S</dc:subject>
      <category>C</category><category>C</category><dc:date>2002-09-07</dc:date>
      <description>Short</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
      <enclosure url="http://example.org/1.mp3" length="12" type="audio/mpeg"/>
      <itunes:image href="i.png"/>
      """, url: "http://example.org/feed")
    #expect(item.id == "x:1")
    #expect(item.link == "http://example.org/1")
    #expect(item.authors.map(\.name) == ["Ann", "Bob"])
    #expect(item.categories == ["S", "C"])
    #expect(item.summary == "Short")
    #expect(item.content == "<p>Long</p>")
    #expect(item.updated?.text == "2002-09-07T00:00:00Z")
    #expect(item.published == item.updated)
    #expect(item.image == "http://example.org/i.png")
    #expect(
      item.enclosures
        == [Enclosure(url: "http://example.org/1.mp3", type: "audio/mpeg", length: 12)])
  }

  @Test func aGuidIsALinkOnlyIfItIsOne() throws {
    #expect(try Feeds.item("<guid>http://example.org/1</guid>").link == "http://example.org/1")
    #expect(try Feeds.item("<guid>17</guid>").link == nil)
    #expect(try Feeds.item("<guid isPermaLink='false'>http://e/1</guid>").link == nil)
    #expect(try Feeds.item("<guid>http://e/g</guid><link>http://e/l</link>").link == "http://e/l")
  }

  @Test func RSS1HasItsItemsBesideTheChannel() throws {
    let channel = try Feeds.read(
      """
      <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
             xmlns="http://purl.org/rss/1.0/">
      <channel r:about="http://e/"><title>T</title><link>http://e/</link>
      <items><r:Seq><r:li resource="http://e/1"/></r:Seq></items></channel>
      <image r:about="x"><title>no</title><url>http://e/i.gif</url></image>
      <item r:about="http://e/1"><title>One</title><link>http://e/1</link></item>
      </r:RDF>
      """)
    #expect(channel.format == "rdf")
    #expect(channel.title?.text == "T")
    #expect(channel.image == "http://e/i.gif")
    #expect(channel.items.map(\.id) == ["http://e/1"])
  }

  @Test func elementsOfUnknownNamespacesAreNotTheFeedsOwn() throws {
    let item = try Feeds.item(
      "<title>Mine</title><x:title xmlns:x='http://x.example/'>Theirs</x:title>")
    #expect(item.title?.text == "Mine")
    let madeUp = try Feeds.read(
      "<rss xmlns='http://mine.example/'><channel><title>T</title></channel></rss>")
    #expect(madeUp.title?.text == "T")
  }

  @Test func atomInsideRSSDoesNotReplaceWhatRSSSays() throws {
    let channel = try Feeds.channel(
      "<atom:link rel='self' href='http://e/feed'/><link>http://e/</link><title>T</title>")
    #expect(channel.link == "http://e/")
    let alone = try Feeds.channel("<title>T</title><atom:link href='http://e/'/>")
    #expect(alone.link == "http://e/")
  }

  @Test(
    arguments: [
      ("ann@example.org (Ann Lee)", "Ann Lee", "ann@example.org"),
      ("Ann Lee &lt;ann@example.org&gt;", "Ann Lee", "ann@example.org"),
      ("Ann Lee (ann@example.org)", "Ann Lee", "ann@example.org"),
      ("ann@example.org", nil, "ann@example.org"), ("Ann Lee", "Ann Lee", nil),
    ] as [(String, String?, String?)])
  func anAuthorIsTakenApart(text: String, name: String?, email: String?) throws {
    let item = try Feeds.item("<author>\(text)</author>")
    #expect(item.authors == [Author(name: name, email: email)])
  }

  @Test func mediaStandsInWhereRSSSaysNothing() throws {
    let item = try Feeds.item(
      """
      <media:group><media:title>Film</media:title><media:description>About</media:description>
      <media:content url="http://e/f.mp4" type="video/mp4" fileSize="7"/>
      <media:thumbnail url="http://e/t.jpg"/></media:group>
      """)
    #expect(item.title?.text == "Film")
    #expect(item.summary == "About")
    #expect(item.image == "http://e/t.jpg")
    #expect(item.enclosures == [Enclosure(url: "http://e/f.mp4", type: "video/mp4", length: 7)])
  }
}
