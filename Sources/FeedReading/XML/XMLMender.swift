/// Turns any text that is meant to be XML into well-formed XML, piece by piece.
///
/// Feeds are ill-formed more often than other XML, and a parser that follows the specification
/// stops at the first mistake. So everything passes through here before libxml2 sees it: references
/// are resolved, stray `&` and `<` escaped, tags balanced, attributes quoted, characters removed
/// that XML forbids, declarations taken out. What libxml2 gets has no document type, so it can
/// neither expand an entity nor load anything.
///
///     var mender = XMLMender(Array("<a>R&D <b>&eacute;</a>".utf8))
///     while mender.fill() { parse(mender.output); mender.discardOutput() }
///     // <document><a>R&amp;D <b>é</b></a></document>
///
/// Everything is one pass without recursion; names, attributes, depth and what entities expand to
/// are limited by ``XMLLimits``.
struct XMLMender {
  /// How much is gathered before it is handed on; always whole tokens.
  private static let chunkBytes = 1 << 15

  /// What is read: the document, or the text of an entity inside it.
  var input: [UInt8]
  var position = 0
  /// Where to go on, and what is known of it, behind the text of an entity.
  var outer: [(input: [UInt8], position: Int, searchedInVain: [StaticDelimiter: Int])] = []
  /// Well-formed XML that has not been taken yet.
  var output: [UInt8] = []
  var names = OpenNames()
  var budget = NameBudget()
  /// Tags below the greatest depth, which are left out, and whose ends must be, too.
  var skippedDepth = 0
  /// Whether the output stands inside a CDATA section.
  var isInCDATA = false
  var entities: [[UInt8]: [UInt8]] = [:]
  var expandedBytes = 0
  /// From where on ``input`` is known to have no end of a comment, a CDATA section, an instruction.
  ///
  /// Without it each of a million unclosed ones would be searched to the end of the text.
  var searchedInVain: [StaticDelimiter: Int] = [:]
  var attributes: [XMLAttributeSpan] = []
  var hasDocumentType = false
  private var isStarted = false
  private var isFinished = false

  init(_ input: [UInt8]) {
    self.input = input
    output.reserveCapacity(Self.chunkBytes * 2)
  }

  /// Adds to the output; false at the end, when nothing was added.
  mutating func fill() -> Bool {
    if !isStarted {
      isStarted = true
      output.append("<document>")
    }
    while output.count < Self.chunkBytes, !isFinished {
      if position < input.count {
        step()
      } else if let former = outer.popLast() {
        (input, position, searchedInVain) = former
      } else {
        finish()
      }
    }
    return !output.isEmpty
  }

  mutating func discardOutput() { output.removeAll(keepingCapacity: true) }

  private mutating func finish() {
    isFinished = true
    leaveCDATA()
    while names.depth > 0 { writeEndOfTop() }
    output.append("</document>")
  }

  private mutating func step() {
    switch input[position] {
    case ASCII.less: markup()
    case ASCII.ampersand: reference()
    default: text()
    }
  }

  /// A run of text up to the next `<` or `&`, or as much as makes a chunk.
  private mutating func text() {
    if output.last == ASCII.closeBracket, writeAfterBracket() { return }
    let end = endOfPlainText()
    output.append(position..<end, of: input)
    position = end
    guard end < input.count, let count = offence(at: end) else { return }
    writeOffence(at: end, count: count)
    position = end + count
  }

  /// Writes a `>` or `]` so that it makes no `]]>` of a bracket that came from a reference, an
  /// entity, or from before a character that was left out.
  private mutating func writeAfterBracket() -> Bool {
    switch input[position] {
    case ASCII.greater:
      leaveCDATA()
      output.append("&gt;")
    case ASCII.closeBracket: output.append(ASCII.closeBracket)
    default: return false
    }
    position += 1
    return true
  }

  /// Where a piece of text ends: before a tag, a reference, what XML forbids, or the end of a
  /// chunk.
  private func endOfPlainText() -> Int {
    // A local constant, so that the loop need not look whether it has changed.
    let input = input
    let limit = min(input.count, position + Self.chunkBytes)
    var end = position
    while end < limit {
      let byte = input[end]
      if byte == ASCII.less || byte == ASCII.ampersand { break }
      if byte < 0x20 || byte == ASCII.closeBracket || byte == 0xEF {
        if offence(at: end) != nil { return end }
      }
      end += 1
    }
    guard end == limit, end < input.count else { return end }
    // A piece ends before a character, never within one.
    while end > position + 4, input[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// How many bytes at `index` cannot stand in XML's text: control characters, U+FFFE, U+FFFF,
  /// `]]>`.
  func offence(at index: Int) -> Int? {
    let byte = input[index]
    if byte < 0x20 { return byte.isASCIISpace && byte != ASCII.formFeed ? nil : 1 }
    if byte == ASCII.closeBracket { return input.has("]]>", at: index) ? 3 : nil }
    let isNoncharacter =
      byte == 0xEF && index + 2 < input.count && input[index + 1] == 0xBF
      && input[index + 2] >= 0xBE
    return isNoncharacter ? 3 : nil
  }

  private mutating func writeOffence(at index: Int, count: Int) {
    guard input[index] == ASCII.closeBracket else { return }
    leaveCDATA()
    output.append("]]&gt;")
  }

  /// Ends the CDATA section that the output stands in.
  mutating func leaveCDATA() {
    guard isInCDATA else { return }
    output.append("]]>")
    isInCDATA = false
  }

  /// Begins a CDATA section, in which nothing needs to be escaped: libxml2 takes it in one piece.
  mutating func enterCDATA() {
    guard !isInCDATA else { return }
    output.append("<![CDATA[")
    isInCDATA = true
  }

  /// Writes a resolved character as text.
  mutating func writeText(scalar: UInt32) {
    enterCDATA()
    if scalar == UInt32(ASCII.greater), output.count > 2, output[output.count - 1] == 0x5D {
      // It might end the section together with two brackets before it.
      leaveCDATA()
      output.append("&gt;")
    } else {
      output.append(scalar: scalar)
    }
  }

  /// A reference outside of tags, whose first byte is next.
  private mutating func reference() {
    if let (scalar, count) = predefinedReference() {
      writeText(scalar: scalar)
      position += count
    } else if let (value, count) = declaredEntity(at: position) {
      position += count
      enter(value)
    } else if let found = CharacterReference(
      in: input, at: position, end: input.count, allowsLegacy: false)
    {
      if found.scalar != 0 { writeText(scalar: Self.asInRSS(found.scalar)) }
      if found.second != 0 { writeText(scalar: found.second) }
      position += found.count
    } else {
      writeText(scalar: UInt32(ASCII.ampersand))
      position += 1
    }
  }

  /// `&lang;` and `&rang;` are others in the DTD of RSS 0.91 and in XHTML's than in HTML's today.
  private static func asInRSS(_ scalar: UInt32) -> UInt32 {
    scalar == 0x27E8 || scalar == 0x27E9 ? scalar - 0x27E8 + 0x2329 : scalar
  }

  /// The five that XML knows, by far the most frequent ones.
  private func predefinedReference() -> (UInt32, Int)? {
    let next = position + 1 < input.count ? input[position + 1] : 0
    switch next {
    case UInt8(ascii: "l") where input.has("lt;", at: position + 1): return (0x3C, 4)
    case UInt8(ascii: "g") where input.has("gt;", at: position + 1): return (0x3E, 4)
    case UInt8(ascii: "q") where input.has("quot;", at: position + 1): return (0x22, 6)
    case UInt8(ascii: "a") where input.has("amp;", at: position + 1): return (0x26, 5)
    case UInt8(ascii: "a") where input.has("apos;", at: position + 1): return (0x27, 6)
    default: return nil
    }
  }
}

/// What is searched for ahead.
enum StaticDelimiter: Hashable {
  case comment
  case cdata
  case instruction
}
