/// Which answers may be kept on disk, by their media type.
///
///     var policy = StoragePolicy()
///     policy.limits["image/*"] = 100_000
///     policy.mayStore(MediaType("image/png"), bytes: 20_000, directives: directives)   // true
///
/// Whatever is configured, sound and film and anything else large is never kept: a cache that fills
/// with episodes serves nobody.
public struct StoragePolicy: Sendable, Equatable {
  /// Sound, film, pictures, typefaces and bytes of no known kind are never kept from this size on.
  public static let largeMediaBytes = 1 << 20

  /// The most bytes by type, such as `text/html`, by family, such as `image/*`, or for all others,
  /// `*/*`; what is most exact counts, and 0 is never.
  public var limits: [String: Int] = [
    "text/*": 32 << 20, "application/xml": 32 << 20, "application/rss+xml": 32 << 20,
    "application/atom+xml": 32 << 20, "application/rdf+xml": 32 << 20,
    "application/json": 32 << 20, "application/feed+json": 32 << 20, "image/*": 256 << 10,
    "*/*": 0,
  ]

  /// The usual policy: feeds and pages up to 32 MB, small pictures, nothing else.
  public init() {}

  /// Whether an answer may be kept.
  ///
  /// - parameter type: Its media type; without one it counts as bytes of no known kind.
  public func mayStore(_ type: MediaType?, bytes: Int, directives: CacheDirectives) -> Bool {
    guard directives.mayBeStored else { return false }
    let type = type ?? MediaType("application/octet-stream")
    guard let type else { return false }
    let isOpaque = type.text == "application/octet-stream"
    if type.isMedia || isOpaque, bytes >= Self.largeMediaBytes { return false }
    let limit = limits[type.text] ?? limits[type.family + "/*"] ?? limits["*/*"] ?? 0
    return limit > 0 && bytes <= limit
  }
}
