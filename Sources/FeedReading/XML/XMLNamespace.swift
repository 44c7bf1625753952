/// The namespaces that feeds use, each under all the addresses it has had.
enum XMLNamespace: UInt8, Sendable {
  /// None, one of RSS's many, or the one that the document's root is in.
  case core
  case atom10
  case atom03
  case dc
  case dcterms
  case content
  case media
  case itunes
  case googlePlay
  case rdf
  case xml
  case xhtml
  case svg
  case mathML
  case xlink
  case feedburner
  case slash
  case other

  /// The namespace of an address, or of a prefix that was never declared.
  init(uri: String, prefix: String, isDeclared: Bool) {
    guard isDeclared else {
      self = prefix.isEmpty ? .core : Self.byPrefix[prefix.lowercased()] ?? .other
      return
    }
    var address = uri.lowercased()
    while let last = address.utf8.last, last == ASCII.slash || last == ASCII.hash {
      address.removeLast()
    }
    if address.hasPrefix("https:") {
      address.replaceSubrange(..<address.utf8.index(address.startIndex, offsetBy: 6), with: "http:")
    }
    self = Self.byAddress[address] ?? .other
  }

  private static let byPrefix: [String: XMLNamespace] = [
    "atom": .atom10, "dc": .dc, "dcterms": .dcterms, "content": .content, "media": .media,
    "itunes": .itunes, "googleplay": .googlePlay, "rdf": .rdf, "xhtml": .xhtml, "body": .xhtml,
    "svg": .svg, "xlink": .xlink, "feedburner": .feedburner, "slash": .slash, "xml": .xml,
    "rss": .core, "a10": .atom10,
  ]

  /// Without scheme variants, case and the slash or hash at the end.
  private static let byAddress: [String: XMLNamespace] = [
    "": .core,
    "http://backend.userland.com/rss": .core, "http://backend.userland.com/rss2": .core,
    "http://backend.userland.com/rss091": .core,
    "http://blogs.law.harvard.edu/tech/rss": .core,
    "http://cyber.law.harvard.edu/rss/rss.html": .core,
    "http://my.netscape.com/rdf/simple/0.9": .core,
    "http://my.netscape.com/publish/formats/rss-0.91.dtd": .core,
    "http://channel.netscape.com/rdf/simple/0.9": .core,
    "http://purl.org/rss/1.0": .core, "http://purl.org/net/rss1.1": .core,
    "http://www.rssboard.org/rss-specification": .core,
    "http://www.w3.org/2005/atom": .atom10, "http://www.w3.org/2005/11/its": .other,
    "http://purl.org/atom/ns": .atom03, "http://purl.org/atom": .atom03,
    "http://example.com/newformat": .atom03, "http://example.com/necho": .atom03,
    "http://purl.org/echo": .atom03, "uri/of/echo/namespace": .atom03,
    "http://purl.org/pie": .atom03,
    "http://purl.org/dc/elements/1.1": .dc, "http://purl.org/dc/elements/1.0": .dc,
    "http://purl.org/dc/terms": .dcterms,
    "http://purl.org/rss/1.0/modules/content": .content,
    "http://search.yahoo.com/mrss": .media, "http://tools.search.yahoo.com/mrss": .media,
    "http://video.search.yahoo.com/mrss": .media,
    "http://www.rssboard.org/media-rss": .media,
    "http://www.itunes.com/dtds/podcast-1.0.dtd": .itunes,
    "http://example.com/dtds/podcast-1.0.dtd": .itunes,
    "http://www.google.com/schemas/play-podcasts/1.0": .googlePlay,
    "http://www.google.com/schemas/play-podcasts/1.0/play-podcasts.xsd": .googlePlay,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": .rdf,
    "http://www.w3.org/xml/1998/namespace": .xml,
    "http://www.w3.org/1999/xhtml": .xhtml,
    "http://www.w3.org/2000/svg": .svg,
    "http://www.w3.org/1998/math/mathml": .mathML,
    "http://www.w3.org/1999/xlink": .xlink,
    "http://rssnamespace.org/feedburner/ext/1.0": .feedburner,
    "http://purl.org/rss/1.0/modules/slash": .slash,
  ]
}
