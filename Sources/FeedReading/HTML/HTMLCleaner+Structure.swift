extension HTMLCleaner {
  /// Writes the ends of the open elements from the innermost to the one at `index`.
  mutating func close(to index: Int) {
    while open.count > index, let element = open.popLast() {
      output.append("</")
      element.name.append(to: &output)
      output.append(ASCII.greater)
    }
  }

  mutating func endTag() {
    let start = position
    position = tag.read(in: input, at: position)
    guard tag.isClosed else { return unclosedTag(at: start) }
    guard let name = tag.name, let kind = HTMLVocabulary.elements[name] else { return }
    // Of SVG, where it may be kept.
    if open.last?.name == name { return close(to: open.count - 1) }
    guard keepsTags else {
      if kind.contains(.block) { output.append(ASCII.space) }
      return
    }
    guard kind.contains(.allowed), !kind.contains(.void) else { return }
    let isTable = kind.contains(.tablePart) || name == HTMLNames.table
    var index = open.count - 1
    while index >= 0 {
      if open[index].name == name { return close(to: index) }
      // An end that has no start in its cell must not end the table.
      if !isTable, open[index].kind.contains(.tablePart) { return }
      index -= 1
    }
  }

  /// Closes what the start of an element ends without saying so.
  ///
  /// <https://html.spec.whatwg.org/multipage/syntax.html#optional-tags>
  mutating func closeImplied(by name: PackedName, _ kind: HTMLVocabulary.Element) {
    guard let last = open.last else { return }
    if kind.contains(.item) {
      closeNearest(before: .container) { Self.isSameKind($0.name, name) }
    } else if kind.contains(.tablePart) {
      closeTablePart(name)
    } else if kind.contains(.block), last.name == HTMLNames.p {
      close(to: open.count - 1)
    } else if name == HTMLNames.a, last.name == name {
      close(to: open.count - 1)
    }
    if kind.contains(.block), open.last?.name == HTMLNames.p { close(to: open.count - 1) }
  }

  /// An item ends one of its kind, and `dt` and `dd` end each other.
  private static func isSameKind(_ one: PackedName, _ other: PackedName) -> Bool {
    one == other || one != HTMLNames.li && other != HTMLNames.li
  }

  private mutating func closeTablePart(_ name: PackedName) {
    let isCell = name == HTMLNames.td || name == HTMLNames.th
    let isRow = name == HTMLNames.tr
    closeNearest(before: .container) { element in
      guard element.kind.contains(.tablePart) else { return false }
      let isOpenCell = element.name == HTMLNames.td || element.name == HTMLNames.th
      if isCell { return isOpenCell }
      return isRow ? isOpenCell || element.name == HTMLNames.tr : true
    }
  }

  /// Closes up to the outermost wanted element that no element of the kind `limit` encloses.
  private mutating func closeNearest(
    before limit: HTMLVocabulary.Element, _ isWanted: (OpenElement) -> Bool
  ) {
    var index = open.count - 1
    var found: Int?
    while index >= 0, open[index].kind.isDisjoint(with: limit) {
      if isWanted(open[index]) {
        found = index
        if open[index].kind.contains(.item) { break }
      }
      index -= 1
    }
    if let found { close(to: found) }
  }
}
