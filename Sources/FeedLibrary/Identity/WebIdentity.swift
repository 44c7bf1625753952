/// What of a web address tells one from another: the scheme does not, nor do the letters' case of
/// the host or a port that is the usual one.
///
///     WebIdentity.comparable("http://Example.org:80/feed")   // "//example.org/feed"
///     WebIdentity.comparable("https://example.org/feed")     // "//example.org/feed"
///     WebIdentity.comparable("tag:example.org,2026:1")       // itself
enum WebIdentity {
  /// The form in which two addresses are compared; what is no web address is only itself.
  static func comparable(_ address: String) -> String {
    guard let colon = address.firstIndex(of: ":") else { return address }
    let scheme = address[..<colon].lowercased()
    let rest = address[address.index(after: colon)...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { return address }
    let afterSlashes = rest.dropFirst(2)
    let end = afterSlashes.firstIndex { "/?#".contains($0) } ?? afterSlashes.endIndex
    var host = afterSlashes[..<end].lowercased()
    for port in [":80", ":443"] where host.hasSuffix(port) { host.removeLast(port.count) }
    let path = afterSlashes[end...]
    return "//" + host + (path.hasPrefix("/") ? "" : "/") + path
  }

  /// An address as a user types one, as it is subscribed to.
  ///
  ///     WebIdentity.subscribable("feed://example.org/rss")  // "https://example.org/rss"
  ///     WebIdentity.subscribable("example.org/rss")         // "https://example.org/rss"
  ///     WebIdentity.subscribable("https://ann:x@e.org/rss") // "https://e.org/rss"
  ///
  /// A name and a password are no part of it: subscriptions are synced, and secrets are not.
  static func subscribable(_ typed: String) -> String {
    let text = typed.trimmingPrefix { $0.isWhitespace }
    var address = String(
      text[
        ..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:))
          ?? text.startIndex)])
    if address.lowercased().hasPrefix("feed://") {
      address = "https://" + address.dropFirst(7)
    } else if address.lowercased().hasPrefix("feed:") {
      address = String(address.dropFirst(5))
    }
    let beforeSlash = address.prefix { $0 != "/" && $0 != "?" }
    let hasScheme = beforeSlash.contains(":") && !Self.isHostAndPort(beforeSlash)
    return withoutSecrets(
      hasScheme || !beforeSlash.contains(".") ? address : "https://" + address)
  }

  private static func withoutSecrets(_ address: String) -> String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return address }
    let authority = address[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = authority.lastIndex(of: "@") else { return address }
    return String(address[..<start] + address[address.index(after: at)...])
  }

  /// Whether it is like `localhost:8080`, where what is before the colon is no scheme.
  private static func isHostAndPort(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1)
    return parts.count == 2 && parts[1].allSatisfy(\.isNumber)
  }
}
