/// Which later operation covered each value of a document, as its history is gone through.
struct Fates {
  private var known: [Stamp: DocumentHistory.Outcome] = [:]

  /// Notes what `event`, which led from `before` to `after`, covered.
  mutating func note(
    from before: DocumentState, to after: DocumentState, event: DocumentEvent
  ) {
    // What is covered may be kept, hidden, where something that its coverer had seen is not here.
    let kept = Set(after.uncovered.map { after.entries[$0].stamp })
    let forgotten = before.uncovered.map { before.entries[$0].stamp }
      .filter { !kept.contains($0) }
    let writer = event.header.stamp(0).dot
    // What a delete had taken away already is not superseded by what covers both.
    let deleted = forgotten.isEmpty ? [:] : before.deletedValues
    for stamp in forgotten { known[stamp] = deleted[stamp] ?? .superseded(writer) }
    // What the same transaction wrote and covered again.
    for step in event.steps where !kept.contains(event.stamp(of: step)) {
      known[event.stamp(of: step)] = .superseded(writer)
    }
  }

  /// Who tells what became of each, once all events are noted.
  func judge(_ state: DocumentState) -> Judge { Judge(known: known, state: state) }

  /// The end of a history: what became of each value.
  struct Judge {
    private let known: [Stamp: DocumentHistory.Outcome]
    /// The newest scalar at each path, of those that no standing delete hides.
    private let scalars: [Path: DocumentState.Entry]
    /// The newest of what makes an object of each path.
    private let objects: [Path: Stamp]
    private let byStamp: [Stamp: DocumentState.Entry]

    fileprivate init(known: [Stamp: DocumentHistory.Outcome], state: DocumentState) {
      self.known = known.merging(state.deletedValues) { known, _ in known }
      let visible = state.visibility().values.map { state.entries[$0] }
      byStamp = Dictionary(visible.map { ($0.stamp, $0) }) { first, _ in first }
      scalars = Dictionary(
        visible.filter { $0.effect.kind == .set }.map { ($0.effect.path, $0) }
      ) { $0.stamp < $1.stamp ? $1 : $0 }
      objects = Self.objects(in: visible)
    }

    /// Gathered once: each value may have to be judged by it.
    private static func objects(in visible: [DocumentState.Entry]) -> [Path: Stamp] {
      var objects: [Path: Stamp] = [:]
      for entry in visible {
        let path = entry.effect.path
        path.forEachAtOrAbove { place in
          guard place != path || entry.effect.kind == .clear else { return true }
          objects[place] = objects[place].map { max($0, entry.stamp) } ?? entry.stamp
          return true
        }
      }
      return objects
    }

    func outcome(of stamp: Stamp) -> DocumentHistory.Outcome? {
      if let outcome = known[stamp] { return outcome }
      guard let entry = byStamp[stamp],
        // A counter or set shows what many have done to it.
        entry.effect.kind == .set || entry.effect.kind == .clear
      else { return nil }
      let path = entry.effect.path
      for ancestor in path.ancestors {
        if let scalar = shownScalar(at: ancestor) { return .lost(scalar.stamp.dot) }
      }
      let scalar = shownScalar(at: path)
      if entry.effect.kind == .clear {
        return scalar.map { .lost($0.stamp.dot) } ?? .shown
      }
      if let scalar {
        let isSame = scalar.effect.payload == entry.effect.payload
        return isSame ? .shown : .lost(scalar.stamp.dot)
      }
      return objects[path].map { .lost($0.dot) }
    }

    /// The scalar that shows at `path`; nil if an object does, or nothing.
    private func shownScalar(at path: Path) -> DocumentState.Entry? {
      guard let newest = scalars[path] else { return nil }
      if let object = objects[path], object > newest.stamp { return nil }
      return newest
    }
  }
}

extension DocumentState {
  /// The values that a delete hides, and which delete.
  fileprivate var deletedValues: [Stamp: DocumentHistory.Outcome] {
    let deletes = entries.filter { $0.effect.kind.cover == .document }
    guard !deletes.isEmpty else { return [:] }
    let visible = Set(visibility().values.map { entries[$0].stamp })
    var result: [Stamp: DocumentHistory.Outcome] = [:]
    for entry in entries where !visible.contains(entry.stamp) {
      let delete = deletes.last { hasSeen($0, entry.stamp) }
      if let delete { result[entry.stamp] = .deleted(delete.stamp.dot) }
    }
    return result
  }
}
