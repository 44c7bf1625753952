import Testing

@testable import FeedFetching

@Suite struct ConditionalTests {
  private func validators(_ url: String) -> FetchValidators {
    FetchValidators(
      url: url, entityTag: "W/\"v1\"", lastModified: "Mon, 01 Jan 2024 00:00:00 GMT")
  }

  /// Lesson 29: be polite.
  @Test func aFeedThatIsTheSameIsNotSentAgain() async throws {
    try await PlayedServer.run({ request in
      request.fields["if-none-match"] == "W/\"v1\""
        && request.fields["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"
        ? Replies.reply(304, ["ETag: \"v2\"", "Cache-Control: max-age=60"]) : Replies.feed()
    }) { server in
      let url = server.url("/feed")
      let outcome = try await Fetching.outcome(url, validators: validators(url))
      guard case .notModified(let answer) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(answer.validators == FetchValidators(url: url, entityTag: "\"v2\""))
      #expect(answer.directives.freshSeconds == 60)
      #expect(server.requests.count == 1)
    }
  }

  @Test func anAnswerWithoutBodyMaySayThatItIsPacked() async throws {
    try await PlayedServer.run({ _ in
      Replies.reply(304, ["Content-Encoding: gzip", "Content-Length: 512"])
    }) { server in
      let url = server.url("/feed")
      for _ in 1...5 {
        let outcome = try await Fetching.outcome(url, validators: validators(url))
        guard case .notModified = outcome else {
          Issue.record("\(outcome)")
          return
        }
      }
    }
  }

  @Test func validatorsAreSentOnlyToTheAddressThatGaveThem() async throws {
    try await PlayedServer.run({ request in
      switch request.path {
      case "/feed": Replies.redirect(302, to: "/real")
      default: request.fields["if-none-match"] != nil ? Replies.reply(304) : Replies.feed()
      }
    }) { server in
      let mine = validators(server.url("/real"))
      let outcome = try await Fetching.outcome(server.url("/feed"), validators: mine)
      guard case .notModified = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(server.requests.map { $0.fields["if-none-match"] != nil } == [false, true])
      let other = validators(server.url("/old"))
      let whole = try await Fetching.outcome(server.url("/real"), validators: other)
      #expect(whole.document != nil)
    }
  }

  @Test func a304ThatNobodyAskedForIsAnError() async throws {
    let outcome = try await Fetching.outcome { _ in Replies.reply(304) }
    #expect(outcome.error?.cause == .unaskedNotModified)
  }
}
