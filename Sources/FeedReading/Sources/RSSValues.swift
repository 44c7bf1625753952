/// How RSS writes single values.
extension XMLElement {
  /// HTML: what is inside as it was escaped, or as it stands there unescaped.
  var rssMarkup: [UInt8] {
    let bytes = hasElements ? markup : textBytes
    return Mojibake.mended(bytes) ?? bytes
  }

  /// A title, which may hold HTML.
  var rssTitle: Title? {
    if let type = attribute("type"), type == "text" || type == "plain" || type == "text/plain" {
      return Title(plain: text)
    }
    return Title(html: rssMarkup, base: base, mayBePlain: !hasElements)
  }

  /// A title of Media RSS, which says whether it is plain.
  var mediaTitle: Title? {
    attribute("type") == "html" ? Title(html: rssMarkup, base: base) : rssTitle
  }

  var rssBody: String? {
    if namespace == .atom10 || namespace == .atom03 { return AtomText(self).body }
    if namespace == .media, attribute("type") == "plain" {
      return Reading.body(plain: textBytes)
    }
    return Reading.body(html: rssMarkup, base: base)
  }

  /// The address of the picture that the element names in one of several ways.
  var rssImage: String? {
    if key == .itunesLink {
      guard attribute("rel")?.lowercased() == "image" else { return nil }
      return Reading.address(attribute("href"), base: base)
    }
    if let url = first(.url)?.text { return Reading.address(url, base: base) }
    let named = attribute("href") ?? attribute("url") ?? attribute("resource")
    if let named { return Reading.address(named, base: base) }
    return hasElements ? nil : Reading.address(text, base: base)
  }

  /// Those whom the element names: in one text, or as Atom does it.
  var rssAuthors: [Author] {
    if hasElements, let author = Author(atom: self) { return [author] }
    if key == .dcCreator || key == .dcAuthor, let line = Reading.line(html: textBytes) {
      return Author(line: line).map { [$0] } ?? []
    }
    return Author(line: text).map { [$0] } ?? []
  }

  /// The page, where RSS says it in Atom's words.
  var rssAlternateLink: String? {
    for child in children where child.key == .atomLink {
      let relation = child.attribute("rel")?.lowercased() ?? "alternate"
      if relation == "alternate",
        let link = Reading.address(child.attribute("href"), base: child.base)
      {
        return link
      }
    }
    return nil
  }
}
