// Many operations at once.
extension DocumentState {
  /// Takes in operations one after another, such as an import brings them; runs of those that cover
  /// nothing, as increments of a counter do, in one go.
  ///
  /// - parameters:
  ///   - operations: In an order that keeps each stream's.
  ///   - noting: Called with each that changed anything, and the path at which that shows.
  package mutating func apply(
    _ operations: [Entry], noting: (_ operation: Entry, _ path: Path) -> Void = { _, _ in }
  ) {
    var rest = operations[...]
    while let next = rest.first {
      let count = rest.prefix { $0.effect.kind.cover == .nothing }.count
      defer { rest = rest.dropFirst(max(count, 1)) }
      if count > 1 {
        let run = Array(rest.prefix(count))
        for (operation, isNew) in zip(run, apply(uncovering: run)) where isNew {
          noting(operation, shownPath(of: operation.effect))
        }
      } else {
        let path = shownPath(of: next.effect)
        let context = next.context ?? Context()
        if apply(next.effect, stamp: next.stamp, context: context) { noting(next, path) }
      }
    }
  }

  /// What all of `events` make of a document.
  package init(of events: [DocumentEvent], lineage: Lineage?) {
    self.init(lineage: lineage)
    apply(events.sorted(by: DocumentEvent.precedes).flatMap(\.entries))
  }
}

extension DocumentEvent {
  /// Its operations, as a state keeps them.
  package var entries: [DocumentState.Entry] {
    steps.map {
      DocumentState.Entry(effect: $0.effect, stamp: stamp(of: $0), context: header.context)
    }
  }
}
