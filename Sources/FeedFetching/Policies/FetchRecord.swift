import FeedReading

/// What is kept of a feed between one fetch and the next.
///
/// It is a small value for a local file or table; it is decoded also where fields are missing, so
/// that a later version can add some.
public struct FetchRecord: Sendable, Equatable {
  /// What the server gave to recognise its last answer by.
  public var validators: FetchValidators?
  /// When the feed last came, or was said to be unchanged.
  public var lastFetched: FeedInstant?
  /// When the server was last asked.
  public var lastAttempt: FeedInstant?
  /// When it is to be asked next; nil means now.
  public var due: FeedInstant?
  /// Until when the server asked to be left alone, also by a user who cannot wait.
  public var heldUntil: FeedInstant?
  /// How many fetches have failed since the last one that did not.
  public var failures = 0
  /// Whether the feed has ended: the server said that it is gone (410).
  public var isStopped = false

  /// A feed that was never fetched.
  public init() {}
}

extension FetchRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case validators
    case lastFetched
    case lastAttempt
    case due
    case heldUntil
    case failures
    case isStopped
  }

  /// Decodes what is there; times are seconds since 1970.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func instant(_ key: CodingKeys) throws -> FeedInstant? {
      try values.decodeIfPresent(Int64.self, forKey: key).map {
        FeedInstant(secondsSince1970: $0)
      }
    }
    validators = try values.decodeIfPresent(FetchValidators.self, forKey: .validators)
    lastFetched = try instant(.lastFetched)
    lastAttempt = try instant(.lastAttempt)
    due = try instant(.due)
    heldUntil = try instant(.heldUntil)
    failures = try values.decodeIfPresent(Int.self, forKey: .failures) ?? 0
    isStopped = try values.decodeIfPresent(Bool.self, forKey: .isStopped) ?? false
  }

  /// Encodes times as seconds since 1970, and leaves out what is absent.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(validators, forKey: .validators)
    try values.encodeIfPresent(lastFetched?.secondsSince1970, forKey: .lastFetched)
    try values.encodeIfPresent(lastAttempt?.secondsSince1970, forKey: .lastAttempt)
    try values.encodeIfPresent(due?.secondsSince1970, forKey: .due)
    try values.encodeIfPresent(heldUntil?.secondsSince1970, forKey: .heldUntil)
    try values.encode(failures, forKey: .failures)
    try values.encode(isStopped, forKey: .isStopped)
  }
}
