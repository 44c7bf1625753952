/// What all readers of feeds do with values.
enum Reading {
  /// An address without white space, joined to its base; nil if it is not harmless.
  static func address(_ text: String?, base: String) -> String? {
    guard let text, text.utf8.count <= FeedLimits.addressBytes else { return nil }
    let clean = WebAddress.cleaned(text.trimmed)
    guard !clean.isEmpty, WebAddress.isHarmless(clean) else { return nil }
    return WebAddress.resolve(clean, base)
  }

  /// What identifies something: as it is written, without what would drive a terminal.
  static func identity(_ text: String?) -> String? {
    text.flatMap { TextCleaning.line(Array($0.utf8), limit: FeedLimits.addressBytes) }
  }

  /// One line of plain text from HTML.
  static func line(html: [UInt8]) -> String? {
    HTMLSanitizer.line(of: html, limit: FeedLimits.titleBytes)
  }

  /// One line of plain text from plain text.
  static func line(_ text: String?) -> String? {
    text.flatMap { TextCleaning.line(Array($0.utf8), limit: FeedLimits.titleBytes) }
  }

  /// Harmless HTML; nil if nothing is left.
  static func body(html: [UInt8], base: String) -> String? {
    let cut = html.count > FeedLimits.bodyBytes ? Array(html.prefix(FeedLimits.bodyBytes)) : html
    let clean = HTMLSanitizer.clean(cut, base: base)
    guard let first = clean.firstIndex(where: { !$0.isASCIISpace }) else { return nil }
    let last = clean.lastIndex { !$0.isASCIISpace } ?? first
    return String(utf8: clean[first...last])
  }

  /// HTML that shows plain text.
  static func body(plain: [UInt8]) -> String? {
    var escaped: [UInt8] = []
    XMLElement.escape(plain.prefix(FeedLimits.bodyBytes), into: &escaped)
    return body(html: escaped, base: "")
  }

  static func instant(_ text: String?) -> FeedInstant? { text.flatMap { FeedInstant($0) } }

  /// A media type or another word, if it is one.
  static func word(_ text: String?) -> String? {
    line(text).flatMap { $0.utf8.count <= 255 ? $0 : nil }
  }

  /// A language with hyphens, as BCP 47 has it.
  static func language(_ text: String?) -> String? {
    word(text).map { String($0.map { $0 == "_" ? "-" : $0 }) }
  }

  /// A size that is one.
  static func size(_ text: String?) -> Int? {
    text.flatMap { Int($0.trimmed) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension [String] {
  /// Adds a subject that is not there yet.
  mutating func addOnce(_ text: String?) {
    guard let text = Reading.line(text), count < FeedLimits.list, !contains(text) else { return }
    append(text)
  }
}

extension [Author] {
  /// Adds somebody who is not there yet.
  mutating func addOnce(_ author: Author?) {
    guard let author, count < FeedLimits.list, author != Author() else { return }
    let isKnown = contains {
      $0 == author || $0.name != nil && $0.name == author.name && author.email == nil
    }
    if !isKnown { append(author) }
  }
}

extension [Enclosure] {
  /// Adds a file whose address is not there yet.
  mutating func addOnce(_ enclosure: Enclosure) {
    guard count < FeedLimits.list, !contains(where: { $0.url == enclosure.url }) else { return }
    append(enclosure)
  }
}

extension Author {
  /// Somebody from what RSS has in one text: `ann@example.org (Ann)`, `Ann <ann@example.org>`.
  init?(line text: String?) {
    guard let text = Reading.line(text) else { return nil }
    let marks: Set<Character> = ["(", ")", "<", ">", "[", "]", " ", ",", ";"]
    let email = text.split(whereSeparator: { marks.contains($0) })
      .first { $0.dropFirst().dropLast().contains("@") && !$0.contains("/") }
      .map { $0.hasPrefix("mailto:") ? $0.dropFirst(7) : $0 }
    guard let email else {
      self.init(name: text)
      return
    }
    var name = text.replacing("mailto:", with: "")
    for part in ["(\(email))", "<\(email)>", "[\(email)]", String(email)] {
      if let range = name.firstRange(of: part) {
        name.replaceSubrange(range, with: " ")
        break
      }
    }
    for empty in ["()", "<>", "[]", "( )"] { name = name.replacing(empty, with: "") }
    name = name.trimmed
    if name.hasPrefix("("), name.hasSuffix(")") { name = String(name.dropFirst().dropLast()) }
    self.init(name: Reading.line(name), email: String(email))
  }
}
