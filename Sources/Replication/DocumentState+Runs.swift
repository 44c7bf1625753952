// Many operations at once.
extension DocumentState {
  /// Takes in operations one after another, such as an import brings them; runs of those that cover
  /// nothing, as increments of a counter do, in one go.
  ///
  /// - parameters:
  ///   - operations: In an order that keeps each stream's.
  ///   - noting: Called with the stamp of each that changed anything, and the path at which that
  ///     shows.
  package mutating func apply(
    _ operations: [Entry], noting: (_ stamp: Stamp, _ path: Path) -> Void = { _, _ in }
  ) {
    entries.reserveCapacity(entries.count + operations.count)
    var start = 0
    while start < operations.count {
      var end = start
      while end < operations.count, operations[end].effect.kind.cover == .nothing { end += 1 }
      defer { start = max(end, start + 1) }
      if end - start > 1 {
        let run = Array(operations[start..<end])
        for (operation, isNew) in zip(run, apply(uncovering: run)) where isNew {
          noting(operation.stamp, shownPath(of: operation.effect))
        }
      } else {
        let path = shownPath(of: operations[start].effect)
        if apply(operations[start]) { noting(operations[start].stamp, path) }
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
