// Removals that have waited, and may be published now (protocol.md 7).
extension DocumentState {
  /// Takes out the removals that saw `seen`, which may be published now, and applies them under
  /// their real stamps.
  ///
  /// One that would take away a value which it does not mean (``PendingRemoval/meant``) is given
  /// up: what it hid shows again, beside that.
  package mutating func publishRemovals(
    seeing seen: Context, on document: DocumentKey, header: Transaction.Header, firstIndex: Int
  ) -> [Operation] {
    let givenUp = removalsOfTheUnseen(seeing: seen)
    let removals = pending.indices.filter { pending[$0].seen == seen && !givenUp.contains($0) }
      .map { pending[$0] }
    pending.removeAll { $0.seen == seen }
    return removals.enumerated().map { offset, removal in
      let operation = Operation(
        document: document, insert: removal.insert, path: removal.path, kind: removal.kind)
      apply(
        Effect(operation), stamp: header.stamp(firstIndex + offset), context: header.context)
      return operation
    }
  }

  /// The removals that saw `seen`, whether they are published or given up.
  package func removals(seeing seen: Context, on document: DocumentKey) -> [Operation] {
    pending.filter { $0.seen == seen }.map {
      Operation(document: document, insert: $0.insert, path: $0.path, kind: $0.kind)
    }
  }

  /// The places of removals that would take away a value which no removal means.
  private func removalsOfTheUnseen(seeing seen: Context) -> Set<Int> {
    let group = pending.indices.filter { pending[$0].seen == seen }
    // Most mean the same.
    let meanings = Set(group.compactMap { pending[$0].meant })
    let unseen = uncovered.map { entries[$0] }.filter { entry in
      entry.effect.kind.carriesValue && meanings.contains { !$0.has(entry.stamp) }
        && relation(of: seen, to: entry.stamp) != .none
    }
    // Mostly nothing has come since.
    guard !unseen.isEmpty else { return [] }
    let places = Dictionary(grouping: pending.indices) { pending[$0].path }
    var result: Set<Int> = []
    for entry in unseen {
      var taking: [Int] = []
      entry.effect.path.forEachAtOrAbove { path in
        taking += (places[path] ?? []).filter { place in
          relation(of: pending[place].seen, to: entry.stamp) != .none
        }
        return true
      }
      // What another means goes by that.
      guard taking.allSatisfy({ pending[$0].meant?.has(entry.stamp) == false }) else { continue }
      result.formUnion(taking.filter { pending[$0].seen == seen })
    }
    return result
  }
}

extension EditPlan {
  /// What a removal of `victims` means, by number alone: what had been applied where its author
  /// looked, and what led up to the victims; nil if that is not known.
  ///
  /// - parameter seen: What it says that it has seen.
  func meant(removing victims: [DocumentState.Entry], seeing seen: Context) -> Context? {
    var meant = Context()
    switch (applied, grounds) {
    case (let known?, _): meant = known
    case (nil, .present(let frontier)): meant = frontier.applied
    case (nil, _): return nil
    }
    // Of what is settled all had arrived when its document was stored, which may be since. But what
    // a write had seen at its path, or below that, it has covered.
    let areTold = victims.allSatisfy { $0.context != nil || $0.effect.kind.cover == .path }
    guard applied == nil || areTold else { return nil }
    // What is claimed at once is meant in any case.
    for context in Set(victims.compactMap(\.context)).union([context]) {
      for entry in context.entries { meant.advance(entry) }
    }
    return Context(seen.streams.flatMap { meant.entries(of: $0) })
  }
}

extension Context {
  /// Whether it has an operation, by its number alone.
  fileprivate func has(_ stamp: Stamp) -> Bool {
    contains(stream: stamp.dot.stream, sequence: stamp.dot.sequence)
  }
}
