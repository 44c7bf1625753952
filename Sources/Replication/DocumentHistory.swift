import CanonicalJSON

/// The life of a document: what each transaction changed in it, the oldest first.
///
///     let history = DocumentHistory(of: events, lineage: frontier.lineage)
///     history.changes.last?.members.first?.old  // {"title":…} before the last transaction
///
/// The order is that of the stamps, the same on every device, whatever arrived first. What was
/// written without knowledge of one another shows as one after the other, with the loser named.
package struct DocumentHistory: Sendable {
  /// What one transaction changed.
  package struct Change: Sendable {
    package let header: Transaction.Header
    package let wasVisible: Bool
    package let isVisible: Bool
    /// Whether it deletes the document; one that had not seen an edit leaves it visible.
    package let deletes: Bool
    /// What it changed, sorted by path.
    package let members: [Member]
  }

  /// What a transaction changed at one path.
  package struct Member: Sendable {
    package let path: Path
    /// The operation that did it, at the path or above it; nil where it stands in no operation,
    /// such as what is seen again when something above it goes.
    package let kind: OperationKind?
    /// What showed before and after, as canonical JSON; nil for nothing.
    package let old: [UInt8]?
    package let new: [UInt8]?
    /// Values that its author had not seen, and that show no more because of it.
    package let lost: [Lost]
    /// What has become of the new value; nil where there is none.
    package internal(set) var outcome: Outcome?
  }

  /// A value that lost against one written without knowledge of it.
  package struct Lost: Sendable, Equatable {
    package let value: [UInt8]
    package let dot: Dot
  }

  /// What has become of a value by the end of the history.
  package enum Outcome: Sendable, Equatable {
    /// It shows.
    case shown
    /// The author of a later operation had seen it.
    case superseded(Dot)
    /// A value written without knowledge of it shows in its place.
    case lost(Dot)
    /// A delete of the document took it away.
    case deleted(Dot)
  }

  package private(set) var changes: [Change] = []
  /// The document after all of it.
  package let state: DocumentState

  /// - parameters:
  ///   - events: The document's transactions, in any order, each once.
  ///   - lineage: What is held of the streams, to tell their branches apart; today's is right for
  ///     the past, too, since what leads up to a transaction never changes.
  package init(of events: [DocumentEvent], lineage: Lineage?) {
    var fold = EventFold(lineage: lineage)
    var fates = Fates()
    var written: [[Path: Stamp]] = []
    for event in events.sorted(by: DocumentEvent.precedes) {
      written.append(event.valueStamps)
      if let steps = fold.count(event) {
        changes.append(Change(event, counting: steps))
        continue
      }
      fold.settle()
      let before = fold
      let paths = fold.take(event)
      fates.note(from: before.state, to: fold.state, event: event)
      changes.append(Change(event, from: before, to: fold, paths: paths))
    }
    fold.settle()
    state = fold.state
    let judge = fates.judge(state)
    for (index, stamps) in written.enumerated() {
      changes[index] = changes[index].judged { stamps[$0].flatMap { judge.outcome(of: $0) } }
    }
  }
}

extension DocumentEvent {
  /// The operations that give values, by where.
  fileprivate var valueStamps: [Path: Stamp] {
    var stamps: [Path: Stamp] = [:]
    for step in steps where step.effect.kind.carriesValue {
      stamps[step.effect.path] = stamp(of: step)
    }
    return stamps
  }

  /// The operation that changed what shows at each of `paths`: the last of those nearest to it, at
  /// or above; of a set, which shows as one, also what was done to an element.
  ///
  /// Of all at once, since there may be as many operations as paths.
  fileprivate func kinds(behind paths: [Path]) -> [Path: OperationKind] {
    var last: [Path: OperationKind] = [:]
    for step in steps { last[step.effect.path] = step.effect.kind }
    var kinds: [Path: OperationKind] = [:]
    for path in paths {
      path.forEachAtOrAbove { place in
        // From the root down: the nearest comes last.
        if let kind = last[place] { kinds[path] = kind }
        return true
      }
    }
    let others = Set(paths.filter { kinds[$0] == nil })
    guard !others.isEmpty else { return kinds }
    for step in steps {
      step.effect.path.forEachAtOrAbove { place in
        if others.contains(place) { kinds[place] = step.effect.kind }
        return true
      }
    }
    return kinds
  }
}

extension DocumentHistory.Change {
  fileprivate init(
    _ event: DocumentEvent, from before: EventFold, to after: EventFold, paths: [Path]
  ) {
    header = event.header
    wasVisible = before.isVisible
    isVisible = after.isVisible
    deletes = event.steps.contains { $0.effect.kind.cover == .document }
    let changed = Set(paths)
    // What it would have taken away, had its author seen what stands there.
    let inVain = event.steps.filter { step in
      step.effect.kind == .remove && after.values[step.effect.path] != nil
        && !changed.contains(step.effect.path)
    }.map(\.effect.path)
    let all = (paths + inVain).sorted()
    let kinds = event.kinds(behind: all)
    let losers = after.losers(against: event)
    members = all.map { path in
      DocumentHistory.Member(
        path: path, kind: kinds[path], old: before.values[path], new: after.values[path],
        lost: losers[path] ?? [], outcome: nil)
    }
  }

  /// Of a transaction that only adds to counters.
  fileprivate init(_ event: DocumentEvent, counting steps: [CounterRun.Step]) {
    header = event.header
    wasVisible = true
    isVisible = true
    deletes = false
    members = steps.map { step in
      DocumentHistory.Member(
        path: step.path, kind: .increment, old: step.old, new: step.new,
        lost: step.rivals.filter { $0.value != step.new }, outcome: nil)
    }
  }

  fileprivate func judged(
    _ outcome: (Path) -> DocumentHistory.Outcome?
  ) -> DocumentHistory.Change {
    var members = members
    for index in members.indices where members[index].new != nil {
      members[index].outcome = outcome(members[index].path)
    }
    return DocumentHistory.Change(
      header: header, wasVisible: wasVisible, isVisible: isVisible, deletes: deletes,
      members: members)
  }
}

extension EventFold {
  /// The values kept that `event` did not write and that do not show, by where they stand.
  fileprivate func losers(against event: DocumentEvent) -> [Path: [DocumentHistory.Lost]] {
    var losers: [Path: [DocumentHistory.Lost]] = [:]
    // Held once: it may have to be made.
    let state = state
    for index in state.visibility().values {
      let entry = state.entries[index]
      let path = entry.effect.path
      guard entry.effect.kind == .set, !event.wrote(entry.stamp.dot) else { continue }
      let value = entry.effect.shownText
      guard value != values[path] else { continue }
      losers[path, default: []].append(DocumentHistory.Lost(value: value, dot: entry.stamp.dot))
    }
    return losers
  }
}

extension DocumentState.Effect {
  /// The value of a `set` as canonical JSON.
  var shownText: [UInt8] {
    var text: [UInt8] = []
    Leaf(unchecked: payload.array).write(into: &text)
    return text
  }
}
