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
  /// Why those are no feeds, or not there any more, that the page announces before this one.
  public let absent: [FetchError]
}

extension FeedFetcher {
  /// Finds the feed at an address, or the one that the page there announces.
  ///
  /// It costs one GET if the address is a feed's, and two if it is a page's: the page's and the
  /// feed's; and one for each feed that the page announces before one that is there. What comes is
  /// in the result and need not be fetched again.
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
        candidates: [], absent: [])
    }
    let place = address.following(page.url) ?? address
    let candidates = FeedDiscovery.candidates(in: page.body, at: place, charset: page.charset)
    var absent: [FetchError] = []
    for (number, candidate) in candidates.prefix(Self.mostCandidates).enumerated() {
      // What is said of a page takes the place of what it says only where it announces that first.
      guard number == 0 || !FeedDiscovery.isOfComments(candidate) else { break }
      do throws(FetchError) {
        let (feed, channel) = try await self.feed(candidate, of: address, credentials: secret)
        return FoundFeed(
          address: feed.movedTo ?? candidate.address, asked: candidate.address, document: feed,
          channel: channel, candidates: Array(candidates[number...]), absent: absent)
      } catch {
        guard error.isOfAbsence else { throw error }
        absent.append(error)
      }
    }
    throw absent.first ?? FetchError(.noFeed, operation: .finding, url: page.url)
  }

  /// How many feeds of a page are tried.
  private static let mostCandidates = 5

  /// A feed that a page announces.
  private func feed(
    _ candidate: FeedCandidate, of page: FeedAddress, credentials: FeedCredentials?
  ) async throws(FetchError) -> (FetchedDocument, Channel) {
    // A page may announce a feed anywhere: what the user gave is for the page's own server.
    let isSame = page.sharesSecrets(with: candidate.address)
    let feed = try await document(
      FetchRequest(address: candidate.address, credentials: isSame ? credentials : nil))
    guard let channel = Self.channel(of: feed) else {
      throw FetchError(.noFeed, operation: .finding, url: feed.url)
    }
    return (feed, channel)
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

extension FetchError {
  /// Whether there is no feed, and a look at another time would find none, either.
  fileprivate var isOfAbsence: Bool {
    switch cause {
    case .noFeed, .mediaType, .status(404), .status(410): true
    default: false
    }
  }
}
