import FeedReading

/// A feed that was found, as it came.
public struct FoundFeed: Sendable {
  /// Where to subscribe to it: its address, or where that has moved.
  public let address: FeedAddress
  /// Its address before it moved, as it was given or as its page announces it.
  public let asked: FeedAddress
  /// The document, so that it need not be fetched again.
  public let document: FetchedDocument
  /// What is in it.
  public let channel: Channel
  /// Every feed that the page announces, if there was a page; the first is this one.
  public let candidates: [FeedCandidate]
}

extension FeedFetcher {
  /// Finds the feed at an address, or the one that the page there announces.
  ///
  /// It costs one GET if the address is a feed's, and two if it is a page's: the page's and the
  /// feed's. What comes is in the result and need not be fetched again.
  ///
  ///     let found = try await fetcher.findFeed(at: FeedAddress("example.org"))
  /// - parameter credentials: For the server of the address; not sent to any other.
  /// - throws: ``FetchError``: with `.noFeed` if there is none, else why it could not be fetched.
  public func findFeed(
    at address: FeedAddress, credentials: FeedCredentials? = nil
  ) async throws(FetchError) -> FoundFeed {
    let secret = credentials ?? address.credentials
    let page = try await document(FetchRequest(address: address, credentials: secret))
    if let channel = Self.channel(of: page) {
      return FoundFeed(
        address: page.movedTo ?? address, asked: address, document: page, channel: channel,
        candidates: [])
    }
    let place = address.following(page.url) ?? address
    let candidates = FeedDiscovery.candidates(in: page.body, at: place, charset: page.charset)
    guard let first = candidates.first else {
      throw FetchError(.noFeed, operation: .finding, url: page.url)
    }
    // A page may announce a feed anywhere: what the user gave is for the page's own server.
    let isSame = address.sharesSecrets(with: first.address)
    let feed = try await document(
      FetchRequest(address: first.address, credentials: isSame ? secret : nil))
    guard let channel = Self.channel(of: feed) else {
      throw FetchError(.noFeed, operation: .finding, url: feed.url)
    }
    return FoundFeed(
      address: feed.movedTo ?? first.address, asked: first.address, document: feed,
      channel: channel, candidates: candidates)
  }

  private func document(_ request: FetchRequest) async throws(FetchError) -> FetchedDocument {
    switch await fetch(request) {
    case .fetched(let document): return document
    case .failed(let error), .gone(let error): throw error
    case .notModified, .postponed:
      // Neither is an answer to a request without validators that runs alone.
      throw FetchError(.unaskedNotModified, operation: .finding, url: request.address.url)
    }
  }

  private static func channel(of document: FetchedDocument) -> Channel? {
    // That it is none is the question here, and no error.
    try? FeedParser.parse(document.body, from: document.origin)
  }
}
