/// Why a text is not JSON that can be stored, and where.
///
///     JSONError(.duplicateKey("a"), at: 7)  // the second "a" starts at byte 7
public struct JSONError: Error, Equatable {
  /// The kinds of refusal.
  public enum Reason: Equatable, Sendable {
    /// A byte that cannot stand where it stands, a byte order mark included.
    case unexpectedCharacter
    /// The text ends inside a value.
    case unexpectedEnd
    /// Something follows the value.
    case trailingContent
    /// The key, compared as bytes after its escapes are resolved, comes twice in one object.
    case duplicateKey(ByteString)
    /// Half a surrogate pair in `\u` escapes.
    case loneSurrogate
    /// Not well-formed UTF-8.
    case invalidUTF8
    /// A control character inside a string, without an escape.
    case controlCharacter
    /// A backslash before something that JSON does not escape.
    case invalidEscape
    /// A leading zero, a missing digit.
    case invalidNumber
    /// An integer outside −2⁶³ … 2⁶⁴−1, or a double too large to be finite.
    case numberOutOfRange
    /// More nested arrays and objects than ``JSONLimits/maximumDepth``.
    case tooDeep
    /// More bytes than ``JSONLimits/maximumBytes``.
    case tooLarge
  }

  /// What is wrong at ``offset``.
  public let reason: Reason

  /// The byte where it was noticed, counted from 0; the length of the text if that ends too early.
  ///
  /// For a number or a key it is the first byte of it, for an escape its backslash.
  public let offset: Int

  /// An error of this kind, at this byte.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

// The only place where the errors of this module become English.
extension JSONError: CustomStringConvertible {
  /// One line for people, for example `duplicate key "a" at byte 7`.
  public var description: String { "\(reason.text) at byte \(offset)" }
}

extension JSONError.Reason {
  fileprivate var text: String {
    switch self {
    case .unexpectedCharacter: "unexpected character"
    case .unexpectedEnd: "the text ends too early"
    case .trailingContent: "something follows the value"
    case .duplicateKey(let key): "duplicate key \(Self.quoted(key))"
    case .loneSurrogate: "half a surrogate pair"
    case .invalidUTF8: "invalid UTF-8"
    case .controlCharacter: "control character without an escape"
    case .invalidEscape: "invalid escape"
    case .invalidNumber: "malformed number"
    case .numberOutOfRange: "number out of range"
    case .tooDeep: "nested too deeply"
    case .tooLarge: "the text is too large"
    }
  }

  // Escaped, because keys come from files and the text goes to terminals; cut, because a key can
  // be as long as the whole text.
  private static func quoted(_ key: ByteString) -> String {
    let text = JSON.string(key).canonical
    return text.count > 80 ? text.prefix(80) + "…" : text
  }
}
