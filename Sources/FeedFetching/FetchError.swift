/// Why something could not be fetched.
///
///     "\(error.url): \(error.message)"   // "https://example.org/feed: the server answered 404 …"
///
/// Neither the address nor the message has a name or password in it.
public struct FetchError: Error, Equatable, Sendable {
  /// What was being done.
  public enum Operation: String, Equatable, Sendable {
    /// An address was read.
    case reading = "read the address"
    /// A feed or page was fetched.
    case fetching = "fetch"
    /// A feed was looked for behind a page.
    case finding = "find the feed"
  }

  /// Where time ran out.
  public enum Phase: Equatable, Sendable {
    /// No connection came about.
    case connecting
    /// The server did not begin to answer.
    case answering
    /// Nothing more came of the body.
    case pausing
    /// The whole took too long, though something came all the time.
    case transferring
  }

  /// The kinds of failure.
  public enum Cause: Error, Equatable, Sendable {
    /// The address cannot be used.
    case invalidAddress(AddressProblem)
    /// The name of the host is not known.
    case hostNotFound(String)
    /// Nobody listens there.
    case connectionRefused
    /// The host cannot be reached, for this reason.
    case unreachable(String)
    /// Time ran out; the limit is in seconds.
    case timedOut(Phase, limit: Double)
    /// The server closed the connection before it answered.
    case closedEarly
    /// The certificate is not vouched for by anybody known here, or has run out.
    case untrustedCertificate(host: String)
    /// The certificate is for another name.
    case certificateForAnotherHost(host: String)
    /// There could be no secure connection, for this reason.
    case insecure(String)
    /// The same addresses are redirected to again and again.
    case redirectLoop
    /// There were more redirects than the limit.
    case tooManyRedirects(limit: Int)
    /// A redirect that says nowhere, or not on the web.
    case badRedirect(status: Int)
    /// A redirect from `https` to `http`.
    case redirectToInsecure(String)
    /// Any other answer than success.
    case status(Int)
    /// 304, though nothing was asked that could be answered so.
    case unaskedNotModified
    /// What it says it is cannot be a feed, such as a film.
    case mediaType(String)
    /// The body is larger than the limit, in bytes, after unpacking.
    case tooLarge(limit: Int)
    /// The connection ended before the body did; the sizes are in bytes, as far as known.
    case truncated(received: Int, expected: Int?)
    /// The body is packed in a way that was not offered.
    case unknownEncoding(String)
    /// The packed body is damaged, for this reason.
    case damagedEncoding(String)
    /// The answer is not HTTP, for this reason.
    case malformed(String)
    /// The document is no feed, and announces none.
    case noFeed
    /// Whoever asked does not want it any more.
    case cancelled
    /// Anything else, in the words of the library.
    case other(String)
  }

  /// What went wrong.
  public let cause: Cause
  /// What was being done.
  public let operation: Operation
  /// The address it happened at, after redirects.
  public let url: String
  /// After how many seconds the server asked to come again.
  public let retryAfterSeconds: Int?

  /// An error by its parts.
  public init(
    _ cause: Cause, operation: Operation, url: String, retryAfterSeconds: Int? = nil
  ) {
    (self.cause, self.operation, self.url) = (cause, operation, url)
    self.retryAfterSeconds = retryAfterSeconds
  }
}
