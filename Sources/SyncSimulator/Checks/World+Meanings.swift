import DocumentStorage
import ReferenceModel
import Replication

/// What removals mean that wait: what their author may claim, and what led up to what they take
/// away (protocol.md 7); not what led up to something else that went with the same write.
extension World {
  /// What is kept of each document.
  typealias Kept = [DocumentKey: DocumentState]

  /// What is kept, where a removal may have to wait, or does: where something is missing.
  func kept(on machine: Machine, beside frontier: Frontier) throws -> Kept {
    guard figures.copies == 0 else { return [:] }
    let mayWait = try !frontier.open.isEmpty || machine.database.counts().pendingRemovals > 0
    guard mayWait else { return [:] }
    return try machine.database.keptDocuments().reduce(into: [:]) { $0[$1.key] = $1.state }
  }

  /// - parameters:
  ///   - before: what was kept before a write on the present state. What is removed may be gone
  ///     after it: a write of another's covered it, and all that its author had seen is here.
  ///   - frontier: what was there then.
  func checkMeanings(since before: Kept, _ frontier: Frontier, on machine: Machine) throws {
    guard figures.copies == 0, machine.givenUp.isEmpty,
      try machine.database.counts().pendingRemovals > 0
    else { return }
    for document in try machine.database.keptDocuments() {
      let former = before[document.key] ?? DocumentState()
      let new = Set(document.state.pending).subtracting(former.pending)
      for removal in new where removal.kind == .remove && !removal.path.keys.isEmpty {
        try checkMeaning(
          of: removal, from: document.key, having: Set(document.state.entries + former.entries),
          frontier, on: machine)
      }
    }
  }

  private func checkMeaning(
    of removal: DocumentState.PendingRemoval, from key: DocumentKey,
    having entries: Set<DocumentState.Entry>, _ frontier: Frontier, on machine: Machine
  ) throws {
    let meant = ledger.known(of: removal.seen)
    let unpublished = removal.seen.entries.filter { ledger.place(of: $0) == nil }
    var most = ledger.known(of: frontier.closed)
    var victims: Set<Int> = []
    for entry in entries
    where entry.effect.kind.carriesValue
      && entry.effect.path.keys.starts(with: removal.path.keys)
    {
      guard let place = ledger.place(of: entry.stamp.transaction) else {
        // What it claims itself it may mean; of a former stream, what that claimed.
        if entry.stamp.dot.stream == machine.streams.last { continue }
        return
      }
      let dot = entry.stamp.dot
      let isMeant =
        meant[place.author] >= place.sequence
        || unpublished.contains { $0.stream == dot.stream && $0.sequence >= dot.sequence }
      guard isMeant else { continue }
      victims.insert(place.author)
      most.formUnion(ledger.led(upTo: place))
    }
    for author in meant.authors where !victims.contains(author) {
      guard !machine.streams.contains(where: { ledger.authors[author].isOf($0) }) else { continue }
      guard meant[author] <= most[author] else {
        throw Finding(
          "device \(machine.number) removes \(removal.path) from \(key.id), and means"
            + " \(author):\(meant[author]), which led up to nothing there")
      }
    }
  }
}
