import Testing

@testable import FeedFetching

@Suite struct FetchManyTests {
  private func requests(_ urls: [String]) throws -> [FetchRequest] {
    try urls.enumerated().map { index, url in
      let known = FetchValidators(url: url, entityTag: "\"1\"")
      return FetchRequest(id: "\(index)", address: try FeedAddress(url), validators: known)
    }
  }

  private func results(
    _ urls: [String], _ configuration: FetchConfiguration = Fetching.configuration
  ) async throws -> [FetchResult] {
    let requests = try requests(urls)
    return try await FeedFetcher.run(configuration, time: Fetching.time) { fetcher in
      var results: [FetchResult] = []
      await fetcher.fetchAll(requests) { results.append($0) }
      return results
    }
  }

  @Test func twoHundredFeedsAreRefreshedWithOneRequestEach() async throws {
    let addresses = (1...20).map { "127.0.0.\($0)" }
    try await PlayedServer.run(
      { request in
        request.fields["if-none-match"] == nil ? Replies.feed() : Replies.reply(304)
      }, addresses: addresses
    ) { server in
      let urls = (0..<200).map { server.url("/\($0)", host: addresses[$0 % 20]) }
      let results = try await results(urls)
      #expect(Set(results.map(\.request.id)).count == 200)
      for result in results {
        guard case .notModified = result.outcome else {
          Issue.record("\(result)")
          return
        }
      }
      #expect(server.requests.count == 200)
    }
  }

  @Test func oneServerGetsTwoRequestsAtATime() async throws {
    try await PlayedServer.run({ _ in [.pause(5)] + Replies.feed() }) { server in
      let results = try await results((0..<20).map { server.url("/\($0)") })
      #expect(results.count == 20)
      #expect(server.mostAtOnce <= 2)
    }
  }

  @Test func resultsComeAsTheyAreReadyAndOneFailureIsNotTheOthers() async throws {
    try await PlayedServer.run({ request in
      request.path == "/slow" ? [.pause(3000)] + Replies.feed() : Replies.feed()
    }) { server in
      let results = try await results([
        server.url("/slow"), server.url("/fast"), "http://127.0.0.1:1/refused",
      ])
      #expect(results.last?.request.id == "0")
      #expect(results.compactMap { $0.outcome.document }.count == 2)
      #expect(results.compactMap { $0.outcome.error?.cause } == [.connectionRefused])
    }
  }

  /// Lesson 29: be polite.
  @Test func aServerThatSays429IsNotAskedAgainInThisRun() async throws {
    var polite = Fetching.configuration
    polite.crowd.perServer = 1
    try await PlayedServer.run({ _ in Replies.reply(429, ["Retry-After: 77"]) }) { server in
      let results = try await results((0..<5).map { server.url("/\($0)") }, polite)
      #expect(server.requests.count == 1)
      #expect(results.first?.outcome.error?.cause == .status(429))
      #expect(
        results.dropFirst().map(\.outcome) == Array(repeating: .postponed(seconds: 77), count: 4))
      #expect(results.dropFirst().map(\.request.id) == ["1", "2", "3", "4"])
    }
  }

  @Test("Nor is it asked by what the same fetcher fetches after that")
  func itIsNotAskedByTheSameFetcher() async throws {
    try await PlayedServer.run({ _ in Replies.reply(429, ["Retry-After: 77"]) }) { server in
      let requests = try ["/a", "/b"].map { try self.requests([server.url($0)]) }
      let outcomes = try await FeedFetcher.run(Fetching.configuration, time: Fetching.time) {
        var outcomes: [FetchOutcome] = []
        for request in requests { await $0.fetchAll(request) { outcomes.append($0.outcome) } }
        return outcomes
      }
      #expect(outcomes.last == .postponed(seconds: 77))
      #expect(server.requests.map(\.path) == ["/a"])
    }
  }

  @Test("Where a redirect led to a server that says 429, that one is not asked again")
  func aServerThatARedirectLedToIsNotAskedAgain() async throws {
    var polite = Fetching.configuration
    polite.crowd.concurrent = 1
    let addresses = ["127.0.0.1", "127.0.0.2"]
    try await PlayedServer.run(Self.leadsToABusyOne, addresses: addresses) { server in
      let results = try await results(
        [
          server.url("/moved"), server.url("/busy", host: "127.0.0.2"), server.url("/here"),
        ], polite)
      let outcomes = Dictionary(
        results.map { ($0.request.id, $0.outcome) }, uniquingKeysWith: { first, _ in first })
      #expect(outcomes["0"]?.error?.cause == .status(429))
      #expect(outcomes["1"] == .postponed(seconds: 77))
      #expect(outcomes["2"]?.document != nil)
      #expect(server.requests.map(\.path) == ["/moved", "/", "/here"])
    }
  }

  /// What has moved is redirected to 127.0.0.2, which wants to be left alone.
  private static let leadsToABusyOne: PlayedServer.Script = { request in
    let host = request.fields["host"] ?? ""
    guard host.hasPrefix("127.0.0.1:") else { return Replies.reply(429, ["Retry-After: 77"]) }
    let other = "http://" + host.replacing("127.0.0.1", with: "127.0.0.2") + "/"
    return request.path.hasPrefix("/moved") ? Replies.redirect(302, to: other) : Replies.feed()
  }

  @Test("Nor do the redirects after it ask it, where it has no requests of its own")
  func laterRedirectsDoNotAskIt() async throws {
    var polite = Fetching.configuration
    polite.crowd.concurrent = 1
    let addresses = ["127.0.0.1", "127.0.0.2"]
    try await PlayedServer.run(Self.leadsToABusyOne, addresses: addresses) { server in
      let paths = ["/moved1", "/moved2", "/moved3", "/here"]
      let outcomes = try await results(paths.map { server.url($0) }, polite).map(\.outcome)
      #expect(outcomes.first?.error?.cause == .status(429))
      #expect(
        outcomes.dropFirst().dropLast() == [.postponed(seconds: 77), .postponed(seconds: 77)])
      #expect(outcomes.last?.document != nil)
      #expect(server.requests.map(\.path) == ["/moved1", "/", "/moved2", "/moved3", "/here"])
    }
  }

  @Test func whoAsksMayGiveUp() async throws {
    let requests = try self.requests((0..<10).map { "http://e.org:\($0 + 1)/" })
    let transport = ManualTransport(time: ManualTime())
    let fetcher = FeedFetcher(
      transport: transport, configuration: Fetching.configuration,
      time: transport.time.fetchTime)
    let task = Task {
      var outcomes: [FetchOutcome] = []
      await fetcher.fetchAll(requests) { outcomes.append($0.outcome) }
      return outcomes
    }
    try await transport.time.waitForSleepers(10)
    task.cancel()
    let outcomes = await task.value
    #expect(outcomes.compactMap { $0.error?.cause } == Array(repeating: .cancelled, count: 10))
  }

  @Test func theBeginningsAtOneServerKeepTheirDistance() async throws {
    var configuration = Fetching.configuration
    configuration.crowd.pause = .seconds(10)
    let requests = try requests((0..<4).map { "http://e.org/\($0)" })
    let transport = ManualTransport(time: ManualTime())
    let fetcher = FeedFetcher(
      transport: transport, configuration: configuration, time: transport.time.fetchTime)
    let task = Task { await fetcher.fetchAll(requests) { _ in } }
    for _ in 1...3 {
      // The answer's second passes, then what is left of the pause.
      try await transport.time.waitForSleepers(2)
      transport.time.advance()
      try await transport.time.waitForSleepers(1)
      transport.time.advance()
    }
    try await transport.time.waitForSleepers(1)
    transport.time.advance()
    await task.value
    #expect(transport.begun == [.zero, .seconds(10), .seconds(20), .seconds(30)])
  }
}
