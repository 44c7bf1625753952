/// Harmless HTML, as `FeedReading` makes it, as lines of text.
///
///     PlainText("<p>One <b>word</b></p><ul><li>more</ul>").text  // "One word\n\n- more"
public struct PlainText: Sendable, Equatable {
  /// Paragraphs set apart by empty lines; pictures as `[description]`.
  public let text: String
  /// The addresses that the text links to, in their order, each once.
  public let links: [String]

  /// Reads `html`.
  ///
  /// - parameter limit: How many bytes of text are enough; the rest is left out.
  public init(_ html: String, limit: Int = .max) {
    var reader = PlainTextReader(limit: limit)
    reader.read(Array(html.utf8))
    (text, links) = reader.finished()
  }
}

/// Goes over HTML once, tag by tag.
private struct PlainTextReader {
  let limit: Int
  private var output: [UInt8] = []
  private var links: [String] = []
  private var seen: Set<String> = []
  /// How many line ends stand before what comes next; 0 for a space.
  private var pending: Int?
  /// Inside `<pre>`, where spaces and line ends are meant.
  private var preDepth = 0

  init(limit: Int) { self.limit = limit }

  mutating func read(_ html: [UInt8]) {
    var index = 0
    while index < html.count, output.count < limit {
      let byte = html[index]
      if byte == UInt8(ascii: "<"), let end = Self.tagEnd(html, from: index) {
        tag(html[(index + 1)..<end])
        index = end + 1
      } else if byte == UInt8(ascii: "&"), let found = Self.reference(html, at: index) {
        append(Array(String(Character(found.scalar)).utf8))
        index = found.end
      } else if preDepth == 0, byte <= 0x20 {
        if pending == nil { pending = 0 }
        index += 1
      } else {
        append([byte])
        index += 1
      }
    }
  }

  func finished() -> (String, [String]) {
    let last = output.lastIndex { $0 > 0x20 } ?? -1
    return (String(decoding: output[...last], as: UTF8.self), links)
  }

  private mutating func append(_ bytes: [UInt8]) {
    if let pending, !output.isEmpty {
      if pending == 0 {
        output.append(0x20)
      } else {
        output.append(contentsOf: repeatElement(0x0A, count: pending))
      }
    }
    pending = nil
    output.append(contentsOf: bytes)
  }

  /// Ends the line, and leaves `count - 1` empty ones.
  private mutating func breakLine(_ count: Int) { pending = max(pending ?? 0, count) }

  private mutating func tag(_ bytes: ArraySlice<UInt8>) {
    let isEnd = bytes.first == UInt8(ascii: "/")
    let name = String(
      decoding: bytes.dropFirst(isEnd ? 1 : 0).prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") },
      as: UTF8.self
    ).lowercased()
    switch name {
    case "pre":
      breakLine(2)
      preDepth = max(0, preDepth + (isEnd ? -1 : 1))
    case "br": breakLine(1)
    case "hr":
      breakLine(2)
      append(Array("* * *".utf8))
      breakLine(2)
    case "li":
      breakLine(1)
      if !isEnd { append(Array("- ".utf8)) }
    case "tr", "dt", "dd", "div", "figcaption", "option": breakLine(1)
    case "td", "th": if pending == nil { pending = 0 }
    case "p", "ul", "ol", "dl", "table", "blockquote", "section", "article", "figure", "h1", "h2",
      "h3", "h4", "h5", "h6":
      breakLine(2)
    case "img":
      if let words = Self.attribute("alt", in: bytes), !words.isEmpty {
        append(Array("[\(words)]".utf8))
      }
    case "a":
      if !isEnd, let link = Self.attribute("href", in: bytes), seen.insert(link).inserted {
        links.append(link)
      }
    default: break
    }
  }

  /// Where a tag ends that begins at `start`; quoted values may hold the sign.
  private static func tagEnd(_ html: [UInt8], from start: Int) -> Int? {
    var quote: UInt8?
    for index in (start + 1)..<html.count {
      let byte = html[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return nil
  }

  /// The value of an attribute as the sanitizer writes it: in double quotes.
  private static func attribute(_ name: String, in tag: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: tag, as: UTF8.self)
    guard let start = text.range(ofFirst: " \(name)=\"") else { return nil }
    let value = text[start...].prefix { $0 != "\"" }
    var reader = PlainTextReader(limit: .max)
    reader.preDepth = 1
    reader.read(Array(value.utf8))
    return String(decoding: reader.output, as: UTF8.self)
  }

  private static let names: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
  ]

  /// The character that a reference at `index` stands for, and where it ends.
  private static func reference(
    _ html: [UInt8], at index: Int
  ) -> (scalar: Unicode.Scalar, end: Int)? {
    let rest = html[(index + 1)...].prefix(12)
    guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: html[(index + 1)..<semicolon], as: UTF8.self)
    if let scalar = names[name] { return (scalar, semicolon + 1) }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
    let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap { Unicode.Scalar($0) }.map { ($0, semicolon + 1) }
  }
}

extension String {
  /// Where the text after the first `word` begins.
  fileprivate func range(ofFirst word: String) -> Index? {
    let bytes = Array(utf8)
    let wanted = Array(word.utf8)
    guard wanted.count <= bytes.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start...].starts(with: wanted) {
      return utf8.index(utf8.startIndex, offsetBy: start + wanted.count)
    }
    return nil
  }
}
