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
      Self.escape(title, into: &output)
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
    escape(value, into: &output)
    output.append(ASCII.quote)
  }

  /// Appends text as it may stand in XML, and on a terminal.
  ///
  /// Names come from whoever writes into the folder. XML has no control characters but three, which
  /// readers take for spaces (<https://www.w3.org/TR/xml/#charsets>); what else would drive a
  /// terminal, or turn the text around it, is written as a reference.
  private static func escape(_ text: String, into output: inout [UInt8]) {
    var start = text.unicodeScalars.startIndex
    for index in text.unicodeScalars.indices {
      let reference: String
      switch text.unicodeScalars[index].value {
      case 0x09, 0x0A, 0x0D: reference = " "
      case 0..<0x20, 0xFFFE, 0xFFFF: reference = ""
      case let value where isHidden(value): reference = "&#\(value);"
      default: continue
      }
      XMLElement.escape(Array(text[start..<index].utf8)[...], into: &output)
      output.append(contentsOf: reference.utf8)
      start = text.unicodeScalars.index(after: index)
    }
    XMLElement.escape(Array(text[start...].utf8)[...], into: &output)
  }

  /// Controls of eight bits, and marks of direction.
  private static func isHidden(_ value: UInt32) -> Bool {
    switch value {
    case 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
