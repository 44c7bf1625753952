import CanonicalJSON

extension DocumentView {
  /// The canonical body; nil if the document is absent.
  package var body: [UInt8]? {
    guard let root else { return nil }
    var output: [UInt8] = []
    root.write(into: &output)
    return output
  }

  /// The body as a value; nil if the document is absent.
  package var json: JSON? { root?.json }
}

extension DocumentView.Node {
  /// Appends what shows here as canonical JSON: members stand in the order of their keys already.
  func write(into output: inout [UInt8]) {
    switch content {
    case .leaf(let leaf), .counter(let leaf): leaf.write(into: &output)
    case .set(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output.append(contentsOf: element.key.bytes)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        JSON.writeString(member.key, into: &output)
        output.append(UInt8(ascii: ":"))
        member.write(into: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  var json: JSON {
    switch content {
    case .leaf(let leaf), .counter(let leaf): return leaf.json
    case .set(let elements): return .array(elements.map(\.json))
    case .object(let members):
      var object = JSONObject()
      for member in members { object[member.key] = member.json }
      return .object(object)
    }
  }

  /// The key of this member; empty for the root.
  package var key: ByteString { path.lastKey ?? ByteString("") }

  /// This node and all below it, from the top down.
  package var subtree: [DocumentView.Node] {
    switch content {
    case .leaf, .counter, .set: [self]
    case .object(let members): [self] + members.flatMap(\.subtree)
    }
  }
}
