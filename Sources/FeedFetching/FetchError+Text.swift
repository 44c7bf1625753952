extension FetchError {
  /// The cause in words.
  public var message: String {
    switch cause {
    case .invalidAddress(let problem): problem.message
    case .hostNotFound(let host): "the host \(host) was not found"
    case .connectionRefused: "the server refused the connection"
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .timedOut(let phase, let limit): Self.message(of: phase, limit: limit)
    case .closedEarly: "the server closed the connection without an answer"
    case .untrustedCertificate(let host):
      "the certificate of \(host) is not trusted: it has run out, or nobody known vouches for it"
    case .certificateForAnotherHost(let host): "the server's certificate is not for \(host)"
    case .insecure(let reason): "no secure connection came about: \(reason)"
    case .redirectLoop: "the server redirects in a circle"
    case .tooManyRedirects(let limit): "the server redirects more than \(limit) times"
    case .badRedirect(let status):
      "the server redirects (\(status)) to nowhere, or to what is not on the web"
    case .redirectToInsecure(let url): "the server redirects from https to \(url)"
    case .status(let status): Self.message(ofStatus: status)
    case .unaskedNotModified: "the server answered 304 (not modified) without being asked"
    case .mediaType(let type): "it is no feed, but \(type)"
    case .tooLarge(let limit): "it is larger than \(Self.size(limit))"
    case .truncated(let received, let expected?):
      "the answer was cut off: \(received) of \(expected) bytes came"
    case .truncated(let received, nil):
      "the answer was cut off after \(received) \(received == 1 ? "byte" : "bytes")"
    case .unknownEncoding(let name): "the answer is packed with \(name), which was not asked for"
    case .damagedEncoding(let reason): "the packed answer is damaged: \(reason)"
    case .malformed(let reason): "the answer is not HTTP as it should be: \(reason)"
    case .noFeed: "it is no feed, and names none"
    case .cancelled: "it was given up"
    case .other(let text): text
    }
  }

  /// What may help.
  public var hint: String? {
    switch cause {
    case .invalidAddress(.foreignHost): "write the host's name in its form with xn--"
    case .invalidAddress: "write it as in https://example.org/feed"
    case .hostNotFound, .connectionRefused, .unreachable:
      "check the address and the connection to the network"
    case .untrustedCertificate, .certificateForAnotherHost:
      "look at the page in a browser"
    case .redirectToInsecure(let url): "if that is meant, subscribe to \(url)"
    case .status(401), .status(403): "it may need a name and a password"
    case .status(404), .noFeed: "look for the feed's address on the site"
    case .status(410): "it has ended, as its server says: look on the site for another one"
    case .tooLarge: "look on the site for a feed with less in it"
    case .insecure: "the address may have to begin with http:"
    case .timedOut, .closedEarly, .truncated, .status(429), .status(500...599):
      "that may be over soon: try again later"
    default: nil
    }
  }

  private static func message(of phase: Phase, limit: Double) -> String {
    let seconds = limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
    return switch phase {
    case .connecting: "no connection within \(seconds) s"
    case .answering: "no answer within \(seconds) s"
    case .pausing: "nothing more came for \(seconds) s"
    case .transferring: "not complete after \(seconds) s, though something came all the time"
    }
  }

  private static func message(ofStatus status: Int) -> String {
    let meaning: String? =
      switch status {
      case 204: "no content"
      case 400: "bad request"
      case 401: "unauthorized"
      case 403: "forbidden"
      case 404: "not found"
      case 410: "gone"
      case 429: "too many requests"
      case 451: "unavailable for legal reasons"
      case 500: "internal error"
      case 502: "bad gateway"
      case 503: "unavailable"
      case 504: "gateway timed out"
      default: nil
      }
    return "the server answered \(status)" + (meaning.map { " (\($0))" } ?? "")
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MB" : "\(bytes) bytes"
  }
}

extension AddressProblem {
  var message: String {
    switch self {
    case .notOnTheWeb: "it is no address of the web"
    case .badHost: "there is no host in the address, or one that cannot be"
    case .foreignHost: "the host's name has letters that are not of ASCII"
    case .badPort: "the port in the address cannot be"
    case .tooLong: "the address is too long"
    }
  }
}
