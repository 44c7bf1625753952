import CanonicalJSON

/// What one transaction says of one document.
package struct DocumentEvent: Sendable {
  /// An operation, and where it stands in its transaction.
  package struct Step: Sendable {
    package let index: Int
    package let effect: DocumentState.Effect

    package init(index: Int, effect: DocumentState.Effect) {
      self.index = index
      self.effect = effect
    }
  }

  package let header: Transaction.Header
  package private(set) var steps: [Step]

  package init(header: Transaction.Header, steps: [Step] = []) {
    self.header = header
    self.steps = steps
  }

  package mutating func append(_ operation: Operation, at index: Int) {
    steps.append(Step(index: index, effect: DocumentState.Effect(operation)))
  }

  func stamp(of step: Step) -> Stamp { header.stamp(step.index) }

  func wrote(_ dot: Dot) -> Bool {
    dot.stream == header.stream && dot.sequence == header.sequence
  }

  /// The order of all operations: having seen implies a greater stamp.
  static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
    lhs.header.stamp(0) < rhs.header.stamp(0)
  }
}

/// A document's values by where they show, each as canonical JSON; an object counts only where it
/// has no members.
package typealias ShownValues = [Path: [UInt8]]

extension DocumentView {
  package var shownValues: ShownValues {
    var values: ShownValues = [:]
    root?.forEachValue { node in
      var text: [UInt8] = []
      node.write(into: &text)
      values[node.path] = text
    }
    return values
  }

  /// Where counters and sets show.
  var shownKinds: [Path: ReplicatedKind] {
    var kinds: [Path: ReplicatedKind] = [:]
    root?.forEachValue { kinds[$0.path] = $0.content.kind }
    return kinds
  }
}

extension DocumentView.Node {
  /// Calls `body` with all that has no members.
  fileprivate func forEachValue(_ body: (DocumentView.Node) -> Void) {
    if case .object(let members) = content, !members.isEmpty {
      for member in members { member.forEachValue(body) }
    } else {
      body(self)
    }
  }
}

/// Takes in a document's transactions one by one, in the order of their stamps, and keeps what it
/// showed meanwhile.
///
/// They could have arrived in that order, so each shows what its author wrote, unless it took away
/// what somebody else had changed.
struct EventFold {
  private(set) var state: DocumentState
  private(set) var isVisible = false
  private(set) var values: ShownValues = [:]

  /// - parameter lineage: What is held of the streams, to tell their branches apart.
  init(lineage: Lineage?) { state = DocumentState(lineage: lineage) }

  /// The body; nil where the document is absent.
  var body: JSON? { state.view().json }
  /// Where counters and sets show.
  var kinds: [Path: ReplicatedKind] { state.view().shownKinds }

  /// The paths at which another value shows now than before, sorted.
  mutating func take(_ event: DocumentEvent) -> [Path] {
    for step in event.steps {
      state.apply(step.effect, stamp: event.stamp(of: step), context: event.header.context)
    }
    let view = state.view()
    let (before, after) = (values, view.shownValues)
    values = after
    isVisible = view.isVisible
    return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
  }
}
