/// An attribute as it stands in a tag.
struct XMLAttributeSpan {
  let name: Range<Int>
  let value: Range<Int>
}

extension XMLMender {
  /// What begins with `<`, which is next.
  mutating func markup() {
    let next = position + 1 < input.count ? input[position + 1] : 0
    switch next {
    case ASCII.slash: endTag()
    case ASCII.exclamation: declaration()
    case ASCII.question: instruction()
    case _ where next.isASCIILetter || next == ASCII.underscore || next >= 0x80: startTag()
    default:
      writeText(scalar: UInt32(ASCII.less))
      position += 1
    }
  }

  private mutating func endTag() {
    let start = position + 2
    let nameEnd = endOfName(from: start)
    var end = nameEnd
    while end < input.count, input[end] != ASCII.greater, input[end] != ASCII.less { end += 1 }
    position = end < input.count && input[end] == ASCII.greater ? end + 1 : end
    let hash = OpenNames.hash(input[start..<nameEnd])
    guard !isVoid(start..<nameEnd, hash) else { return }
    let index = names.lastIndex(of: hash)
    if skippedDepth > 0 {
      // No item stands in another, so this is the end of the one that holds what was skipped.
      guard index != nil, Self.isItem(hash) else {
        skippedDepth -= 1
        return
      }
      skippedDepth = 0
    }
    guard let index else { return }
    leaveCDATA()
    while names.depth > index { writeEndOfTop() }
  }

  /// Closes the innermost element in the output.
  mutating func writeEndOfTop() {
    output.append("</")
    writeName(names.top)
    output.append(ASCII.greater)
    names.pop()
  }

  private mutating func startTag() {
    let start = position + 1
    let nameEnd = endOfName(from: start)
    let end = readAttributes(from: nameEnd)
    position = end.position
    let hash = OpenNames.hash(input[start..<nameEnd])
    let isEmpty = end.isEmpty || isVoid(start..<nameEnd, hash)
    // A name too many is none that means anything.
    let isKnown = budget.allows(hash)
    let name = isKnown ? input[start..<nameEnd].prefix(XMLLimits.nameBytes) : Self.anyName
    leaveCDATA()
    closeBefore(hash)
    guard names.depth < XMLLimits.depth else {
      if !isEmpty { skippedDepth += 1 }
      return
    }
    output.append(ASCII.less)
    writeName(name)
    writeAttributes()
    if isEmpty {
      output.append("/>")
    } else {
      output.append(ASCII.greater)
      names.push(name, hash: hash)
    }
  }

  /// Closes what cannot hold the element: a link holds none, an item no other item.
  ///
  /// So a tag that its author forgot to close does not swallow what follows.
  private mutating func closeBefore(_ hash: UInt64) {
    if names.topHash == Self.link || names.topHash == Self.enclosure { writeEndOfTop() }
    guard Self.isItem(hash), let index = names.lastIndex(of: hash) else { return }
    while names.depth > index { writeEndOfTop() }
    skippedDepth = 0
  }

  private static func isItem(_ hash: UInt64) -> Bool { hash == item || hash == entry }

  /// Whether HTML's element of that name has no end tag, and no feed's has the name.
  ///
  /// In HTML that nobody escaped, a few hundred line breaks would be as many levels.
  private func isVoid(_ name: Range<Int>, _ hash: UInt64) -> Bool {
    name.count <= Self.longestVoid && Self.voids.contains(hash)
  }

  private static let link = OpenNames.hash("link".utf8)
  private static let enclosure = OpenNames.hash("enclosure".utf8)
  private static let item = OpenNames.hash("item".utf8)
  private static let entry = OpenNames.hash("entry".utf8)
  private static let voidNames = ["area", "br", "col", "embed", "hr", "img", "input", "wbr"]
  private static let voids = Set(voidNames.map { OpenNames.hash($0.utf8) })
  private static let longestVoid = 5
  private static let anyName = Array("_".utf8)[...]

  /// Where the name ends that starts there.
  private func endOfName(from start: Int) -> Int {
    var index = start
    while index < input.count {
      let byte = input[index]
      if byte.isASCIISpace || byte == ASCII.slash || byte == ASCII.greater || byte == ASCII.less
        || byte == ASCII.equals
      {
        break
      }
      index += 1
    }
    return index
  }

  /// Writes a name, with what a name cannot have replaced.
  private mutating func writeName(_ name: ArraySlice<UInt8>) {
    let name = name.prefix(XMLLimits.nameBytes)
    let keepsColon = Self.hasPrefix(name)
    var isFirst = true
    for byte in name {
      let isStart = byte.isASCIILetter || byte == ASCII.underscore
      let isAllowed =
        isStart || !isFirst && (byte.isASCIIDigit || byte == 0x2D || byte == 0x2E)
        || byte == ASCII.colon && keepsColon
      output.append(isAllowed ? byte : ASCII.underscore)
      isFirst = false
    }
  }

  /// Whether the one colon of a name stands between two names.
  private static func hasPrefix(_ name: ArraySlice<UInt8>) -> Bool {
    guard let colon = name.firstIndex(of: ASCII.colon), colon > name.startIndex,
      colon + 1 < name.endIndex
    else { return false }
    let next = name[colon + 1]
    return (next.isASCIILetter || next == ASCII.underscore)
      && !name[(colon + 1)...].contains(ASCII.colon)
  }

  /// Finds the attributes up to the end of the tag, which lies behind `>` or before the next `<`.
  private mutating func readAttributes(from start: Int) -> (position: Int, isEmpty: Bool) {
    attributes.removeAll(keepingCapacity: true)
    var index = start
    while index < input.count {
      let byte = input[index]
      if byte == ASCII.greater {
        return (index + 1, index > start && input[index - 1] == ASCII.slash)
      }
      if byte == ASCII.less { return (index, false) }
      if byte.isASCIISpace || byte == ASCII.slash || byte == ASCII.equals {
        index += 1
        continue
      }
      index = readAttribute(from: index)
    }
    return (index, false)
  }

  /// One attribute; the position behind it.
  private mutating func readAttribute(from start: Int) -> Int {
    let nameEnd = max(endOfName(from: start), start + 1)
    var index = nameEnd
    while index < input.count, input[index].isASCIISpace { index += 1 }
    guard index < input.count, input[index] == ASCII.equals else {
      note(XMLAttributeSpan(name: start..<nameEnd, value: nameEnd..<nameEnd))
      return nameEnd
    }
    index += 1
    while index < input.count, input[index].isASCIISpace { index += 1 }
    guard index < input.count else { return index }
    let mark = input[index]
    if mark == ASCII.quote || mark == ASCII.apostrophe, let end = endOfValue(from: index + 1, mark)
    {
      note(XMLAttributeSpan(name: start..<nameEnd, value: index + 1..<end.value))
      return end.next
    }
    let valueStart = mark == ASCII.quote || mark == ASCII.apostrophe ? index + 1 : index
    index = valueStart
    while index < input.count, !input[index].isASCIISpace, input[index] != ASCII.greater {
      index += 1
    }
    // `<a b=c/>` is an empty element, but `<a href=http://host/>` is not.
    let isSlashed = index < input.count && index > valueStart && input[index - 1] == ASCII.slash
    let isAddress = input[valueStart..<index].contains(ASCII.colon)
    let end = isSlashed && !isAddress ? index - 1 : index
    note(XMLAttributeSpan(name: start..<nameEnd, value: valueStart..<end))
    return end
  }

  /// The end of a quoted value, or nil if its closing mark is missing.
  ///
  /// It is missing where `>` and then `<` come before it, as in `<a href="x>text</a> "`.
  private func endOfValue(from start: Int, _ mark: UInt8) -> (value: Int, next: Int)? {
    var sawGreater = false
    var index = start
    let limit = min(input.count, start + XMLLimits.attributeBytes)
    while index < limit {
      let byte = input[index]
      if byte == mark { return (index, index + 1) }
      if byte == ASCII.greater { sawGreater = true }
      if byte == ASCII.less, sawGreater { return nil }
      index += 1
    }
    return nil
  }

  private mutating func note(_ attribute: XMLAttributeSpan) {
    guard attributes.count < XMLLimits.attributes else { return }
    let name = input[attribute.name]
    guard Self.isName(name), budget.allows(OpenNames.hash(name)) else { return }
    // The first of two with one name counts, as in HTML.
    guard !attributes.contains(where: { input[$0.name] == name }) else { return }
    attributes.append(attribute)
  }

  /// Whether libxml2 takes it as a name as it stands; others would only make two of one name.
  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    guard let first = name.first, first.isASCIILetter || first == ASCII.underscore,
      name.count <= XMLLimits.nameBytes, !name.contains(ASCII.colon) || hasPrefix(name)
    else { return false }
    return name.allSatisfy {
      $0.isASCIIAlphanumeric || $0 == 0x2D || $0 == 0x2E || $0 == 0x3A || $0 == ASCII.underscore
    }
  }

  private mutating func writeAttributes() {
    for attribute in attributes {
      output.append(ASCII.space)
      writeName(input[attribute.name])
      output.append("=\"")
      writeValue(attribute.value)
      output.append(ASCII.quote)
    }
  }

  private mutating func writeValue(_ range: Range<Int>) {
    var index = range.lowerBound
    var written = index
    while index < range.upperBound {
      let byte = input[index]
      let isPlain =
        byte >= 0x20 && byte != ASCII.ampersand && byte != ASCII.less && byte != ASCII.quote
        && (byte != 0xEF || offence(at: index) == nil)
      if isPlain {
        index += 1
        continue
      }
      output.append(written..<index, of: input)
      index += writeSpecial(at: index, end: range.upperBound)
      written = index
    }
    output.append(written..<range.upperBound, of: input)
  }

  /// Writes what cannot stand as it is in a value; how many bytes of the input that was.
  private mutating func writeSpecial(at index: Int, end: Int) -> Int {
    let byte = input[index]
    if byte == ASCII.less || byte == ASCII.quote {
      writeEscaped(scalar: UInt32(byte))
      return 1
    }
    guard byte == ASCII.ampersand else {
      if byte.isASCIISpace { output.append(ASCII.space) }
      return offence(at: index) ?? 1
    }
    if let (value, count) = declaredEntity(at: index) {
      for byte in value.prefix(XMLLimits.attributeBytes) where byte >= 0x20 && byte != 0xEF {
        if byte == ASCII.less || byte == ASCII.quote || byte == ASCII.ampersand {
          writeEscaped(scalar: UInt32(byte))
        } else {
          output.append(byte)
        }
      }
      expandedBytes += value.count
      return count
    }
    guard
      let found = CharacterReference(in: input, at: index, end: end, allowsLegacy: false)
    else {
      output.append("&amp;")
      return 1
    }
    if found.scalar != 0 { writeEscaped(scalar: found.scalar) }
    if found.second != 0 { writeEscaped(scalar: found.second) }
    return found.count
  }

  private mutating func writeEscaped(scalar: UInt32) {
    switch scalar {
    case UInt32(ASCII.ampersand): output.append("&amp;")
    case UInt32(ASCII.less): output.append("&lt;")
    case UInt32(ASCII.quote): output.append("&quot;")
    default: output.append(scalar: scalar)
    }
  }
}
