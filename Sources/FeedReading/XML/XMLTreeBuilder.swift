/// Builds a tree from events, and hands each item to the feed's reader as it ends.
final class XMLTreeBuilder: XMLEventHandler {
  let tree = XMLTree()
  /// Chooses who reads the feed whose root element this is; nil if it is not the root of a feed.
  private let choose: (XMLElement) -> (any XMLFeedReader)?
  private(set) var reader: (any XMLFeedReader)?
  /// The root of the feed, once it was found.
  private var root = XMLTree.none
  private var current: XMLTree.NodeID = 0
  private var openItem: (id: XMLTree.NodeID, mark: XMLTree.Mark, previous: XMLTree.NodeID)?
  private var nameIndexes: [NameIdentity: Int32] = [:]
  private var isFinished = false
  /// More of them around the items than any feed has are dropped, so that memory stays bounded.
  private static let maximumNodes = 200_000
  private var dropped = 0

  private struct NameIdentity: Hashable {
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    let uri: UnsafePointer<UInt8>?
  }

  init(base: String, choose: @escaping (XMLElement) -> (any XMLFeedReader)?) {
    self.choose = choose
    tree.bases = [base]
    _ = tree.add(XMLTree.Node(name: -1, parent: XMLTree.none, range: 0..<0, base: 0))
  }

  func start(_ tag: XMLStartTag) {
    if current == 0, reader != nil { isFinished = true }
    if dropped > 0 || isFinished || tree.nodes.count >= Self.maximumNodes {
      dropped += 1
      return
    }
    let mark = tree.mark
    let previous = tree.nodes[Int(current)].lastChild
    let parentBase = tree.nodes[Int(current)].base
    let firstAttribute = Int32(tree.attributes.count)
    var base = parentBase
    for index in 0..<tag.attributeCount {
      guard let attribute = tag.attribute(index) else { continue }
      let name = nameIndex(attribute.local, attribute.prefix, attribute.uri, isAttribute: true)
      let start = Int32(tree.bytes.count)
      tree.bytes.append(contentsOf: attribute.value)
      tree.attributes.append(
        XMLTree.Attribute(name: name, value: start..<Int32(tree.bytes.count)))
      if tree.names[Int(name)].namespace == .xml, tree.names[Int(name)].local == "base" {
        base = baseIndex(String(utf8: attribute.value), inside: parentBase)
      }
    }
    let node = XMLTree.Node(
      name: nameIndex(tag.local, tag.prefix, tag.uri, isAttribute: false), parent: current,
      range: firstAttribute..<Int32(tree.attributes.count), base: base)
    current = tree.add(node)
    if reader == nil {
      chooseReader()
    } else if openItem == nil, reader?.isItem(XMLElement(tree: tree, id: current)) == true {
      openItem = (current, mark, previous)
    }
  }

  func end() {
    if dropped > 0 {
      dropped -= 1
      return
    }
    guard current != 0 else { return }
    let parent = tree.nodes[Int(current)].parent
    if let item = openItem, item.id == current {
      reader?.readItem(XMLElement(tree: tree, id: current))
      tree.rewind(to: item.mark, parent: parent, previous: item.previous)
      openItem = nil
    } else if current == root {
      reader?.readChannel(XMLElement(tree: tree, id: current))
      root = XMLTree.none
    }
    current = parent
  }

  func characters(_ text: UnsafeBufferPointer<UInt8>) {
    // Text around the feed and in what is dropped is nothing.
    guard reader != nil, current != 0, dropped == 0 else { return }
    tree.append(text: text, to: current)
  }

  /// Reads the channel of a document that libxml2 gave up before its end.
  func finish() {
    if root != XMLTree.none { reader?.readChannel(XMLElement(tree: tree, id: root)) }
  }

  private func chooseReader() {
    reader = choose(XMLElement(tree: tree, id: current))
    if reader != nil { root = current }
  }

  private func baseIndex(_ address: String, inside parent: Int32) -> Int32 {
    guard tree.bases.count < 10_000, address.utf8.count <= XMLLimits.baseBytes else {
      return parent
    }
    let resolved = WebAddress.resolve(WebAddress.cleaned(address.trimmed), tree.bases[Int(parent)])
    guard resolved.utf8.count <= XMLLimits.baseBytes else { return parent }
    // What is no address, such as `xml:base="javascript:"`, changes nothing.
    guard
      WebAddress.isWeb(resolved)
        || tree.bases[Int(parent)].isEmpty && WebAddress.isHarmless(resolved)
    else { return parent }
    if tree.bases.last == resolved { return Int32(tree.bases.count - 1) }
    tree.bases.append(resolved)
    return Int32(tree.bases.count - 1)
  }

  /// libxml2 keeps each name once, so the pointers tell names apart.
  private func nameIndex(
    _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?, _ uri: UnsafePointer<UInt8>?,
    isAttribute: Bool
  ) -> Int32 {
    let identity = NameIdentity(local: local, prefix: prefix, uri: uri)
    if let known = nameIndexes[identity] { return known }
    let localText = String(cString: local)
    let prefixText = prefix.map { String(cString: $0) } ?? ""
    let uriText = uri.map { String(cString: $0) } ?? ""
    var namespace = XMLNamespace(uri: uriText, prefix: prefixText, isDeclared: uri != nil)
    if namespace == .other, !isAttribute { namespace = coreOrOther(uriText, prefixText) }
    tree.names.append(
      XMLName(
        key: ElementKey(namespace: namespace, local: localText), namespace: namespace,
        local: localText, prefix: prefixText, uri: uriText))
    let index = Int32(tree.names.count - 1)
    nameIndexes[identity] = index
    return index
  }

  /// RSS has been published in namespaces that somebody made up: the root's is the feed's own.
  private func coreOrOther(_ uri: String, _ prefix: String) -> XMLNamespace {
    if prefix.isEmpty, root == XMLTree.none || rootURI == uri { return .core }
    return root != XMLTree.none && rootURI == uri ? .core : .other
  }

  private var rootURI: String? {
    root == XMLTree.none ? nil : tree.names[Int(tree.nodes[Int(root)].name)].uri
  }
}

/// Reads one kind of feed from the elements of its document.
protocol XMLFeedReader: AnyObject {
  /// Whether the element is an item of the feed, which is read when it ends and then let go.
  func isItem(_ element: XMLElement) -> Bool
  func readItem(_ element: XMLElement)
  /// Reads what the feed says of itself; its items have been read, and are gone.
  func readChannel(_ root: XMLElement)
  /// The feed, when the document has ended, wherever that was.
  func finished() -> Channel
}
