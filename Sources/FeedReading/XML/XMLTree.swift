/// The elements of a document that are still needed, in flat arrays.
///
/// A feed's items are turned into values one by one, and each one's elements are let go then; so
/// the tree stays as small as the largest item and what stands around the items.
final class XMLTree {
  /// Where a node is; the root is 0.
  typealias NodeID = Int32
  static let none: NodeID = -1

  struct Node {
    /// The index of the element's name; -1 for text.
    var name: Int32
    var parent: NodeID
    var firstChild: NodeID = XMLTree.none
    var lastChild: NodeID = XMLTree.none
    var next: NodeID = XMLTree.none
    /// The bytes of text, or the attributes of an element.
    var range: Range<Int32>
    /// The index of its base address.
    var base: Int32
    /// Whether any element is inside.
    var hasElements = false
  }

  struct Attribute {
    let name: Int32
    let value: Range<Int32>
  }

  struct Mark {
    let nodes: Int
    let attributes: Int
    let bytes: Int
  }

  var nodes: [Node] = []
  var attributes: [Attribute] = []
  var bytes: [UInt8] = []
  var names: [XMLName] = []
  var bases: [String] = []

  var mark: Mark { Mark(nodes: nodes.count, attributes: attributes.count, bytes: bytes.count) }

  /// Forgets what was added since, which are the last children of `parent`.
  func rewind(to mark: Mark, parent: NodeID, previous: NodeID) {
    nodes.removeSubrange(mark.nodes...)
    attributes.removeSubrange(mark.attributes...)
    bytes.removeSubrange(mark.bytes...)
    nodes[Int(parent)].lastChild = previous
    if previous == Self.none {
      nodes[Int(parent)].firstChild = Self.none
    } else {
      nodes[Int(previous)].next = Self.none
    }
  }

  func add(_ node: Node) -> NodeID {
    let id = NodeID(nodes.count)
    nodes.append(node)
    guard node.parent != Self.none else { return id }
    let parent = Int(node.parent)
    let last = nodes[parent].lastChild
    if last == Self.none {
      nodes[parent].firstChild = id
    } else {
      nodes[Int(last)].next = id
    }
    nodes[parent].lastChild = id
    if node.name >= 0 { nodes[parent].hasElements = true }
    return id
  }

  /// Appends to the text that the element ends with, or begins one.
  func append(text: UnsafeBufferPointer<UInt8>, to parent: NodeID) {
    let last = nodes[Int(parent)].lastChild
    let start = Int32(bytes.count)
    if last != Self.none, nodes[Int(last)].name < 0, nodes[Int(last)].range.upperBound == start {
      let before = nodes[Int(last)].range.count
      let taken = max(0, min(text.count, XMLLimits.textBytes - before))
      bytes.append(contentsOf: text.prefix(taken))
      nodes[Int(last)].range = nodes[Int(last)].range.lowerBound..<Int32(bytes.count)
      return
    }
    bytes.append(contentsOf: text)
    let range = start..<Int32(bytes.count)
    _ = add(Node(name: -1, parent: parent, range: range, base: nodes[Int(parent)].base))
  }
}

/// A name with what its namespace and its spelling mean.
struct XMLName {
  let key: ElementKey
  let namespace: XMLNamespace
  /// As it is written.
  let local: String
  let prefix: String
  let uri: String
}
