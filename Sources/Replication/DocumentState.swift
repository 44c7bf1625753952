import CanonicalJSON

/// What is known of one document: every operation that no write has covered.
///
/// A value: applying the same operations in any order that keeps each stream's own order gives
/// states that show the same body and the same conflicts (protocol.md 9–13).
///
///     var state = DocumentState()
///     state.apply(.init(path: .root, kind: .clear), stamp: stamp, context: context)
///     state.view().body  // {}
///
/// What a write covers is forgotten as soon as all that its author had seen has arrived, which is
/// right because contexts are closed: whoever covers the write covers what it covered (protocol.md
/// 12). Until then it is only hidden, since the author may have seen another branch of a stream
/// (26). What only a delete covers is kept, for the delete may be undone.
package struct DocumentState: Sendable, Equatable {
  /// An operation on this document, without the document's name.
  package struct Effect: Hashable, Sendable {
    package let path: Path
    package let kind: OperationKind
    package let payload: [UInt8]
    /// The insert that the operation edits; an insert names itself.
    package let insert: Dot

    package init(path: Path, kind: OperationKind, payload: [UInt8] = [], insert: Dot) {
      self.path = path
      self.kind = kind
      self.payload = payload
      self.insert = insert
    }

    /// What `operation` does to its document.
    package init(_ operation: Operation) {
      self.init(
        path: operation.path, kind: operation.kind, payload: operation.payload,
        insert: operation.insert)
    }
  }

  /// An operation that is kept, with what decides which others it covers.
  package struct Entry: Hashable, Sendable {
    package let effect: Effect
    package let stamp: Stamp
    /// What the author had seen.
    ///
    /// Nil when **settled**: all of it had arrived before the state was
    /// last stored, so it contains no operation that arrives later, nor a delete kept here.
    package var context: Context?

    package init(effect: Effect, stamp: Stamp, context: Context?) {
      self.effect = effect
      self.stamp = stamp
      self.context = context
    }

    func hasSeenInSameTransaction(_ other: Stamp) -> Bool {
      other.dot.stream == stamp.dot.stream && other.dot.sequence == stamp.dot.sequence
        && other.dot.index < stamp.dot.index && other.fingerprint == stamp.fingerprint
    }
  }

  /// A local removal that is hidden here at once and published once what its author saw is closed.
  ///
  /// Its author saw `seen`, part of which cannot be claimed yet (protocol.md 7). It is closed, so
  /// the removal may be published, with `seen` for its context, once all of it has arrived.
  package struct PendingRemoval: Hashable, Sendable {
    package let path: Path
    /// `remove` or `delete`.
    package let kind: OperationKind
    package let seen: Context
    package let insert: Dot

    package init(path: Path, kind: OperationKind, seen: Context, insert: Dot) {
      self.path = path
      self.kind = kind
      self.seen = seen
      self.insert = insert
    }
  }

  /// The operations kept, sorted by path, then stamp.
  package internal(set) var entries: [Entry] = []
  package var pending: [PendingRemoval] = []
  /// What is held of the streams here; nil to take every context for held, and of one branch.
  package var lineage: Lineage?
  /// Whether some entry may be covered by another, whose context has not wholly arrived.
  private(set) var mayHide = false
  /// How many operations were taken in, and are kept no more, though the logs may have them: what a
  /// new device would be given beside ``entries``.
  ///
  /// Nil where that is not known: an older program did not count. It decides nothing about what
  /// shows, but what may be dropped (``dead``).
  package internal(set) var forgotten: Int? = 0

  package init(lineage: Lineage? = nil) { self.lineage = lineage }

  /// Takes over stored entries, which are sorted already.
  ///
  /// - parameter forgotten: see ``forgotten``.
  package init(
    sorted entries: [Entry], pending: [PendingRemoval], lineage: Lineage? = nil,
    forgotten: Int? = 0
  ) {
    self.forgotten = forgotten
    self.entries = entries
    self.pending = pending
    self.lineage = lineage
    mayHide = entries.contains { $0.context?.entries.isEmpty == false }
  }

  /// Whether nothing is kept of it.
  package var isEmpty: Bool { entries.isEmpty && pending.isEmpty }

  /// Takes in one operation.
  ///
  /// - returns: whether anything changed: an operation that a kept write had
  /// already seen changes nothing, nor does one that is here already.
  @discardableResult
  package mutating func apply(_ effect: Effect, stamp: Stamp, context: Context) -> Bool {
    let entry = Entry(effect: effect, stamp: stamp, context: context)
    switch cover(of: entry) {
    case .final:
      forgotten? += 1
      return false
    case .passing: mayHide = true
    case .none: break
    }
    if effect.kind.cover == .path { forget(coveredBy: entry) }
    return insert(entry)
  }

  /// What kept writes at or above the operation's path had seen of it.
  private func cover(of new: Entry) -> Covering {
    guard !entries.isEmpty else { return .none }
    var best = Covering.none
    new.effect.path.forEachAtOrAbove { path in
      // A delete is no part of the tree: only a write of the root covers it.
      var index = firstIndex(at: path)
      while index < entries.endIndex, entries[index].effect.path == path {
        if entries[index].effect.kind.cover == .path {
          switch cover(of: new, by: entries[index]) {
          case .final:
            best = .final
            return false
          case .passing: best = .passing
          case .none: break
          }
        }
        index += 1
      }
      return true
    }
    return best
  }

  /// Removes what a write covers for good.
  private mutating func forget(coveredBy write: Entry) {
    let path = write.effect.path
    // Sorted: what stands at or below a path is one run.
    var index = firstIndex(at: path)
    while index < entries.endIndex, entries[index].effect.path.isAtOrBelow(path) {
      switch cover(of: entries[index], by: write) {
      case .final:
        return forget(coveredBy: write, from: index)
      case .passing: mayHide = true
      case .none: break
      }
      index += 1
    }
  }

  /// Removes what a write covers for good, of which that at `start` is the first.
  private mutating func forget(coveredBy write: Entry, from start: Int) {
    var rest: [Entry] = []
    var end = start
    while end < entries.endIndex, entries[end].effect.path.isAtOrBelow(write.effect.path) {
      defer { end += 1 }
      switch cover(of: entries[end], by: write) {
      case .final: continue
      case .passing: mayHide = true
      case .none: break
      }
      rest.append(entries[end])
    }
    forgotten? += end - start - rest.count
    entries.replaceSubrange(start..<end, with: rest)
  }

  private mutating func insert(_ new: Entry) -> Bool {
    let position = partition { !new.precedes($0) }
    if position > 0, entries[position - 1].effect.path == new.effect.path,
      entries[position - 1].stamp == new.stamp
    {
      return false
    }
    entries.insert(new, at: position)
    return true
  }

  /// Takes in operations that cover nothing, as ``apply(_:stamp:context:)`` does with one: where
  /// thousands stand at one path, it compares each with all of them.
  ///
  /// - returns: of each whether it changed anything.
  mutating func apply(uncovering run: [Entry]) -> [Bool] {
    let coverers = Coverers(entries)
    var isNew = Array(repeating: true, count: run.count)
    for (index, entry) in run.enumerated() {
      switch cover(of: entry, by: coverers) {
      case .final:
        forgotten? += 1
        isNew[index] = false
      case .passing: mayHide = true
      case .none: break
      }
    }
    merge(run, &isNew)
    return isNew
  }

  /// Puts those of `run` that are new to their places; one that is here already is not new.
  private mutating func merge(_ run: [Entry], _ isNew: inout [Bool]) {
    let order = run.indices.filter { isNew[$0] }.sorted { run[$0].precedes(run[$1]) }
    var merged: [Entry] = []
    merged.reserveCapacity(entries.count + order.count)
    var rest = entries[...]
    for index in order {
      let new = run[index]
      let before = rest.prefix { !new.precedes($0) }
      merged.append(contentsOf: before)
      rest = rest.dropFirst(before.count)
      if let last = merged.last, !last.precedes(new) {
        isNew[index] = false
      } else {
        merged.append(new)
      }
    }
    entries = merged + rest
  }

  /// Where entries at `path` begin, or would.
  private func firstIndex(at path: Path) -> Int { partition { $0.effect.path < path } }

  /// How many entries at the front satisfy `isBefore`, which must hold for a prefix.
  private func partition(_ isBefore: (Entry) -> Bool) -> Int {
    var low = entries.startIndex
    var high = entries.endIndex
    while low < high {
      let middle = (low + high) / 2
      if isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Gives the operations of a local transaction its fingerprint, once all of them are known.
  package mutating func seal(_ tip: Context.Entry) {
    for index in entries.indices {
      let entry = entries[index]
      guard entry.stamp.dot.stream == tip.stream, entry.stamp.dot.sequence == tip.sequence,
        entry.stamp.fingerprint == .origin
      else { continue }
      let stamp = Stamp(
        time: entry.stamp.time, dot: entry.stamp.dot, fingerprint: tip.fingerprint)
      entries[index] = Entry(effect: entry.effect, stamp: stamp, context: entry.context)
    }
    pending = pending.map { removal in
      guard let unsealed = removal.seen.entry(of: tip.stream), unsealed.sequence == tip.sequence
      else { return removal }
      var seen = removal.seen.without(tip.stream)
      seen.advance(tip)
      return PendingRemoval(
        path: removal.path, kind: removal.kind, seen: seen, insert: removal.insert)
    }
  }

  /// Drops what decides nothing any more, so that the state stays small when stored: what writes
  /// cover whose contexts have arrived meanwhile, and those contexts.
  package mutating func settle() {
    if mayHide {
      for write in entries where write.effect.kind.cover == .path { forget(coveredBy: write) }
    }
    // The contexts of a delete and of values beside it tell whether the delete is undone.
    guard !entries.contains(where: { $0.effect.kind.cover == .document }), pending.isEmpty else {
      return
    }
    // Those of one transaction have the same.
    var held: Context?
    for index in entries.indices {
      guard let context = entries[index].context else { continue }
      if context != held {
        guard lineage?.holds(context) != false else { continue }
        held = context
      }
      entries[index].context = nil
    }
  }

  /// Whether what shows depends on contexts that have not wholly arrived, or on inserts that have
  /// not.
  package var isProvisional: Bool {
    guard let lineage else { return false }
    return hasOrphans
      || entries.contains { $0.context.map { !lineage.holds($0) } ?? false }
      || pending.contains { !lineage.holds($0.seen) }
  }
}

extension DocumentState {
  /// Whether two keep the same; what they do not keep any more makes no difference.
  package static func == (first: Self, second: Self) -> Bool {
    first.entries == second.entries && first.pending == second.pending
      && first.lineage == second.lineage && first.mayHide == second.mayHide
  }
}

extension DocumentState.Entry {
  func precedes(_ other: Self) -> Bool {
    effect.path == other.effect.path ? stamp < other.stamp : effect.path < other.effect.path
  }
}
