/// One pass over HTML that writes what may be kept of it.
///
/// Tags are read as browsers read them, so that nothing means more to a browser than it did here,
/// and all that is written is written anew: names from the table, values quoted and escaped.
struct HTMLCleaner {
  static let maximumDepth = 100

  let input: [UInt8]
  let base: String
  /// Without it, only text is written, and not escaped.
  var keepsTags = true
  /// How many tags of unknown names are taken as text, since they may be meant so: `Array<T>`.
  var unknownAsText = 0
  var position = 0
  var output: [UInt8] = []
  var open: [OpenElement] = []
  var tag = HTMLTag()
  private var sawNoCommentEnd = false
  private var unclosedTags = 0

  struct OpenElement {
    let name: PackedName
    let kind: HTMLVocabulary.Element
  }

  init(_ input: [UInt8], base: String) {
    self.input = input
    self.base = base
  }

  mutating func run() -> [UInt8] {
    output.reserveCapacity(input.count + input.count / 16)
    while position < input.count {
      switch input[position] {
      case ASCII.less: markup()
      case ASCII.ampersand: reference()
      default: text()
      }
    }
    close(to: 0)
    return output
  }

  private mutating func text() {
    // A local constant, so that the loop need not look whether it has changed.
    let input = input
    let start = position
    var index = start
    while index < input.count {
      let byte = input[index]
      if byte == ASCII.less || byte == ASCII.ampersand || byte == ASCII.greater { break }
      if byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 || byte == 0xEF {
        let harmful = TextCleaning.harmfulCount(input, at: index)
        if harmful > 0 {
          output.append(start..<index, of: input)
          output.append(TextCleaning.replacement(input, at: index))
          position = index + harmful
          return
        }
      }
      index += 1
    }
    output.append(start..<index, of: input)
    if index < input.count, input[index] == ASCII.greater {
      write(scalar: UInt32(ASCII.greater))
      index += 1
    }
    position = index
  }

  private mutating func reference() {
    guard let found = CharacterReference(in: input, at: position, end: input.count) else {
      write(scalar: UInt32(ASCII.ampersand))
      position += 1
      return
    }
    if found.scalar != 0 { write(scalar: found.scalar) }
    if found.second != 0 { write(scalar: found.second) }
    position += found.count
  }

  /// Writes a character as text.
  private mutating func write(scalar: UInt32) {
    if keepsTags {
      switch scalar {
      case UInt32(ASCII.ampersand): return output.append("&amp;")
      case UInt32(ASCII.less): return output.append("&lt;")
      case UInt32(ASCII.greater): return output.append("&gt;")
      default: break
      }
    }
    guard let value = Unicode.Scalar(scalar), !TextCleaning.isHarmful(value) else { return }
    output.append(scalar: scalar)
  }

  private mutating func markup() {
    let next = position + 1 < input.count ? input[position + 1] : 0
    if next.isASCIILetter {
      startTag()
    } else if next == ASCII.slash {
      endTag()
    } else if next == ASCII.exclamation || next == ASCII.question {
      skipDeclaration()
    } else {
      write(scalar: UInt32(ASCII.less))
      position += 1
    }
  }

  /// Comments go; of a CDATA section, which HTML does not have, the text stays.
  private mutating func skipDeclaration() {
    if input.has("<![CDATA[", at: position) {
      position += 9
      return
    }
    if input.has("<!--", at: position) {
      if !sawNoCommentEnd, let end = input.firstIndex(of: "-->", from: position + 2) {
        position = end + 3
        return
      }
      sawNoCommentEnd = true
    }
    let next = position + 2 < input.count ? input[position + 2] : 0
    let isDeclaration = input[position + 1] == ASCII.question || next.isASCIILetter || next == 0x2D
    guard isDeclaration, let end = input[position...].firstIndex(of: ASCII.greater) else {
      return unclosedTag(at: position)
    }
    position = end + 1
  }

  private mutating func startTag() {
    let start = position
    position = tag.read(in: input, at: position)
    guard tag.isClosed else { return unclosedTag(at: start) }
    guard let name = tag.name, var kind = HTMLVocabulary.elements[name] else {
      return unknownTag(at: start)
    }
    // SVG's title is no raw text, and what is written for it is safe as either.
    if name == HTMLNames.title, open.last?.kind.contains(.foreign) == true { kind = .allowed }
    if kind.contains(.dropped) {
      if !tag.isSelfClosing || kind.contains(.raw) { skipContent(of: name, kind) }
      return
    }
    guard keepsTags else {
      if kind.contains(.block) || name == HTMLNames.br { output.append(ASCII.space) }
      return
    }
    closeImplied(by: name, kind)
    guard open.count < Self.maximumDepth || kind.contains(.void) else { return }
    writeStart(name, kind)
  }

  /// What looks like a tag but has no end is text: `a <b`.
  ///
  /// Only a few times, since each time the text is read to its end; a browser would drop the rest.
  mutating func unclosedTag(at start: Int) {
    unclosedTags += 1
    guard unclosedTags <= 16 else { return position = input.count }
    position = start + 1
    write(scalar: UInt32(ASCII.less))
  }

  /// Passes a tag of an unknown name, or takes its `<` as text.
  ///
  /// It is text only without attributes, and where no end tag shows that it was meant as a tag.
  private mutating func unknownTag(at start: Int) {
    guard unknownAsText > 0, tag.attributes.isEmpty, !tag.isSelfClosing else { return }
    unknownAsText -= 1
    let name = input[(start + 1)..<(position - 1)]
    var index = 0
    while let end = input.firstIndex(of: "</", from: index) {
      if input[(end + 2)...].starts(with: name) { return }
      index = end + 2
    }
    write(scalar: UInt32(ASCII.less))
    position = start + 1
  }

  private mutating func writeStart(_ name: PackedName, _ kind: HTMLVocabulary.Element) {
    let before = output.count
    output.append(ASCII.less)
    name.append(to: &output)
    let isForeign = kind.contains(.foreign)
    guard writeAttributes(isForeign: isForeign, of: name) else {
      output.removeSubrange(before...)
      return
    }
    if kind.contains(.void) {
      output.append("/>")
    } else {
      output.append(ASCII.greater)
      open.append(OpenElement(name: name, kind: kind))
      // `<p/>` is a start tag in HTML, but `<circle/>` is empty.
      if isForeign, tag.isSelfClosing { close(to: open.count - 1) }
    }
  }

  /// Passes everything up to the end tag of an element that goes with its content.
  private mutating func skipContent(of name: PackedName, _ kind: HTMLVocabulary.Element) {
    let bytes = name.bytes
    var depth = 1
    while position < input.count {
      guard input[position] == ASCII.less else {
        position += 1
        continue
      }
      let isEnd = position + 1 < input.count && input[position + 1] == ASCII.slash
      let start = position + (isEnd ? 2 : 1)
      if hasName(bytes, at: start), isEnd || !kind.contains(.raw) {
        position = tag.read(in: input, at: position)
        depth += isEnd ? -1 : tag.isSelfClosing ? 0 : 1
        if depth == 0 { return }
      } else {
        position += 1
      }
    }
  }

  private func hasName(_ name: [UInt8], at start: Int) -> Bool {
    let end = start + name.count
    guard end <= input.count else { return false }
    for offset in 0..<name.count where input[start + offset].asciiLowercased != name[offset] {
      return false
    }
    return end == input.count || !input[end].isASCIIAlphanumeric && input[end] != ASCII.hyphen
  }
}

/// Names that the rules name.
enum HTMLNames {
  static let br = PackedName(Array("br".utf8)[...])
  static let p = PackedName(Array("p".utf8)[...])
  static let img = PackedName(Array("img".utf8)[...])
  static let li = PackedName(Array("li".utf8)[...])
  static let tr = PackedName(Array("tr".utf8)[...])
  static let td = PackedName(Array("td".utf8)[...])
  static let th = PackedName(Array("th".utf8)[...])
  static let a = PackedName(Array("a".utf8)[...])
  static let table = PackedName(Array("table".utf8)[...])
  static let xlink = PackedName(Array("xmlns:xlink".utf8)[...])
  static let svg = PackedName(Array("svg".utf8)[...])
  static let math = PackedName(Array("math".utf8)[...])
  static let media = ["img", "audio", "video", "source", "track"].map {
    PackedName(Array($0.utf8)[...])
  }
  static let width = PackedName(Array("width".utf8)[...])
  static let height = PackedName(Array("height".utf8)[...])
  static let style = PackedName(Array("style".utf8)[...])
  static let title = PackedName(Array("title".utf8)[...])
  static let src = PackedName(Array("src".utf8)[...])
}
