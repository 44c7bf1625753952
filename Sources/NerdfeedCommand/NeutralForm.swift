import FeedReading

/// A feed as JSON, with the same members whatever format it came in; what is absent is left out.
enum NeutralForm {
  static func json(of channel: Channel) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", channel.format)
      writer.member("title", channel.title?.html)
      writer.member("link", channel.link)
      writer.member("description", channel.summary)
      writer.member("id", channel.id)
      writer.member("updated", channel.updated?.text)
      writer.member("published", channel.published?.text)
      writer.member("language", channel.language)
      writer.member("image", channel.image)
      writer.member("icon", channel.icon)
      write(channel.authors, into: &writer)
      writer.member("categories", channel.categories) { $0.string($1) }
      writer.member("items", channel.items) { write($1, into: &$0) }
    }
    return writer.bytes
  }

  static func json(of error: FeedError) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("error", error.message)
      writer.member("operation", error.operation)
      writer.member("file", error.file)
      writer.member("hint", error.hint)
    }
    return writer.bytes
  }

  private static func write(_ item: Item, into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", item.id)
      writer.member("title", item.title?.html)
      writer.member("link", item.link)
      writer.member("summary", item.summary)
      writer.member("content", item.content)
      writer.member("published", item.published?.text)
      writer.member("updated", item.updated?.text)
      writer.member("image", item.image)
      write(item.authors, into: &writer)
      writer.member("categories", item.categories) { $0.string($1) }
      writer.member("enclosures", item.enclosures) { write($1, into: &$0) }
    }
  }

  private static func write(_ authors: [Author], into writer: inout JSONWriter) {
    writer.member("authors", authors) { writer, author in
      writer.object { writer in
        writer.member("name", author.name)
        writer.member("email", author.email)
        writer.member("url", author.url)
      }
    }
  }

  private static func write(_ enclosure: Enclosure, into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("url", enclosure.url)
      writer.member("type", enclosure.type)
      writer.member("length", enclosure.length)
    }
  }
}

/// Writes JSON from the left to the right.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func object(_ body: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  mutating func member(_ name: String, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
    needsComma = true
  }

  mutating func member(_ name: String, _ value: Int?) {
    guard let value else { return }
    key(name)
    bytes.append(contentsOf: String(value).utf8)
    needsComma = true
  }

  mutating func member<Element>(
    _ name: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      needsComma = false
      body(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  private mutating func key(_ name: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var written = 0
      for (index, byte) in utf8.enumerated()
      where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: utf8[written..<index])
        escape(byte)
        written = index + 1
      }
      bytes.append(contentsOf: utf8[written...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0..<0x20:
      bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
      bytes.append(contentsOf: String(byte, radix: 16).utf8)
    default: bytes.append(contentsOf: [0x5C, byte])
    }
  }
}
