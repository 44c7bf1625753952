import DocumentStorage
import ReferenceModel
import Replication

/// What removals mean that wait: what their author may claim, and what led up to what they take
/// away (protocol.md 7); not what led up to something else that went with the same write.
extension World {
  typealias Removals = [DocumentKey: Set<DocumentState.PendingRemoval>]

  /// The removals that wait.
  func removals(on machine: Machine) throws -> Removals {
    guard try machine.database.counts().pendingRemovals > 0 else { return [:] }
    return try machine.database.keptDocuments().reduce(into: [:]) { result, document in
      if !document.state.pending.isEmpty { result[document.key] = Set(document.state.pending) }
    }
  }

  /// - parameters:
  ///   - before: the removals that waited before a write on the present state.
  ///   - frontier: what was there then.
  func checkMeanings(since before: Removals, _ frontier: Frontier, on machine: Machine) throws {
    guard figures.copies == 0, frontier.givenUp.isEmpty,
      try machine.database.counts().pendingRemovals > 0
    else { return }
    for document in try machine.database.keptDocuments() {
      let new = Set(document.state.pending).subtracting(before[document.key] ?? [])
      for removal in new where removal.kind == .remove && !removal.path.isRoot {
        try checkMeaning(of: removal, in: document, frontier, on: machine)
      }
    }
  }

  private func checkMeaning(
    of removal: DocumentState.PendingRemoval, in document: StoreDatabase.KeptDocument,
    _ frontier: Frontier, on machine: Machine
  ) throws {
    let meant = ledger.known(of: removal.seen)
    var most = ledger.known(of: frontier.closed)
    var victims: Set<Int> = []
    for entry in document.state.entries
    where entry.effect.kind.carriesValue && entry.effect.path.isAtOrBelow(removal.path) {
      guard let place = ledger.place(of: entry.stamp.transaction) else {
        // What it claims itself it may mean; of a former stream, what that claimed.
        if entry.stamp.dot.stream == machine.streams.last { continue }
        return
      }
      guard meant[place.author] >= place.sequence else { continue }
      victims.insert(place.author)
      most.formUnion(ledger.led(upTo: place))
    }
    for author in meant.authors where !victims.contains(author) {
      guard !machine.streams.contains(where: { ledger.authors[author].isOf($0) }) else { continue }
      guard meant[author] <= most[author] else {
        throw Finding(
          "device \(machine.number) removes \(removal.path) from \(document.key.id), and means"
            + " \(author):\(meant[author]), which led up to nothing there")
      }
    }
  }
}
