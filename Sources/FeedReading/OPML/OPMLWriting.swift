extension OPMLDocument {
  /// The list in OPML 2.0, as UTF-8.
  ///
  /// Read back, it gives the same value, but for commas in tags, which the format cannot say, and
  /// what was ``refused``.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    output.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n")
    output.append("  <head>\n")
    if let title {
      output.append("    <title>")
      XMLElement.escape(Array(title.utf8)[...], into: &output)
      output.append("</title>\n")
    }
    output.append("  </head>\n  <body>\n")
    Self.write(outlines, depth: 2, into: &output)
    output.append("  </body>\n</opml>\n")
    return output
  }

  private static func write(_ outlines: [Outline], depth: Int, into output: inout [UInt8]) {
    for outline in outlines {
      output.append(contentsOf: String(repeating: "  ", count: depth).utf8)
      output.append("<outline")
      switch outline {
      case .feed(let feed):
        attribute("type", "rss", into: &output)
        attribute("text", feed.title ?? feed.url, into: &output)
        if let title = feed.title { attribute("title", title, into: &output) }
        attribute("xmlUrl", feed.url, into: &output)
        if let site = feed.site { attribute("htmlUrl", site, into: &output) }
        if !feed.tags.isEmpty {
          attribute("category", feed.tags.joined(separator: ","), into: &output)
        }
        output.append("/>\n")
      case .folder(let name, let inside):
        attribute("text", name, into: &output)
        attribute("title", name, into: &output)
        output.append(">\n")
        write(inside, depth: depth + 1, into: &output)
        output.append(contentsOf: String(repeating: "  ", count: depth).utf8)
        output.append("</outline>\n")
      }
    }
  }

  private static func attribute(_ name: StaticString, _ value: String, into output: inout [UInt8]) {
    output.append(ASCII.space)
    output.append(name)
    output.append("=\"")
    XMLElement.escape(Array(value.utf8)[...], into: &output)
    output.append(ASCII.quote)
  }
}
