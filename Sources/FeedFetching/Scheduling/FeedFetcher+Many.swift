extension FeedFetcher {
  /// After 429 without a time in it a server is left alone for so long, in seconds.
  static let usualHoldSeconds = 60

  /// Fetches many documents, several at once, and hands each result over as it comes.
  ///
  ///     await fetcher.fetchAll(requests) { result in await library.take(result) }
  ///
  /// No more begin while `deliver` has not returned, so that documents do not pile up in memory.
  /// A server that answers 429, or names a time with another failure, is not asked again by this
  /// fetcher: the rest of its requests are `.postponed`; where a redirect led there, those of the
  /// server that redirects go on, and are `.postponed` if they are led there, too. If the task is
  /// cancelled, those that run end as `.failed` with `.cancelled`, and the rest do not begin and
  /// are not delivered.
  public func fetchAll(
    _ requests: [FetchRequest], deliver: (FetchResult) async -> Void
  ) async {
    let start = time.elapsed()
    var queue = FetchQueue(
      servers: requests.map(\.address.server), limits: configuration.crowd)
    await withTaskGroup(of: (index: Int, outcome: FetchOutcome)?.self) { group in
      var alarm: Duration?
      while !Task.isCancelled {
        switch queue.next(at: time.elapsed() - start) {
        case .finish: return
        case .start(let index):
          group.addTask { (index, await self.fetchOne(requests[index], of: held)) }
          continue
        case .postpone(let index, let seconds):
          let outcome = FetchOutcome.postponed(seconds: seconds)
          await deliver(FetchResult(request: requests[index], outcome: outcome))
          continue
        case .waitUntil(let moment):
          // One that is set for earlier will do: it asks again.
          if alarm.map({ $0 <= moment }) != true {
            alarm = moment
            let wait = moment - (time.elapsed() - start)
            group.addTask {
              // Cancelled or not, there is nothing to tell but that the wait is over.
              try? await self.time.sleep(wait)
              return nil
            }
          }
        case .waitForOne: break
        }
        guard let ended = await group.next() else { return }
        guard let ended else {
          alarm = nil
          continue
        }
        queue.ended(
          ended.index, holdSeconds: Self.holdSeconds(after: ended.outcome),
          of: Self.servers(asking: ended.outcome, of: requests[ended.index]))
        await deliver(FetchResult(request: requests[ended.index], outcome: ended.outcome))
      }
      group.cancelAll()
      for await case let ended? in group {
        await deliver(FetchResult(request: requests[ended.index], outcome: ended.outcome))
      }
    }
  }

  /// Fetches one of many, and lets those that run know at once whom to leave alone.
  private func fetchOne(
    _ request: FetchRequest, of held: HeldServers
  ) async -> FetchOutcome {
    let outcome = await fetch(request, unless: held)
    if let seconds = Self.holdSeconds(after: outcome) {
      held.hold(Self.servers(asking: outcome, of: request), seconds: seconds)
    }
    return outcome
  }

  /// For how long a server wants to be left alone, if it says so.
  static func holdSeconds(after outcome: FetchOutcome) -> Int? {
    guard case .failed(let error) = outcome else { return nil }
    if case .status(429) = error.cause { return error.retryAfterSeconds ?? usualHoldSeconds }
    return error.retryAfterSeconds
  }

  /// The servers that are left alone where one of them asks for it: the one that answered, and the
  /// request's own where it is on the same host, as where it redirects to `https`.
  private static func servers(
    asking outcome: FetchOutcome, of request: FetchRequest
  ) -> [String] {
    let own = request.address
    guard case .failed(let error) = outcome, let address = try? FeedAddress(error.url),
      address.server != own.server
    else { return [own.server] }
    return address.host == own.host ? [address.server, own.server] : [address.server]
  }
}
