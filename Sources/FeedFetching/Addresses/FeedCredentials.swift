/// A name and a password for a server, from the local configuration.
///
/// They are sent to the server of the address they were given for and to no other, and nothing
/// that is printed shows the password:
///
///     print(FeedCredentials(name: "ann", password: "secret"))   // "ann:…"
public struct FeedCredentials: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The password.
  public let password: String

  /// A name and a password.
  public init(name: String, password: String) {
    (self.name, self.password) = (name, password)
  }

  /// What stands before the `@` of an address, with its escapes undone; nil for nothing.
  init?(userInfo: String) {
    guard !userInfo.isEmpty else { return nil }
    let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    name = Self.unescaped(parts[0])
    password = parts.count > 1 ? Self.unescaped(parts[1]) : ""
  }

  private static func unescaped(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes[(index + 1)...].prefix(2)
      if bytes[index] == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        result.append(value)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension FeedCredentials: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The name alone.
  public var description: String { "\(name):…" }
  /// The name alone.
  public var debugDescription: String { description }
  /// Nothing: a dump would show the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FeedCredentials {
  /// The `Authorization` field of RFC 7617, in UTF-8.
  var basicField: String { "Basic " + Self.base64(Array("\(name):\(password)".utf8)) }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let letter = letters[bits >> (18 - 6 * place) & 63]
        result.append(place <= group.count ? letter : UInt8(ascii: "="))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
