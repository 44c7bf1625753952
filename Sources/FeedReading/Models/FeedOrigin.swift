/// Where a document came from, as far as that is known: it decides what its addresses and bytes
/// mean.
///
///     FeedOrigin(url: "https://example.org/feed", headers: ["Content-Type": "text/xml"])
public struct FeedOrigin: Sendable {
  /// The address that it was fetched from; empty if it was not.
  public let url: String
  private let headers: [String: String]

  /// An origin by its address and the header fields of the answer, whose names are of any case.
  public init(url: String = "", headers: [String: String] = [:]) {
    self.url = WebAddress.cleaned(url.trimmed)
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// A header field by its name in small letters.
  func header(_ name: String) -> String? { headers[name]?.trimmed.nonEmpty }

  /// What relative addresses are relative to: `Content-Location`, else the address.
  var base: String {
    guard let location = header("content-location") else { return url }
    let resolved = WebAddress.resolve(WebAddress.cleaned(location), url)
    return WebAddress.isWeb(resolved) ? resolved : url
  }

  /// The encoding that the server names, in small letters.
  package var charset: String? {
    guard let type = header("content-type") else { return nil }
    for parameter in type.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, String(parts[0]).trimmed.lowercased() == "charset" else { continue }
      let quotes: Set<Character> = ["'", "\"", " "]
      return parts[1].filter { !quotes.contains($0) }.lowercased().nonEmpty
    }
    return nil
  }

  /// The language that the server names, if it is one.
  var language: String? {
    header("content-language").flatMap { $0.contains(",") ? nil : $0 }
  }
}
