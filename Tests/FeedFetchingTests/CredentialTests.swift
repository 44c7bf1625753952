import Testing

@testable import FeedFetching

@Suite struct CredentialTests {
  private let secret = FeedCredentials(name: "Aladdin", password: "open sesame")

  /// The example of RFC 7617, section 2.
  @Test func theyAreWrittenAsTheStandardSays() {
    #expect(secret.basicField == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(FeedCredentials(name: "test", password: "123£").basicField == "Basic dGVzdDoxMjPCow==")
    #expect(FeedCredentials(name: "a", password: "").basicField == "Basic YTo=")
  }

  @Test func theyAreSentToTheServerTheyAreFor() async throws {
    try await PlayedServer.run({ request in
      request.fields["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        ? (request.path == "/feed" ? Replies.redirect(301, to: "/x") : Replies.feed())
        : Replies.reply(401)
    }) { server in
      let outcome = try await Fetching.outcome(server.url("/feed"), credentials: secret)
      #expect(outcome.document != nil)
      let inside = server.url("/feed").replacing("://", with: "://Aladdin:open%20sesame@")
      let document = try #require(try await Fetching.outcome(inside).document)
      #expect(!document.url.contains("Aladdin"))
      #expect(document.movedTo?.credentials == nil)
      let without = try await Fetching.outcome(server.url("/feed"))
      #expect(without.error?.cause == .status(401))
    }
  }

  @Test func afterARedirectToAnotherServerTheyAreNotSent() async throws {
    try await PlayedServer.run({ _ in Replies.feed() }) { other in
      let target = other.url("/stolen")
      try await PlayedServer.run({ _ in Replies.redirect(301, to: target) }) { server in
        let outcome = try await Fetching.outcome(server.url("/feed"), credentials: secret)
        #expect(outcome.document != nil)
        #expect(server.requests.first?.fields["authorization"] != nil)
        #expect(other.requests.first?.path == "/stolen")
        #expect(other.requests.first?.fields["authorization"] == nil)
      }
    }
  }

  @Test func onlyTheStepToHTTPSOnTheSameHostKeepsThem() throws {
    let address = try FeedAddress("http://e.org/feed")
    for (url, keeps) in [
      ("http://e.org/x", true), ("https://e.org/x", true), ("https://e.org:8443/x", false),
      ("http://e.org:81/", false), ("https://f.org/", false), ("http://sub.e.org/", false),
    ] {
      #expect(address.sharesSecrets(with: try FeedAddress(url)) == keeps, "\(url)")
    }
    #expect(!(try FeedAddress("https://e.org/").sharesSecrets(with: address)))
  }

  @Test func anErrorDoesNotShowThem() async throws {
    let url = "http://Aladdin:geheim@127.0.0.1:1/feed"
    let outcome = try await Fetching.outcome(url)
    let error = try #require(outcome.error)
    #expect(error.cause == .connectionRefused)
    #expect(!"\(outcome) \(error.url) \(error.message)".contains("geheim"))
    #expect(error.url == "http://127.0.0.1:1/feed")
  }
}
