import FeedReading

/// What an answer says about when to come again, and about being kept.
public struct CacheDirectives: Sendable, Equatable {
  /// For how many seconds the answer is fresh, by `Cache-Control` or `Expires`; nil if it says
  /// nothing.
  public var freshSeconds: Int?
  /// After how many seconds the server asked to come again, by `Retry-After`.
  public var retryAfterSeconds: Int?
  /// Whether it may be kept on disk; not if it says `no-store`.
  public var mayBeStored = true

  /// Nothing said.
  public init() {}

  /// Reads the fields of an answer.
  ///
  /// - parameter now: The time here, for a server that does not say what time it has.
  public init(_ fields: HTTPFields, now: FeedInstant) {
    let clock = fields["date"].flatMap { FeedInstant($0) } ?? now
    let directives = Self.directives(fields.list("cache-control"))
    mayBeStored = directives["no-store"] == nil
    if directives["no-cache"] != nil || directives["no-store"] != nil {
      freshSeconds = 0
    } else if let age = directives["max-age"] {
      // An age that is no number counts as stale: RFC 9111, 4.2.1.
      let old = fields["age"].flatMap(Self.seconds) ?? 0
      freshSeconds = max(0, (Self.seconds(age) ?? 0) - old)
    } else if let expires = fields["expires"] {
      // "0" and other times that are none mean that it has passed: RFC 9111, 5.3.
      freshSeconds = FeedInstant(expires).map { Self.distance(from: clock, to: $0) } ?? 0
    }
    if let retry = fields["retry-after"] {
      retryAfterSeconds =
        Self.seconds(retry) ?? FeedInstant(retry).map { Self.distance(from: clock, to: $0) }
    }
  }

  private static func directives(_ list: [String]) -> [String: String] {
    var result: [String: String] = [:]
    for item in list {
      let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first?.lowercased(), result[name] == nil else { continue }
      result[name] = parts.count > 1 ? parts[1].filter { $0 != "\"" && $0 != " " } : ""
    }
    return result
  }

  /// A number of seconds; more digits than fit are as good as for ever.
  private static func seconds(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return min(Int(text) ?? longest, longest)
  }

  private static let longest = 10 * 365 * 86_400

  private static func distance(from start: FeedInstant, to end: FeedInstant) -> Int {
    min(max(0, Int(end.secondsSince1970 - start.secondsSince1970)), longest)
  }
}

/// What a server gave to recognise an answer by, for asking whether it is still the same.
public struct FetchValidators: Sendable, Equatable, Codable {
  /// The address that gave them, after redirects; they mean nothing elsewhere.
  public var url: String
  /// `ETag`, as it was sent.
  public var entityTag: String?
  /// `Last-Modified`, as it was sent.
  public var lastModified: String?

  /// Validators by their parts.
  public init(url: String, entityTag: String? = nil, lastModified: String? = nil) {
    (self.url, self.entityTag, self.lastModified) = (url, entityTag, lastModified)
  }

  /// The validators of an answer; nil if it has none.
  init?(_ fields: HTTPFields, url: String) {
    self.init(url: url, entityTag: fields["etag"], lastModified: fields["last-modified"])
    if entityTag == nil, lastModified == nil { return nil }
  }

  /// The fields of a request for `url`; none if they are of another address.
  func fields(for url: String) -> [(name: String, value: String)] {
    guard url == self.url else { return [] }
    var result: [(name: String, value: String)] = []
    if let entityTag { result.append(("If-None-Match", entityTag)) }
    if let lastModified { result.append(("If-Modified-Since", lastModified)) }
    return result
  }
}
