import FeedReading
import Testing

@Suite struct TitleTests {
  @Test func aTitleIsTextAndHTMLAtOnce() throws {
    let title = try #require(
      try Feeds.item("<title>AT&amp;amp;T &lt;b&gt;now&lt;/b&gt;&lt;br&gt;here</title>").title)
    #expect(title.text == "AT&T now here")
    #expect(title.html == "AT&amp;T <b>now</b><br/>here")
  }

  @Test(arguments: [
    ("1 < 2 & 3", "1 < 2 & 3"), ("a <b> c", "a &lt;b> c"), ("&amp; &copy", "&amp;amp; &amp;copy"),
    ("</script>", "&lt;/script>"),
  ])
  func onlyWhatHTMLWouldMisreadIsEscaped(text: String, html: String) {
    #expect(Title(plain: text)?.html == html)
    #expect(Title(plain: text)?.text == text)
  }

  @Test func tagsThatHTMLDoesNotKnowAreTextInATitleOfRSS() throws {
    let title = try Feeds.item("<title>Array&lt;T&gt; &lt;b&gt;x&lt;/b&gt;</title>").title
    #expect(title?.text == "Array<T> x")
    #expect(title?.html == "Array&lt;T&gt; <b>x</b>")
    #expect(try Feeds.item("<title>&lt;x&gt;y&lt;/x&gt;</title>").title?.html == "y")
    #expect(try Feeds.item("<title>&lt;p&gt;&lt;/p&gt;</title>").title == nil)
  }

  /// Lesson 31: escape title, author and link, too.
  @Test func itIsOneHarmlessLine() throws {
    let title = try Feeds.item("<title>\n a\t\u{202E}b&#x9b;31m &#x2028;c\n</title>").title
    #expect(title?.text == "a b›31m c")
    #expect(try Feeds.item("<title> \n </title>").title == nil)
  }

  /// Lesson 31: escape title, author and link, too.
  @Test func nothingInATitleRuns() throws {
    let title = try Feeds.item(
      "<title>a &lt;script&gt;alert(1)&lt;/script&gt;&lt;b onclick='x'&gt;b&lt;/b&gt;</title>"
    ).title
    #expect(title?.html == "a <b>b</b>")
  }

  @Test func aPictureAloneIsATitleWithoutText() throws {
    let title = try Feeds.item("<title>&lt;img src='http://e/i.png' onload=x&gt;</title>").title
    #expect(title?.text == "")
    #expect(title?.html == "<img src=\"http://e/i.png\"/>")
  }

  /// Lesson 31: escape title, author and link, too.
  @Test func linksAndIdentitiesAreHarmless() throws {
    #expect(try Feeds.item("<link>javascript:alert(1)</link>").link == nil)
    #expect(try Feeds.item("<link>data:text/html,x</link>").link == nil)
    #expect(try Feeds.item("<guid>a\u{1B}[2Jb</guid>").id == "a[2Jb")
    #expect(try Feeds.item("<link>http://e/\u{202E}x\u{7F}y</link>").link == "http://e/xy")
    #expect(try Feeds.item("<author>A\u{1B}\u{202E}nn</author>").authors.first?.name == "Ann")
  }
}
