/// Well-formed UTF-8 that compares, sorts and hashes as bytes.
///
/// Swift's `String` compares by canonical equivalence: "é" in one and in two scalars are the same
/// `String`, but they are two file names, two ids and two keys. Identity is bytes (protocol.md 5).
///
///     ByteString("a") < ByteString("b")  // true, by bytes
public struct ByteString: Hashable, Sendable {
  /// The text as UTF-8.
  public let bytes: [UInt8]

  /// The UTF-8 of `text`.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// Takes `bytes` if they are well-formed UTF-8, and is nil otherwise.
  public init?(utf8 bytes: [UInt8]) {
    guard bytes.span.isUTF8 else { return nil }
    self.bytes = bytes
  }

  /// Takes bytes that are already known to be well-formed UTF-8.
  package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

extension Span<UInt8> {
  /// Whether they are well-formed UTF-8; no `String` is made of them.
  package var isUTF8: Bool {
    do {
      _ = try UTF8Span(validating: self)
      return true
    } catch {
      return false
    }
  }
}

extension ByteString: Comparable {
  /// Whether `lhs` sorts before `rhs`, byte by byte.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.bytes.isBefore(rhs.bytes)
  }
}

extension ByteString {
  /// Whether both have the same bytes; equal text in another normal form is another text.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.bytes.isSame(as: rhs.bytes) }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { bytes.hashAtOnce(into: &hasher) }
}

extension ByteString: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text as a `String`, whose bytes are the same.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
  /// The text of a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
