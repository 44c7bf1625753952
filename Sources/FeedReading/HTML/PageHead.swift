/// The elements of a web page that say where it belongs and what else there is: `base` and `link`.
///
///     PageHead(bytes).links.first?["href"]
package struct PageHead: Sendable {
  /// The attributes of one element, by their names in small letters; the first of a name counts.
  package typealias Attributes = [String: String]

  /// Looking stops here: feeds are announced at the top, and a page may be of any size.
  private static let maximumBytes = 4 << 20
  private static let maximumLinks = 1_000

  /// What relative addresses are relative to, as it is written; nil without a `base`.
  package private(set) var base: String?
  /// Each `link`, in their order.
  package private(set) var links: [Attributes] = []

  /// Reads a page in any encoding; a part that cannot be read is passed over.
  ///
  /// - parameter charset: The encoding that the server names.
  package init(_ bytes: [UInt8], charset: String? = nil) {
    let text = TextDecoder.utf8(Array(bytes.prefix(Self.maximumBytes)), charset: charset)
    var tag = HTMLTag()
    var index = 0
    while links.count < Self.maximumLinks,
      let start = text.place(of: ASCII.less, from: index, to: text.count)
    {
      if let end = Self.end(ofSilent: text, at: start) {
        index = end
        continue
      }
      index = tag.read(in: text, at: start)
      guard let name = tag.name, start + 1 < text.count, text[start + 1] != ASCII.slash else {
        continue
      }
      if name == Self.link {
        links.append(Self.attributes(of: tag, in: text))
      } else if name == Self.baseName, base == nil {
        base = Self.attributes(of: tag, in: text)["href"]
      }
    }
  }

  private static let link = PackedName(Array("link".utf8)[...])
  private static let baseName = PackedName(Array("base".utf8)[...])

  /// Where a comment, script or style ends whose beginning is at `start`; nil for anything else.
  ///
  /// What looks like a tag in there is none.
  private static func end(ofSilent text: [UInt8], at start: Int) -> Int? {
    if text.has("<!--", at: start) {
      return text.firstIndex(of: "-->", from: start + 4).map { $0 + 3 } ?? text.count
    }
    for (opening, closing) in [
      ("<script", "</script"), ("<style", "</style"), ("<template", "</template"),
    ] as [(StaticString, StaticString)] where text.hasIgnoringCase(opening, at: start) {
      var index = start + 1
      while let found = text.place(of: ASCII.less, from: index, to: text.count) {
        if text.hasIgnoringCase(closing, at: found) { return found + closing.utf8CodeUnitCount }
        index = found + 1
      }
      return text.count
    }
    return nil
  }

  private static func attributes(of tag: HTMLTag, in text: [UInt8]) -> Attributes {
    var result: Attributes = [:]
    for attribute in tag.attributes {
      let name = String(utf8: text[attribute.name]).lowercased()
      if result[name] == nil { result[name] = value(attribute.value, in: text) }
    }
    return result
  }

  private static func value(_ range: Range<Int>, in text: [UInt8]) -> String {
    var result: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if text[index] == ASCII.ampersand,
        let reference = CharacterReference(
          in: text, at: index, end: range.upperBound, isAttribute: true)
      {
        if reference.scalar > 0 { result.append(scalar: reference.scalar) }
        if reference.second > 0 { result.append(scalar: reference.second) }
        index += reference.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return String(utf8: result).trimmed
  }
}
