import Testing

@testable import FeedFetching

/// What servers and networks do wrong, each with the error that says so.
@Suite struct BrokenReplyTests {
  private func cause(
    _ configuration: FetchConfiguration = Fetching.configuration, _ steps: Step...
  ) async throws -> FetchError.Cause? {
    try await Fetching.outcome(configuration) { _ in steps }.error?.cause
  }

  private func configuration(_ change: (inout FetchLimits) -> Void) -> FetchConfiguration {
    var configuration = Fetching.configuration
    change(&configuration.limits)
    return configuration
  }

  @Test func aBodyThatIsCutOffSaysHowMuchCame() async throws {
    let outcome = try await Fetching.outcome { _ in
      [Replies.head(200, ["Content-Length: 100"]), .text("0123456789"), .close]
    }
    let error = try #require(outcome.error)
    #expect(error.cause == .truncated(received: 10, expected: 100))
    #expect(error.message == "the answer was cut off: 10 of 100 bytes came")
  }

  @Test func chunksThatEndTooEarlyAreCutOff() async throws {
    #expect(
      try await cause(
        Fetching.configuration, Replies.head(200, ["Transfer-Encoding: chunked"]),
        .text("5\r\nabcde\r\n"), .pause(20), .close)
        == .truncated(received: 5, expected: nil))
    #expect(
      try await cause(
        Fetching.configuration, Replies.head(200, ["Transfer-Encoding: chunked"]),
        .text("zz\r\nabcde\r\n"), .close) == .malformed("a chunk has no size"))
  }

  @Test func aBodyWithoutLengthEndsWithItsConnection() async throws {
    let outcome = try await Fetching.outcome { _ in
      [Replies.head(), .text(Replies.rss), .close]
    }
    #expect(outcome.document?.body.count == Replies.rss.utf8.count)
  }

  @Test func whatFollowsALengthThatIsTooSmallIsNotOfTheBody() async throws {
    try await PlayedServer.run({ _ in
      [Replies.head(200, ["Content-Length: 5"]), .text("0123456789"), .close]
    }) { server in
      for _ in 1...3 {
        let outcome = try await Fetching.outcome(server.url("/feed"))
        #expect(outcome.document?.body == Array("01234".utf8), "\(outcome)")
      }
    }
  }

  @Test func lengthsThatContradictEachOtherAreRefused() async throws {
    let told = FetchError.Cause.malformed("its Content-Length is none, or contradicts itself")
    #expect(
      try await cause(
        Fetching.configuration, Replies.head(200, ["Content-Length: 5", "Content-Length: 6"]),
        .text("012345"), .close) == told)
    #expect(
      try await cause(
        Fetching.configuration, Replies.head(200, ["Content-Length: many"]), .close) == told)
  }

  @Test func aServerThatHangsUpIsNamed() async throws {
    #expect(try await cause(Fetching.configuration, .close) == .closedEarly)
    #expect(
      try await cause(Fetching.configuration, .text("HTTP/1.1 200 OK\r\nA: "), .close)
        == .closedEarly)
  }

  @Test func whatIsNoHTTPIsSaidToBeNone() async throws {
    for text in ["SSH-2.0-OpenSSH_9.9\r\n", "<html></html>\r\n\r\n", "\0\0\0\0\0\0\0\0"] {
      guard case .malformed = try await cause(Fetching.configuration, .text(text), .close) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func aHeaderWithoutEndIsGivenUp() async throws {
    let line = Array("X-Field: \(String(repeating: "x", count: 1_000))\r\n".utf8)
    #expect(
      try await cause(
        Fetching.configuration, .text("HTTP/1.1 200 OK\r\n"), .endless(line))
        == .malformed("its header is too large"))
  }

  @Test func aServerThatSaysNothingIsGivenUp() async throws {
    let short = configuration { $0.answerSeconds = 0.2 }
    let outcome = try await Fetching.outcome(short) { _ in [.pause(60_000)] }
    #expect(outcome.error?.cause == .timedOut(.answering, limit: 0.2))
    #expect(outcome.error?.message == "no answer within 0.2 s")
  }

  @Test func aHeaderThatDripsIsGivenUp() async throws {
    let short = configuration { $0.answerSeconds = 0.3 }
    let drip = Step.drip(Array("HTTP/1.1 200 OK\r\n".utf8), 50)
    #expect(try await cause(short, drip) == .timedOut(.answering, limit: 0.3))
  }

  @Test func aBodyThatStopsIsGivenUp() async throws {
    let short = configuration { $0.pauseSeconds = 0.2 }
    let outcome = try await Fetching.outcome(short) { _ in
      [Replies.head(200, ["Content-Length: 100"]), .text("0123"), .pause(60_000)]
    }
    #expect(outcome.error?.cause == .timedOut(.pausing, limit: 0.2))
    #expect(outcome.error?.message == "nothing more came for 0.2 s")
  }

  @Test func aBodyThatDripsIsGivenUpThoughItNeverStops() async throws {
    let short = configuration { ($0.pauseSeconds, $0.totalSeconds) = (5, 0.4) }
    let body = Array(repeating: UInt8(ascii: "x"), count: 10_000)
    let outcome = try await Fetching.outcome(short) { _ in
      [Replies.head(200, ["Content-Length: 10000"]), .drip(body, 20)]
    }
    #expect(outcome.error?.cause == .timedOut(.transferring, limit: 0.4))
    #expect(
      outcome.error?.message == "not complete after 0.4 s, though something came all the time")
  }

  @Test func aBodyWithoutEndIsGivenUpAtTheLimit() async throws {
    let small = configuration { $0.bodyBytes = 1 << 20 }
    let chunk = Array(repeating: UInt8(ascii: "x"), count: 16_384)
    let outcome = try await Fetching.outcome(small) { _ in [Replies.head(), .endless(chunk)] }
    #expect(outcome.error?.cause == .tooLarge(limit: 1 << 20))
    #expect(outcome.error?.message == "it is larger than 1 MB")
  }

  @Test func aBodyThatSaysItIsTooLargeIsNotTransferred() async throws {
    let small = configuration { $0.bodyBytes = 100 }
    #expect(
      try await cause(small, Replies.head(200, ["Content-Length: 101"]), .pause(60_000))
        == .tooLarge(limit: 100))
    let exact = try await Fetching.outcome(small) { _ in
      Replies.reply(200, body: Array(repeating: 1, count: 100))
    }
    #expect(exact.document?.body.count == 100)
  }

  @Test func nobodyThereAndNoSuchHostAreToldApart() async throws {
    let refused = try #require(try await Fetching.outcome("http://127.0.0.1:1/").error)
    #expect(refused.message == "the server refused the connection")
    let unknown = try #require(try await Fetching.outcome("http://nowhere.invalid/").error)
    #expect(unknown.cause == .hostNotFound("nowhere.invalid"))
  }
}
