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

  package func stamp(of step: Step) -> Stamp { header.stamp(step.index) }

  func wrote(_ dot: Dot) -> Bool {
    dot.stream == header.stream && dot.sequence == header.sequence
  }

  /// The order of all operations: having seen implies a greater stamp.
  package static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
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
package struct EventFold {
  /// Without what the run has.
  private var base: DocumentState
  /// What came since that changed nothing but what counters come to.
  private var run: CounterRun?
  private(set) var isVisible = false
  /// Whether values stand of which it is not known any more what they were part of.
  private(set) var isStump = false
  private(set) var values: ShownValues = [:]
  /// Where counters and sets show.
  private(set) var kinds: [Path: ReplicatedKind] = [:]

  /// - parameter lineage: What is held of the streams, to tell their branches apart.
  package init(lineage: Lineage?) { base = DocumentState(lineage: lineage) }

  /// The document as it is now; made anew where increments have come since.
  var state: DocumentState {
    var state = base
    if let run { state.apply(run.entries) }
    return state
  }

  /// The body; nil where the document is absent.
  var body: JSON? { state.view().json }

  /// Whether the author of a transaction had seen another.
  func hasSeen(_ event: DocumentEvent, _ other: DocumentEvent) -> Bool {
    base.relation(of: event.header.context, to: other.header.stamp(0)) != .none
  }

  /// The paths at which another value shows now than before, sorted.
  package mutating func take(_ event: DocumentEvent) -> [Path] {
    if let steps = count(event) { return steps.map(\.path) }
    settle()
    for step in event.steps {
      base.apply(step.effect, stamp: event.stamp(of: step), context: event.header.context)
    }
    let view = base.view()
    let (before, after) = (values, view.shownValues)
    values = after
    kinds = view.shownKinds
    (isVisible, isStump) = (view.isVisible, view.isStump)
    return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
  }

  /// Takes in a transaction that only adds to counters which show; nil if it does anything else.
  package mutating func count(_ event: DocumentEvent) -> [CounterRun.Step]? {
    let isPlain = event.steps.allSatisfy {
      $0.effect.kind == .increment && kinds[$0.effect.path] == .counter
    }
    guard isPlain else { return nil }
    var run = self.run ?? CounterRun(after: base, kinds: kinds)
    // Held once, so that it is changed in place.
    self.run = nil
    let steps = run?.take(event, after: base)
    self.run = run
    for step in steps ?? [] { values[step.path] = step.new }
    return steps
  }

  /// Makes the state have all that has come.
  mutating func settle() {
    if let run { base.apply(run.entries) }
    run = nil
  }
}
