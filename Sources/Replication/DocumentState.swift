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
    package let payload: SmallBytes
    /// The insert that the operation edits; an insert names itself.
    package let insert: Dot

    package init(path: Path, kind: OperationKind, payload: SmallBytes = [], insert: Dot) {
      self.path = path
      self.kind = kind
      self.payload = payload
      self.insert = insert
    }

    /// What `operation` does to its document.
    package init(_ operation: Operation) {
      self.init(
        path: operation.path, kind: operation.kind, payload: SmallBytes(operation.payload),
        insert: operation.insert)
    }
  }

  /// An operation that is kept, with what decides which others it covers.
  package struct Entry: Hashable, Sendable {
    package let effect: Effect
    package fileprivate(set) var stamp: Stamp
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
    /// What it means of what it says that it has seen: what its author had got, and what led up to
    /// that which it takes away; nil where nobody noted it.
    ///
    /// A context says of a stream that all is seen up to a number. So `seen` may tell of more: what
    /// led up to a transaction before the one that is taken away, which had itself not seen it.
    package let meant: Context?

    package init(
      path: Path, kind: OperationKind, seen: Context, insert: Dot, meant: Context? = nil
    ) {
      self.path = path
      self.kind = kind
      self.seen = seen
      self.insert = insert
      self.meant = meant
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
    apply(Entry(effect: effect, stamp: stamp, context: context))
  }

  /// - precondition: the entry has a context.
  @discardableResult
  mutating func apply(_ entry: Entry) -> Bool {
    let context = entry.context ?? Context()
    // Sorted: where it belongs, what it covers begins, too.
    let place = firstIndex(at: entry.effect.path)
    switch cover(of: entry.stamp, seeing: context, at: entry.effect.path, from: place) {
    case .final:
      forgotten? += 1
      return false
    case .passing: mayHide = true
    case .none: break
    }
    if entry.effect.kind.cover == .path { forget(coveredBy: entry, within: place) }
    return insert(entry, at: place)
  }

  /// What kept writes at or above an operation's path had seen of it.
  ///
  /// - parameter place: where entries at the path begin.
  private func cover(
    of stamp: Stamp, seeing context: Context, at path: Path, from place: Int
  ) -> Covering {
    guard !entries.isEmpty else { return .none }
    var best = Covering.none
    path.forEachAtOrAbove { above in
      let start = above.isRoot ? 0 : above == path ? place : firstIndex(at: above)
      best = max(best, cover(of: stamp, seeing: context, byThoseAt: above, from: start))
      return best != .final
    }
    return best
  }

  private func cover(
    of stamp: Stamp, seeing context: Context, byThoseAt path: Path, from start: Int
  ) -> Covering {
    let entries = entries.span
    var best = Covering.none
    var index = start
    // A delete is no part of the tree: only a write of the root covers it.
    while index < entries.count, entries[index].effect.path == path {
      // What is settled covers nothing any more, and most is.
      if entries[index].effect.kind.cover == .path, let seen = entries[index].context {
        best = max(best, cover(of: stamp, context, by: entries[index].stamp, seen))
        if best == .final { return best }
      }
      index += 1
    }
    return best
  }

  /// Removes what a write covers for good.
  ///
  /// - parameter place: where entries at its path begin.
  private mutating func forget(coveredBy write: Entry, within place: Int) {
    guard let start = firstForgotten(coveredBy: write, within: place) else { return }
    forget(coveredBy: write, from: start)
  }

  private mutating func firstForgotten(coveredBy write: Entry, within place: Int) -> Int? {
    guard let seen = write.context else { return nil }
    var hides = false
    defer { if hides { mayHide = true } }
    let entries = entries.span
    var index = place
    // Sorted: what stands at or below a path is one run.
    while index < entries.count, entries[index].effect.path.isAtOrBelow(write.effect.path) {
      switch cover(of: entries[index].stamp, entries[index].context, by: write.stamp, seen) {
      case .final: return index
      case .passing: hides = true
      case .none: break
      }
      index += 1
    }
    return nil
  }

  /// Removes what a write covers for good, of which that at `start` is the first.
  private mutating func forget(coveredBy write: Entry, from start: Int) {
    var rest: [Entry] = []
    var end = start
    while end < entries.endIndex, entries[end].effect.path.isAtOrBelow(write.effect.path) {
      defer { end += 1 }
      switch cover(of: entries[end].stamp, entries[end].context, by: write) {
      case .final: continue
      case .passing: mayHide = true
      case .none: break
      }
      rest.append(entries[end])
    }
    forgotten? += end - start - rest.count
    entries.replaceSubrange(start..<end, with: rest)
  }

  /// - parameter place: where entries at its path begin.
  private mutating func insert(_ new: Entry, at place: Int) -> Bool {
    var position = place
    if place < entries.count, entries[place].effect.path == new.effect.path {
      position = index(of: new, from: place)
    }
    if position > 0, entries[position - 1].effect.path == new.effect.path,
      entries[position - 1].stamp == new.stamp
    {
      return false
    }
    // An import brings most in their order.
    if position == entries.count { entries.append(new) } else { entries.insert(new, at: position) }
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

  /// Counts operations that were covered before they came here (``forgotten``).
  package mutating func forgetCovered(_ count: Int) { forgotten? += count }

  /// Where entries at `path` begin, or would.
  func firstIndex(at path: Path) -> Int {
    guard !path.isRoot else { return 0 }
    // Not by a closure: to hand it an entry would copy that.
    let entries = entries.span
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].effect.path < path { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where an entry belongs among those at its path.
  ///
  /// - parameter place: where these begin.
  private func index(of new: Entry, from place: Int) -> Int {
    let entries = entries.span
    var (low, high) = (place, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore =
        entries[middle].effect.path == new.effect.path && !(new.stamp < entries[middle].stamp)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Gives the operations of a local transaction its fingerprint, once all of them are known.
  package mutating func seal(_ tip: Context.Entry) {
    for index in entries.indices {
      let stamp = entries[index].stamp
      guard stamp.dot.stream == tip.stream, stamp.dot.sequence == tip.sequence,
        stamp.fingerprint == .origin
      else { continue }
      entries[index].stamp = Stamp(
        time: stamp.time, dot: stamp.dot, fingerprint: tip.fingerprint)
    }
    pending = pending.map { removal in
      guard let unsealed = removal.seen.entry(of: tip.stream), unsealed.sequence == tip.sequence
      else { return removal }
      var seen = removal.seen.without(tip.stream)
      seen.advance(tip)
      return PendingRemoval(
        path: removal.path, kind: removal.kind, seen: seen, insert: removal.insert,
        meant: removal.meant)
    }
  }

  /// Drops what decides nothing any more, so that the state stays small when stored: what writes
  /// cover whose contexts have arrived meanwhile, and those contexts.
  package mutating func settle() {
    if mayHide {
      for write in entries where write.effect.kind.cover == .path {
        forget(coveredBy: write, within: firstIndex(at: write.effect.path))
      }
    }
    // The contexts of a delete and of values beside it tell whether the delete is undone.
    guard !hasDelete, pending.isEmpty else { return }
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

  private var hasDelete: Bool {
    let entries = entries.span
    for index in entries.indices where entries[index].effect.kind.cover == .document {
      return true
    }
    return false
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
