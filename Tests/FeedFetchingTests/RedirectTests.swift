import Testing

@testable import FeedFetching

@Suite struct RedirectTests {
  /// Lesson 29: what moves a feed, and what does not.
  @Test(arguments: [(301, true), (308, true), (302, false), (303, false), (307, false)])
  func eachRedirectIsFollowedAndTwoOfThemMoveTheFeed(status: Int, moves: Bool) async throws {
    try await PlayedServer.run({ request in
      request.path == "/feed" ? Replies.redirect(status, to: "/new?x=1") : Replies.feed()
    }) { server in
      let document = try #require(try await Fetching.outcome(server.url("/feed")).document)
      #expect(document.url == server.url("/new?x=1"))
      #expect(document.movedTo?.url == (moves ? server.url("/new?x=1") : nil))
      #expect(server.requests.count == 2)
    }
  }

  @Test func aFeedThatHasMovedAndIsTheSameIsSaidToHaveMoved() async throws {
    try await PlayedServer.run({ request in
      request.path == "/feed" ? Replies.redirect(301, to: "/new") : Replies.reply(304)
    }) { server in
      let known = FetchValidators(url: server.url("/new"), entityTag: "\"1\"")
      let outcome = try await Fetching.outcome(server.url("/feed"), validators: known)
      guard case .notModified(let answer) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(answer.movedTo?.url == server.url("/new"))
    }
  }

  @Test func circlesAndLongChainsEndWithAnErrorThatSaysSo() async throws {
    try await PlayedServer.run({ request in
      switch request.path {
      case "/a": Replies.redirect(302, to: "/b")
      case "/b": Replies.redirect(302, to: "/a")
      default: Replies.redirect(302, to: request.path + "x")
      }
    }) { server in
      let circle = try #require(try await Fetching.outcome(server.url("/a")).error)
      #expect(circle.message == "the server redirects in a circle")
      #expect(server.requests.count == 2)
      let chain = try #require(try await Fetching.outcome(server.url("/")).error)
      #expect(chain.message == "the server redirects more than 10 times")
      #expect(server.requests.count == 2 + 11)
    }
  }

  @Test func aRedirectToNowhereNamesItsStatus() async throws {
    for fields in [[], ["Location: file:///etc/passwd"], ["Location: "]] {
      let outcome = try await Fetching.outcome { _ in Replies.reply(301, fields) }
      #expect(outcome.error?.cause == .badRedirect(status: 301), "\(fields)")
    }
  }

  @Test func theErrorNamesTheAddressWhereItHappened() async throws {
    try await PlayedServer.run({ request in
      request.path == "/feed" ? Replies.redirect(302, to: "/other") : Replies.reply(404)
    }) { server in
      let outcome = try await Fetching.outcome(server.url("/feed"))
      #expect(outcome.error?.url == server.url("/other"))
    }
  }
}
