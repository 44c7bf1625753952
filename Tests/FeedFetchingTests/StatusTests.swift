import FeedReading
import Testing

@testable import FeedFetching

@Suite struct StatusTests {
  @Test func aFeedComesWithAllThatIsKnownOfIt() async throws {
    let outcome = try await Fetching.outcome { _ in
      Replies.feed([
        "ETag: \"v1\"", "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT",
        "Cache-Control: max-age=900",
      ])
    }
    let document = try #require(outcome.document)
    #expect(String(decoding: document.body, as: UTF8.self) == Replies.rss)
    #expect(document.contentType == "application/rss+xml")
    #expect(document.movedTo == nil)
    #expect(document.directives.freshSeconds == 900)
    #expect(document.mayBeStored)
    #expect(
      document.validators
        == FetchValidators(
          url: document.url, entityTag: "\"v1\"", lastModified: "Mon, 01 Jan 2024 00:00:00 GMT"))
    #expect(try FeedParser.parse(document.body, from: document.origin).items.count == 1)
  }

  @Test func theRequestSaysWhoAsksAndWhatFor() async throws {
    try await PlayedServer.run({ _ in Replies.feed() }) { server in
      _ = try await Fetching.outcome(server.url("/feed?a=b%20c"))
      let request = try #require(server.requests.first)
      #expect(request.path == "/feed?a=b%20c")
      #expect(request.fields["user-agent"] == "nerdfeed/test")
      #expect(request.fields["accept"]?.contains("application/atom+xml") == true)
      #expect(request.fields["accept-encoding"] == "gzip, deflate")
      #expect(request.fields["authorization"] == nil)
      #expect(request.fields["if-none-match"] == nil)
      #expect(request.fields["if-modified-since"] == nil)
    }
  }

  @Test(arguments: [
    (204, "no content"), (206, "206"), (300, "300"), (305, "305"), (400, "bad request"),
    (401, "unauthorized"), (403, "forbidden"), (404, "not found"), (418, "418"),
    (429, "too many requests"), (451, "legal"), (500, "internal error"), (503, "unavailable"),
    (599, "599"),
  ])
  func eachFailureIsToldWithItsStatus(status: Int, words: String) async throws {
    let outcome = try await Fetching.outcome { _ in Replies.reply(status, text: "sorry") }
    let error = try #require(outcome.error)
    #expect(error.cause == .status(status))
    #expect(error.message.contains("\(status)") && error.message.contains(words))
    #expect(error.url.hasSuffix("/feed"))
    if case .gone = outcome { Issue.record("\(status) does not end a feed") }
  }

  @Test func aFeedEndsWith410ButNotBehindATemporaryRedirect() async throws {
    let gone = try await Fetching.outcome { _ in Replies.reply(410) }
    guard case .gone(let error) = gone else {
      Issue.record("\(gone)")
      return
    }
    #expect(error.message.contains("410 (gone)"))
    for (status, ends) in [(301, true), (302, false)] {
      let outcome = try await Fetching.outcome { request in
        request.path == "/feed" ? Replies.redirect(status, to: "/new") : Replies.reply(410)
      }
      if case .gone = outcome { #expect(ends) } else { #expect(!ends, "\(outcome)") }
    }
  }

  @Test(arguments: [429, 503])
  func whenToComeAgainIsTakenFromTheAnswer(status: Int) async throws {
    for text in ["120", "Mon, 01 Jan 2024 00:02:00 GMT"] {
      let outcome = try await Fetching.outcome { _ in
        Replies.reply(status, ["Retry-After: \(text)"])
      }
      #expect(outcome.error?.retryAfterSeconds == 120, "\(text)")
    }
  }

  @Test func aFilmIsNotTransferred() async throws {
    let outcome = try await Fetching.outcome { _ in
      [Replies.head(200, ["Content-Type: video/mp4"]), .endless(Array(repeating: 0, count: 4_096))]
    }
    #expect(outcome.error?.cause == .mediaType("video/mp4"))
  }
}
