import FeedReading

/// Fetches feeds and pages politely.
///
///     try await FeedFetcher.run(configuration, time: time) { fetcher in
///       let outcome = await fetcher.fetch(FetchRequest(address: try FeedAddress(text)))
///     }
///
/// A request costs one GET, and one more for each redirect.
public struct FeedFetcher: Sendable {
  let transport: any HTTPTransport
  let configuration: FetchConfiguration
  let time: FetchTime
  /// Those that asked to be left alone while many were fetched.
  let held = HeldServers()

  /// A fetcher over any transport.
  init(transport: any HTTPTransport, configuration: FetchConfiguration, time: FetchTime) {
    (self.transport, self.configuration, self.time) = (transport, configuration, time)
  }

  /// Fetches over the web for as long as `body` runs, and then ends every connection.
  ///
  /// - throws: What `body` throws.
  public static func run<Value: Sendable>(
    _ configuration: FetchConfiguration, time: FetchTime,
    body: (FeedFetcher) async throws -> Value
  ) async throws -> Value {
    let client = WebClient(configuration, time: time)
    let fetcher = FeedFetcher(transport: client, configuration: configuration, time: time)
    let result: Value
    do {
      result = try await body(fetcher)
    } catch {
      // What went wrong first is what matters; closing can at most say that it was closed before.
      try? await client.close()
      throw error
    }
    try await client.close()
    return result
  }

  /// Fetches one document, following redirects.
  ///
  /// It never throws: what went wrong is in the outcome, with the address where it did.
  public func fetch(_ request: FetchRequest) async -> FetchOutcome {
    await fetch(request, unless: HeldServers())
  }

  /// Fetches one document, and asks none of the servers that are to be left alone.
  func fetch(_ request: FetchRequest, unless held: HeldServers) async -> FetchOutcome {
    var trail = RedirectTrail(from: request.address, policy: configuration.redirects)
    while true {
      if let seconds = held[trail.current.server] { return .postponed(seconds: seconds) }
      let fields = fields(of: request, to: trail.current)
      let get = HTTPGet(address: trail.current, fields: fields, plan: Self.plan)
      switch await transport.get(get) {
      case .failure(let cause): return .failed(error(cause, trail))
      case .success(let reply) where RedirectTrail.isRedirect(reply.status):
        let step = trail.redirect(status: reply.status, location: reply.fields["location"])
        if case .stop(let cause) = step { return .failed(error(cause, trail)) }
      case .success(let reply):
        return outcome(reply, request: request, trail: trail)
      }
    }
  }

  /// What to send to an address that redirects led to.
  private func fields(of request: FetchRequest, to address: FeedAddress)
    -> [(name: String, value: String)]
  {
    var result = [
      (name: "User-Agent", value: configuration.userAgent),
      (name: "Accept", value: Self.accept),
      (name: "Accept-Encoding", value: "gzip, deflate"),
    ]
    let credentials = request.credentials ?? request.address.credentials
    if let credentials, request.address.sharesSecrets(with: address) {
      result.append((name: "Authorization", value: credentials.basicField))
    }
    return result + (request.validators?.fields(for: address.url) ?? [])
  }

  private static let accept = [
    "application/atom+xml", "application/rss+xml", "application/feed+json",
    "application/rdf+xml;q=0.9", "application/xml;q=0.8", "text/xml;q=0.8",
    "application/json;q=0.7", "text/html;q=0.5", "*/*;q=0.1",
  ].joined(separator: ", ")

  /// What to do with a body before any of it has come.
  @Sendable static func plan(status: Int, fields: HTTPFields) -> BodyPlan {
    guard isDocument(status) else { return .leave }
    if let type = MediaType(fields["content-type"]), type.isMedia {
      return .refuse(.mediaType(type.text))
    }
    let encodings = fields.list("content-encoding").map { $0.lowercased() }
    // The library unpacks one layer by these names; others that are no packing at all, such as a
    // charset in the wrong field, do no harm.
    let packings: Set = [
      "br", "zstd", "compress", "x-compress", "dcb", "dcz", "bzip2", "xz",
    ]
    if let unknown = encodings.first(where: packings.contains) {
      return .refuse(.unknownEncoding(unknown))
    }
    if encodings.count > 1 { return .refuse(.unknownEncoding(encodings.joined(separator: ", "))) }
    return .read
  }

  /// 203 is a 200 that somebody between has changed.
  private static func isDocument(_ status: Int) -> Bool { status == 200 || status == 203 }

  private func outcome(_ reply: HTTPReply, request: FetchRequest, trail: RedirectTrail)
    -> FetchOutcome
  {
    let directives = CacheDirectives(reply.fields, now: time.wall())
    let retry = directives.retryAfterSeconds
    switch reply.status {
    case let status where Self.isDocument(status):
      return .fetched(
        FetchedDocument(
          reply, trail: trail, directives: directives, storage: configuration.storage))
    case 304:
      let isAsked = !(request.validators?.fields(for: trail.current.url).isEmpty ?? true)
      guard isAsked else { return .failed(error(.unaskedNotModified, trail)) }
      return .notModified(NotModifiedAnswer(reply, trail: trail, directives: directives))
    case 410 where trail.isPermanent:
      return .gone(error(.status(410), trail))
    case let status:
      return .failed(error(.status(status), trail, retryAfter: retry))
    }
  }

  private func error(
    _ cause: FetchError.Cause, _ trail: RedirectTrail, retryAfter: Int? = nil
  ) -> FetchError {
    FetchError(
      cause, operation: .fetching, url: trail.current.url, retryAfterSeconds: retryAfter)
  }
}
