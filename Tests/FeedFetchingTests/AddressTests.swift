import FeedFetching
import Testing

@Suite struct AddressTests {
  @Test(arguments: [
    ("https://example.org/feed", "https://example.org/feed"),
    ("HTTP://Example.ORG:80", "http://example.org/"),
    ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
    ("http://e.org:8080?q", "http://e.org:8080/?q"),
    ("  example.org/feed\n", "https://example.org/feed"),
    ("example.org:8080/x", "https://example.org:8080/x"),
    ("localhost:1/x", "https://localhost:1/x"),
    ("//e.org/x", "https://e.org/x"), ("feed://e.org/x", "http://e.org/x"),
    ("feed:https://e.org/x", "https://e.org/x"), ("feed:e.org/x", "http://e.org/x"),
    ("http://e.org/a b/ü?q=\"x\"", "http://e.org/a%20b/%C3%BC?q=%22x%22"),
    ("http://[2001:DB8::1]:81/x", "http://[2001:db8::1]:81/x"),
    ("itunes:topsongs?limit=20", "https://itunes.apple.com/us/rss/topsongs/limit=20/json"),
  ])
  func whateverFormAnAddressIsWrittenInItIsRead(text: String, url: String) throws {
    #expect(try FeedAddress(text).url == url)
  }

  @Test(arguments: [
    ("ftp://e.org/x", AddressProblem.notOnTheWeb), ("javascript:alert(1)", .notOnTheWeb),
    ("news", .notOnTheWeb), ("", .notOnTheWeb), ("mailto:ann@e.org", .notOnTheWeb),
    ("http:///x", .badHost), ("http://a b/x", .badHost), ("http://[::1/x", .badHost),
    ("http://e.org:x/", .badPort), ("http://e.org:0/", .badPort), ("http://e.org:70000", .badPort),
    ("http://e.org:+80/", .badPort), ("http://bücher.example/", .foreignHost),
    ("http://e.org/" + String(repeating: "a", count: 20_000), .tooLong),
  ])
  func whatCannotBeFetchedIsRefusedWithTheReason(text: String, problem: AddressProblem) throws {
    let error = try #require(throws: FetchError.self) { _ = try FeedAddress(text) }
    #expect(error.cause == .invalidAddress(problem))
    #expect(error.hint != nil)
  }

  @Test func aNameAndPasswordAreTakenOutOfIt() throws {
    let address = try FeedAddress("https://ann:s%3Acret@e.org/feed")
    #expect(address.url == "https://e.org/feed")
    #expect(address.credentials == FeedCredentials(name: "ann", password: "s:cret"))
    #expect(try FeedAddress("http://e.org/@x").credentials == nil)
    #expect(try FeedAddress("http://ann@e.org/").credentials?.password == "")
  }

  @Test func nothingThatIsPrintedHasThePassword() throws {
    let address = try FeedAddress("https://ann:geheim@e.org/feed")
    var dumped = ""
    dump(FetchRequest(address: address), to: &dumped)
    #expect(!dumped.contains("geheim"))
    #expect(!"\(address) \(String(reflecting: address))".contains("geheim"))
    for text in ["https://ann:geheim@e.org:x/feed", "ftp://ann:geheim@e.org/"] {
      let error = try #require(throws: FetchError.self) { _ = try FeedAddress(text) }
      #expect(!"\(error) \(error.url) \(error.message)".contains("geheim"))
    }
  }

  @Test func aLinkIsFollowedOnlyWithinTheWeb() throws {
    let address = try FeedAddress("https://e.org/a/b?c")
    #expect(address.following("../d")?.url == "https://e.org/d")
    #expect(address.following("//f.org/d")?.url == "https://f.org/d")
    #expect(address.following("?e")?.url == "https://e.org/a/b?e")
    #expect(address.following("javascript:alert(1)") == nil)
    #expect(address.following("file:///etc/passwd") == nil)
  }
}
