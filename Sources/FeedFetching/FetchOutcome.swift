import FeedReading

/// What is asked for.
///
///     FetchRequest(address: try FeedAddress("https://e.org/feed"), validators: record.validators)
public struct FetchRequest: Sendable, Equatable {
  /// What the caller calls it; results carry it.
  public var id: String
  /// Where the feed is.
  public var address: FeedAddress
  /// What the server gave to recognise its last answer by; without it the whole feed is asked for.
  public var validators: FetchValidators?
  /// A name and password for the address's server, from the local configuration; those that stand
  /// in the address are used otherwise.
  public var credentials: FeedCredentials?

  /// A request by its parts.
  public init(
    id: String = "", address: FeedAddress, validators: FetchValidators? = nil,
    credentials: FeedCredentials? = nil
  ) {
    (self.id, self.address, self.validators) = (id, address, validators)
    self.credentials = credentials
  }
}

/// What came of a request.
public enum FetchOutcome: Sendable, Equatable {
  /// A document came.
  case fetched(FetchedDocument)
  /// It is the same as last time.
  case notModified(NotModifiedAnswer)
  /// It is gone for ever (410), and nobody should ask again.
  case gone(FetchError)
  /// It did not come.
  case failed(FetchError)
  /// It was not asked for, since the server, or one that a redirect led to, had just asked to be
  /// left alone for so many seconds.
  case postponed(seconds: Int)
}

/// A request with what came of it.
public struct FetchResult: Sendable, Equatable {
  /// What was asked for.
  public let request: FetchRequest
  /// What came of it.
  public let outcome: FetchOutcome
}

/// A document as it came.
///
///     let channel = try FeedParser.parse(document.body, from: document.origin)
public struct FetchedDocument: Sendable, Equatable {
  /// Its bytes, unpacked.
  public let body: [UInt8]
  /// What the server says it is, as it was sent.
  public let contentType: String?
  /// Where it came from, after redirects.
  public let url: String
  /// Where the subscription has moved, if every redirect up to there was for ever (301 or 308).
  ///
  /// Move it only once the document has turned out to be a feed, for networks that want their
  /// users to log in redirect everything to their page.
  public let movedTo: FeedAddress?
  /// What the server gave to recognise this answer by.
  public let validators: FetchValidators?
  /// What the server says about when to come again.
  public let directives: CacheDirectives
  /// Whether the document may be kept on disk as it is.
  public let mayBeStored: Bool
  private let fields: HTTPFields

  /// What a parser of feeds wants to know of where it came from.
  public var origin: FeedOrigin { FeedOrigin(url: url, headers: fields.dictionary) }

  /// The encoding that the server names.
  var charset: String? { origin.charset }

  init(
    _ reply: HTTPReply, trail: RedirectTrail, directives: CacheDirectives, storage: StoragePolicy
  ) {
    body = reply.body
    fields = reply.fields
    contentType = reply.fields["content-type"]
    url = trail.current.url
    movedTo = trail.moved
    validators = FetchValidators(reply.fields, url: trail.current.url)
    self.directives = directives
    mayBeStored = storage.mayStore(
      MediaType(contentType), bytes: body.count, directives: directives)
  }
}

/// The answer that a feed is the same as last time.
public struct NotModifiedAnswer: Sendable, Equatable {
  /// Where the subscription has moved, as in ``FetchedDocument/movedTo``.
  ///
  /// The server knew the validators of the feed, so it is the feed that is there.
  public let movedTo: FeedAddress?
  /// New validators, if the server gave some.
  public let validators: FetchValidators?
  /// What the server says about when to come again.
  public let directives: CacheDirectives

  init(_ reply: HTTPReply, trail: RedirectTrail, directives: CacheDirectives) {
    movedTo = trail.moved
    validators = FetchValidators(reply.fields, url: trail.current.url)
    self.directives = directives
  }
}
