extension XMLMender {
  /// A comment, a CDATA section, a document type, or what looks like one.
  mutating func declaration() {
    if input.has("<!--", at: position) {
      if let end = find("-->", .comment, from: position + 4) {
        position = end + 3
      } else {
        position += 4
      }
    } else if input.has("<![CDATA[", at: position) {
      cdata()
    } else if !hasDocumentType, input.hasIgnoringCase("<!doctype", at: position) {
      hasDocumentType = true
      let type = XMLDocumentType(in: input, at: position)
      position = type.end
      entities.merge(type.entities) { first, _ in first }
    } else {
      position =
        input[(position + 1)...].firstIndex(of: ASCII.greater).map { $0 + 1 } ?? input.count
    }
  }

  /// A processing instruction or the XML declaration, which are left out.
  mutating func instruction() {
    // One that PHP leaves may lack its question mark.
    let end = find("?>", .instruction, from: position + 2)
    position = end.map { $0 + 2 } ?? min(position + 2, input.count)
    guard end == nil else { return }
    position = input[position...].firstIndex(of: ASCII.greater).map { $0 + 1 } ?? input.count
  }

  /// Where `word` is found next, remembering where it is known not to be.
  private mutating func find(
    _ word: StaticString, _ kind: StaticDelimiter, from start: Int
  ) -> Int? {
    if let known = searchedInVain[kind], start >= known { return nil }
    if let found = input.firstIndex(of: word, from: start) { return found }
    searchedInVain[kind] = start
    return nil
  }

  private mutating func cdata() {
    let start = position + 9
    if let end = find("]]>", .cdata, from: start) {
      writeSection(start..<end)
      position = end + 3
      return
    }
    // Without its end, it is ended by the tag of the element that it is in.
    var closing = Array("</".utf8)
    closing.append(contentsOf: names.top)
    var end = start
    while end < input.count {
      if input[end] == ASCII.less, input[end...].starts(with: closing) { break }
      end += 1
    }
    writeSection(start..<end)
    position = end
  }

  /// Text that stands for itself.
  private mutating func writeSection(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // A section of its own, so that `]]` before it and `>` in it never meet.
    leaveCDATA()
    enterCDATA()
    var written = range.lowerBound
    var index = written
    while index < range.upperBound {
      let byte = input[index]
      if byte < 0x20 || byte == 0xEF, let count = offence(at: index) {
        output.append(written..<index, of: input)
        index += count
        written = index
        if output.last == ASCII.closeBracket {
          leaveCDATA()
          enterCDATA()
        }
      } else {
        index += 1
      }
    }
    output.append(written..<max(written, range.upperBound), of: input)
    leaveCDATA()
  }

  /// The text of the entity that the document itself declares, for the reference at `index`.
  func declaredEntity(at index: Int) -> (value: [UInt8], count: Int)? {
    guard !entities.isEmpty else { return nil }
    var end = index + 1
    let limit = min(input.count, end + XMLLimits.nameBytes)
    while end < limit, input[end] != ASCII.semicolon, !input[end].isASCIISpace { end += 1 }
    guard end < limit, input[end] == ASCII.semicolon,
      let value = entities[Array(input[index + 1..<end])]
    else { return nil }
    return (expandedBytes < XMLLimits.expandedBytes ? value : [], end + 1 - index)
  }

  /// Reads the text of an entity before what follows, unless that would go too far.
  mutating func enter(_ value: [UInt8]) {
    guard outer.count < XMLLimits.entityDepth else { return }
    // Those that expand to nothing cost time, too.
    expandedBytes += value.count + 1
    guard expandedBytes <= XMLLimits.expandedBytes else { return }
    outer.append((input, position, searchedInVain))
    (input, position, searchedInVain) = (value, 0, [:])
  }
}

/// A document type declaration: where it ends, and the entities that it declares as text.
///
/// Parameter entities and everything external are passed over.
struct XMLDocumentType {
  private(set) var end: Int
  private(set) var entities: [[UInt8]: [UInt8]] = [:]

  init(in text: [UInt8], at start: Int) {
    end = start
    var index = start + 2
    var isInSubset = false
    while index < text.count {
      let byte = text[index]
      if byte == ASCII.greater, !isInSubset { break }
      if byte == ASCII.openBracket { isInSubset = true }
      if byte == ASCII.closeBracket { isInSubset = false }
      // A tag outside of the subset: the declaration was never closed.
      if byte == ASCII.less, !isInSubset {
        end = index
        return
      }
      index = next(in: text, at: index, isInSubset: isInSubset)
    }
    if index >= text.count, isInSubset || text[start...].contains(ASCII.greater) {
      // Not closed: leaves out no more than its first line.
      index = text[start...].firstIndex(of: ASCII.greater) ?? text.count
    }
    end = min(index + 1, text.count)
  }

  /// Passes what starts at `index`: a comment, a declaration, a quoted name, or one byte.
  private mutating func next(in text: [UInt8], at index: Int, isInSubset: Bool) -> Int {
    let byte = text[index]
    if byte == ASCII.quote || byte == ASCII.apostrophe {
      return text[(index + 1)...].firstIndex(of: byte).map { $0 + 1 } ?? text.count
    }
    guard byte == ASCII.less else { return index + 1 }
    if text.has("<!--", at: index) {
      return text.firstIndex(of: "-->", from: index + 4).map { $0 + 3 } ?? text.count
    }
    return text.has("<!ENTITY", at: index) ? entity(in: text, at: index + 8) : index + 1
  }

  private mutating func entity(in text: [UInt8], at start: Int) -> Int {
    var index = start
    func skipSpace() { while index < text.count, text[index].isASCIISpace { index += 1 } }
    skipSpace()
    let nameStart = index
    while index < text.count, !text[index].isASCIISpace, text[index] != ASCII.greater { index += 1 }
    let name = Array(text[nameStart..<index])
    skipSpace()
    guard index < text.count, text[index] == ASCII.quote || text[index] == ASCII.apostrophe,
      let end = text[(index + 1)...].firstIndex(of: text[index])
    else { return index }
    let value = index + 1..<end
    if entities.count < XMLLimits.entities, name.count <= XMLLimits.nameBytes,
      value.count <= XMLLimits.entityBytes, entities[name] == nil
    {
      entities[name] = Self.replacement(text, value)
    }
    return end + 1
  }

  /// The value with its numeric references resolved, as XML 1.0 section 4.4 has it.
  private static func replacement(_ text: [UInt8], _ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if text[index] == ASCII.ampersand, text.has("&#", at: index),
        let found = CharacterReference(in: text, at: index, end: range.upperBound)
      {
        if found.scalar != 0 { result.append(scalar: found.scalar) }
        index += found.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }
}
