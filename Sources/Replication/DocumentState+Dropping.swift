// What may be dropped from the logs, and what was (protocol.md 21, 22).
extension DocumentState {
  /// The operations kept that nobody can need any more, so that their author may drop them, once
  /// every live device has all that is applied here (21 b, c).
  ///
  /// What a delete covers could come back, if the delete were undone; so could what that had
  /// covered itself. So only where nothing of the document is in the logs but what is kept, in this
  /// order: what a delete covers and covers nothing itself; then removals and deletes that have
  /// nothing left to take away. A document with conflicts keeps all: they are made of it.
  ///
  /// - precondition: all that is applied is closed.
  package var dead: Set<Stamp> {
    guard forgotten == 0, pending.isEmpty, !isProvisional,
      entries.contains(where: { !$0.effect.kind.carriesValue }),
      entries.allSatisfy({ $0.effect.kind.isUnderstood }), view().conflictCount == 0
    else { return [] }
    let shown = visibility()
    let visible = Set(shown.values.map { entries[$0].stamp })
    let deletes = entries.filter { $0.effect.kind.cover == .document }
    let dead = entries.filter { entry in
      guard !visible.contains(entry.stamp), !takesAwayAny(entry) else { return false }
      return !entry.effect.kind.carriesValue
        || deletes.contains { relation(of: $0, to: entry.stamp) == .certain }
    }
    return Set(dead.map(\.stamp))
  }

  /// Whether an operation covers another that is kept.
  private func takesAwayAny(_ entry: Entry) -> Bool {
    // A counter may have as many increments as a container has edits.
    guard entry.effect.kind.cover != .nothing else { return false }
    let path = entry.effect.path
    // By the order of paths what is below one follows it.
    return entries[firstIndex(at: path)...].lazy.prefix { $0.effect.path.isAtOrBelow(path) }
      .contains { $0.stamp != entry.stamp && hasSeen(entry, $0.stamp) }
  }

  /// Whether all of some operations that were dropped can be taken out now.
  ///
  /// A delete stays for as long as anything is here that it covers, which would show: that may have
  /// been dropped, too, by somebody whose statement has not come.
  ///
  /// - parameter dropped: the fingerprints of their transactions.
  package func canDrop(_ dropped: [Dot: Fingerprint]) -> Bool { staying(of: dropped).isEmpty }

  /// Takes out operations that were dropped, which are dead (protocol.md 22), but for those that
  /// have to stay (``canDrop(_:)``).
  ///
  /// - parameters:
  ///   - dropped: the fingerprints of their transactions.
  ///   - isLast: Whether the logs here have none of them any more.
  package mutating func drop(_ dropped: [Dot: Fingerprint], isLast: Bool) {
    let staying = staying(of: dropped)
    let before = entries.count
    entries.removeAll {
      dropped[$0.stamp.dot] == $0.stamp.fingerprint && !staying.contains($0.stamp)
    }
    forgotten? += before - entries.count
    guard isLast, let known = forgotten else { return }
    // More than was taken in cannot have been dropped of what is known.
    forgotten = known >= dropped.count ? known - dropped.count : nil
  }

  /// Takes ``forgotten`` for unknown.
  package mutating func forgetCount() { forgotten = nil }

  private func staying(of dropped: [Dot: Fingerprint]) -> Set<Stamp> {
    let isDropped = entries.map { dropped[$0.stamp.dot] == $0.stamp.fingerprint }
    guard isDropped.contains(true) else { return [] }
    let rest = zip(entries, isDropped).filter { !$1 }.map(\.0)
    let deletes = zip(entries, isDropped).filter { $1 && $0.effect.kind.cover == .document }
    return Set(
      deletes.map(\.0).filter { delete in rest.contains { hasSeen(delete, $0.stamp) } }
        .map(\.stamp))
  }
}
