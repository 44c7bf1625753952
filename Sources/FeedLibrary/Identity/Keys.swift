import Crypto

/// Names a feed on every machine: 8 characters that are made from the address that was subscribed
/// to first, and stay when the feed moves, also for who subscribes to it anew where it is then.
public struct FeedKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The characters, of `A-Za-z0-9._`.
  public let text: String

  /// The key of an address, whether it is written with `http:` or `https:`.
  public init(address: String) { text = ShortDigest.text(of: WebIdentity.comparable(address)) }

  /// A key from its characters; nil if it is none.
  public init?(text: String) {
    guard ShortDigest.isOne(text) else { return nil }
    self.text = text
  }

  /// The characters.
  public var description: String { text }
  /// By their characters.
  public static func < (one: FeedKey, other: FeedKey) -> Bool { one.text < other.text }
}

/// Names an item within its feed, on every machine: 8 characters made from its identity, see
/// ``ItemIdentity``.
public struct ItemKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The characters, of `A-Za-z0-9._`.
  public let text: String

  init(identity: String) { text = ShortDigest.text(of: identity) }

  /// A key from its characters; nil if it is none.
  public init?(text: String) {
    guard ShortDigest.isOne(text) else { return nil }
    self.text = text
  }

  /// The characters.
  public var description: String { text }
  /// By their characters.
  public static func < (one: ItemKey, other: ItemKey) -> Bool { one.text < other.text }
}

/// Names an item among those of all feeds, on every machine, whether or not it has been fetched.
///
///     ItemReference("Zm9vYmFy/c2hlbGxz")
public struct ItemReference: Hashable, Sendable, LosslessStringConvertible {
  /// The feed that it is in.
  public let feed: FeedKey
  /// Which one it is.
  public let item: ItemKey

  /// A reference of these parts.
  public init(_ feed: FeedKey, _ item: ItemKey) { (self.feed, self.item) = (feed, item) }

  /// Reads `FEED/ITEM`; nil if it is not of that form.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let feed = FeedKey(text: String(parts[0])),
      let item = ItemKey(text: String(parts[1]))
    else { return nil }
    self.init(feed, item)
  }

  /// `FEED/ITEM`.
  public var description: String { "\(feed)/\(item)" }
}

/// The first 48 bits of SHA-256 in 8 characters.
///
/// Keys of items need to differ within their feed alone: of 10,000 items two are alike once in five
/// million feeds. The characters need no escape in JSON Pointers, ids, shells and URLs.
enum ShortDigest {
  static let length = 8
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._".utf8)

  static func text(of identity: String) -> String {
    let bits = SHA256.hash(data: Array(identity.utf8)).prefix(6).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    let characters = (0..<length).map { alphabet[Int(bits >> UInt64(42 - 6 * $0) & 63)] }
    return String(decoding: characters, as: UTF8.self)
  }

  static func isOne(_ text: String) -> Bool {
    text.utf8.count == length && text.utf8.allSatisfy(isLetter)
  }

  /// Whether a byte is of the alphabet; each key that is read is looked at, so it is quick.
  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
