import FeedReading

/// The address of a feed or page on the web, in one form whatever form it was written in.
///
///     try FeedAddress("Example.org/feed").url                  // "https://example.org/feed"
///     try FeedAddress("feed://example.org/a b").url            // "http://example.org/a%20b"
///     try FeedAddress("itunes:topsongs?limit=20").url          // Apple's web service
///
/// A name and password in it are taken out, and are never in ``url``.
public struct FeedAddress: Sendable, Hashable {
  /// The address with its scheme, without a name, a password and a fragment.
  public let url: String
  /// The host in small letters; an IPv6 address stands in brackets.
  public let host: String
  /// The port, also where the address leaves it out.
  public let port: Int
  /// Whether it is `https`.
  public let isSecure: Bool
  /// The name and password that stood in it.
  public let credentials: FeedCredentials?

  /// Reads what a user wrote: an address, one without its scheme, `feed:`, or a web service's own
  /// words such as `itunes:topsongs`.
  ///
  /// - throws: ``FetchError`` with `.invalidAddress` for what is no address of the web.
  public init(_ text: String) throws(FetchError) {
    let mapped = FeedParser.address(for: WebAddress.cleaned(text))
    do {
      self = try Self(web: Self.withScheme(mapped))
    } catch {
      let shown = Self.withoutUserInfo(WebAddress.cleaned(text))
      throw FetchError(.invalidAddress(error), operation: .reading, url: shown)
    }
  }

  /// Where a redirect or a link leads from this address; nil for what is not on the web.
  ///
  ///     try FeedAddress("http://e.org/a/b").following("../c")?.url   // "http://e.org/c"
  public func following(_ reference: String) -> FeedAddress? {
    let target = WebAddress.resolve(WebAddress.cleaned(reference), url)
    return try? FeedAddress(web: target)
  }

  /// Whether a request there reaches the same server, which may know the same secrets.
  ///
  /// The step from `http` to `https` on the usual ports counts as the same: it adds safety.
  func sharesSecrets(with other: FeedAddress) -> Bool {
    guard host == other.host else { return false }
    if port == other.port, isSecure == other.isSecure { return true }
    return !isSecure && port == 80 && other.isSecure && other.port == 443
  }

  /// The key by which requests to one server are counted.
  var server: String { "\(host):\(port)" }

  /// Completes what people leave out.
  private static func withScheme(_ text: String) -> String {
    let start = text.prefix(8).lowercased()
    if start.hasPrefix("feed:") {
      let rest = String(text.dropFirst(5))
      return WebAddress.isWeb(rest) ? rest : "http:" + (rest.hasPrefix("//") ? rest : "//" + rest)
    }
    if WebAddress.isWeb(text) || text.contains("://") { return text }
    if text.hasPrefix("//") { return "https:" + text }
    let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let isHost = host.contains(".") || host == "localhost" || host.hasPrefix("localhost:")
    return isHost && !host.contains("@") ? "https://" + text : text
  }

  /// What may be shown of an address that could not be read.
  private static func withoutUserInfo(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    guard start < at else { return text }
    return String(text[..<start] + text[text.index(after: at)...])
  }
}

extension FeedAddress {
  private static let maximumBytes = 16_384

  /// Reads an address that is complete.
  init(web text: String) throws(AddressProblem) {
    guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
    guard WebAddress.isWeb(text), let colon = text.firstIndex(of: ":") else { throw .notOnTheWeb }
    isSecure = text[..<colon].lowercased() == "https"
    let rest = text[colon...].dropFirst(3).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "\\" }
    let target = rest[authority.endIndex...]
    let at = authority.lastIndex(of: "@")
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    credentials = at.flatMap { FeedCredentials(userInfo: String(authority[..<$0])) }
    let (host, port) = try Self.hostAndPort(place)
    self.host = host
    let usual = isSecure ? 443 : 80
    self.port = port ?? usual
    let scheme = isSecure ? "https://" : "http://"
    let suffix = self.port == usual ? "" : ":\(self.port)"
    let slash = target.hasPrefix("/") ? "" : "/"
    url = scheme + host + suffix + slash + Self.escaped(target)
  }

  private static func hostAndPort(_ place: Substring) throws(AddressProblem)
    -> (host: String, port: Int?)
  {
    var host = place
    var port: Substring = ""
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { throw .badHost }
      host = place[...end]
      let after = place[place.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else { throw .badHost }
      port = after.dropFirst()
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { throw .badHost }
    } else {
      if let colon = place.lastIndex(of: ":") {
        host = place[..<colon]
        port = place[colon...].dropFirst()
      }
      guard host.utf8.allSatisfy({ $0 < 0x80 }) else { throw .foreignHost }
      guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isHostByte) else {
        throw .badHost
      }
    }
    if port.isEmpty { return (host.lowercased(), nil) }
    guard let number = Int(port), 1...65_535 ~= number, port.first?.isNumber == true else {
      throw .badPort
    }
    return (host.lowercased(), number)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// A path and query with everything escaped that may not stand in a request.
  private static func escaped(_ target: Substring) -> String {
    let mark = Set("\"<>\\^`{|}".utf8)
    var result: [UInt8] = []
    for byte in target.utf8 {
      if byte > 0x20, byte < 0x7F, !mark.contains(byte) {
        result.append(byte)
      } else {
        let digits = Array(String(byte, radix: 16, uppercase: true).utf8)
        result += [UInt8(ascii: "%")] + (digits.count == 1 ? [UInt8(ascii: "0")] : []) + digits
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// What is wrong with an address.
public enum AddressProblem: Error, Equatable, Sendable {
  /// It is neither `http` nor `https`.
  case notOnTheWeb
  /// There is no host in it, or it has signs that no host has.
  case badHost
  /// The host has letters that are not of ASCII.
  case foreignHost
  /// The port is none.
  case badPort
  /// It is longer than any server takes.
  case tooLong
}
