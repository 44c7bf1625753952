/// One element of a tree, as the models read it.
struct XMLElement {
  let tree: XMLTree
  let id: XMLTree.NodeID

  private var node: XMLTree.Node { tree.nodes[Int(id)] }
  private var name: XMLName { tree.names[Int(node.name)] }
  var key: ElementKey { name.key }
  var namespace: XMLNamespace { name.namespace }
  var localName: String { name.local }
  /// Addresses in it are relative to this one; empty if nothing is known.
  var base: String { tree.bases[Int(node.base)] }
  var hasElements: Bool { node.hasElements }

  /// The elements directly inside.
  var children: [XMLElement] {
    var result: [XMLElement] = []
    forEachChild { result.append($0) }
    return result
  }

  func forEachChild(_ body: (XMLElement) -> Void) {
    var child = node.firstChild
    while child != XMLTree.none {
      let next = tree.nodes[Int(child)]
      if next.name >= 0 { body(XMLElement(tree: tree, id: child)) }
      child = next.next
    }
  }

  func first(_ key: ElementKey) -> XMLElement? { children.first { $0.key == key } }

  /// The value of an attribute without a prefix, in any case.
  func attribute(_ wanted: StaticString) -> String? {
    for attribute in tree.attributes[Int(node.range.lowerBound)..<Int(node.range.upperBound)] {
      let name = tree.names[Int(attribute.name)]
      guard name.prefix.isEmpty || name.namespace == .rdf,
        Array(name.local.utf8).hasIgnoringCase(wanted, at: 0),
        name.local.utf8.count == wanted.utf8CodeUnitCount
      else { continue }
      return String(utf8: value(of: attribute))
    }
    return nil
  }

  /// `xml:lang`.
  var language: String? {
    for attribute in tree.attributes[Int(node.range.lowerBound)..<Int(node.range.upperBound)]
    where tree.names[Int(attribute.name)].namespace == .xml {
      if tree.names[Int(attribute.name)].local == "lang" {
        return String(utf8: value(of: attribute))
      }
    }
    return nil
  }

  private func value(of attribute: XMLTree.Attribute) -> ArraySlice<UInt8> {
    tree.bytes[Int(attribute.value.lowerBound)..<Int(attribute.value.upperBound)]
  }

  /// The bytes of the text directly inside, and of elements inside it if there are any.
  var textBytes: [UInt8] {
    let first = node.firstChild
    guard first != XMLTree.none else { return [] }
    let only = tree.nodes[Int(first)]
    if only.next == XMLTree.none, only.name < 0 { return bytes(only.range) }
    var result: [UInt8] = []
    walk { child, isEnd in
      if child.name < 0, !isEnd { result.append(contentsOf: bytes(child.range)) }
    }
    return result
  }

  /// The text inside without white space around it; nil if there is none.
  var text: String? { String(utf8: textBytes).trimmed.nonEmpty }

  private func bytes(_ range: Range<Int32>) -> [UInt8] {
    Array(tree.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  /// Every node inside in the order of the document, elements once more at their ends.
  private func walk(_ visit: (XMLTree.Node, _ isEnd: Bool) -> Void) {
    var current = node.firstChild
    while current != XMLTree.none {
      let node = tree.nodes[Int(current)]
      visit(node, false)
      if node.firstChild != XMLTree.none {
        current = node.firstChild
        continue
      }
      if node.name >= 0 { visit(node, true) }
      current = after(current, visit)
    }
  }

  /// The next node in the order of the document that is not inside `start`; none at the end.
  private func after(
    _ start: XMLTree.NodeID, _ visit: (XMLTree.Node, _ isEnd: Bool) -> Void
  ) -> XMLTree.NodeID {
    var current = start
    while tree.nodes[Int(current)].next == XMLTree.none {
      current = tree.nodes[Int(current)].parent
      guard current != id, current != XMLTree.none else { return XMLTree.none }
      visit(tree.nodes[Int(current)], true)
    }
    return tree.nodes[Int(current)].next
  }
}

extension XMLElement {
  /// What is inside as HTML, with addresses made absolute as `xml:base` says.
  ///
  /// It is not safe to show: ``HTMLSanitizer`` makes it so.
  var markup: [UInt8] { markup(escapingText: true) }

  /// As ``markup``; without escaping, text that holds markup once more is taken as such.
  func markup(escapingText isEscaping: Bool) -> [UInt8] {
    var output: [UInt8] = []
    // Whether the elements around declare the namespace, from the outermost to the innermost.
    var foreign: [XMLNamespace] = []
    walk { child, isEnd in
      guard child.name >= 0 else {
        let text = bytes(child.range)
        if isEscaping { Self.escape(text[...], into: &output) } else { output.append(text) }
        return
      }
      let name = tree.names[Int(child.name)]
      let isForeign = name.namespace == .svg || name.namespace == .mathML
      if isEnd {
        if isForeign { foreign.removeLast() }
        output.append("</")
        output.append(contentsOf: name.local.utf8)
      } else {
        output.append(ASCII.less)
        output.append(contentsOf: name.local.utf8)
        writeAttributes(of: child, declaring: isForeign && foreign.last != name.namespace, &output)
        if isForeign { foreign.append(name.namespace) }
      }
      output.append(ASCII.greater)
    }
    return output
  }

  private func writeAttributes(
    of node: XMLTree.Node, declaring isDeclaring: Bool, _ output: inout [UInt8]
  ) {
    if isDeclaring { Self.write("xmlns", tree.names[Int(node.name)].uri.utf8, into: &output) }
    for attribute in tree.attributes[Int(node.range.lowerBound)..<Int(node.range.upperBound)] {
      let name = tree.names[Int(attribute.name)]
      var value = Array(self.value(of: attribute))
      if HTMLVocabulary.isAddress(name.local), name.prefix.isEmpty {
        let base = tree.bases[Int(node.base)]
        if !base.isEmpty, output.count < FeedLimits.bodyBytes {
          value = Array(WebAddress.resolve(String(utf8: value), base).utf8)
        }
      }
      if name.namespace == .xlink {
        Self.write("xmlns:xlink", name.uri.utf8, into: &output)
        Self.write("xlink:" + name.local, value, into: &output)
      } else if name.prefix.isEmpty {
        Self.write(name.local, value, into: &output)
      }
    }
  }

  private static func write(
    _ name: String, _ value: some Sequence<UInt8>, into output: inout [UInt8]
  ) {
    output.append(ASCII.space)
    output.append(contentsOf: name.utf8)
    output.append("=\"")
    escape(Array(value)[...], into: &output)
    output.append(ASCII.quote)
  }

  /// Appends text so that it stands for itself in HTML.
  static func escape(_ text: ArraySlice<UInt8>, into output: inout [UInt8]) {
    var written = text.startIndex
    for index in text.indices {
      let word: StaticString
      switch text[index] {
      case ASCII.ampersand: word = "&amp;"
      case ASCII.less: word = "&lt;"
      case ASCII.greater: word = "&gt;"
      case ASCII.quote: word = "&quot;"
      default: continue
      }
      output.append(contentsOf: text[written..<index])
      output.append(word)
      written = index + 1
    }
    output.append(contentsOf: text[written...])
  }
}
