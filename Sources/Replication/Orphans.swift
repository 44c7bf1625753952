// Edits of a document that somebody made and whose insert is not here.
extension DocumentState {
  /// Whether the insert that an operation edits has not come yet.
  ///
  /// Its author had it, but may not have been able to claim it, so its context does not tell. The
  /// insert counts as come where any branch of its stream has been applied that far, since its name
  /// does not tell the branch: it may be covered, or lost in a hole that was given up.
  func isOrphan(_ entry: Entry) -> Bool { isMissing(entry.effect.insert) }

  /// Whether it was one for somebody who had `applied`; nil for what is now.
  func wasOrphan(_ entry: Entry, applied: Context?) -> Bool {
    let insert = entry.effect.insert
    if let applied, !applied.contains(stream: insert.stream, sequence: insert.sequence) {
      return true
    }
    return isOrphan(entry)
  }

  private func isMissing(_ insert: Dot) -> Bool {
    guard let lineage, !lineage.reaches(insert.sequence, of: insert.stream) else { return false }
    // It may be of the transaction in the making. Inserts write the root, which sorts first.
    return !entries.lazy.prefix { $0.effect.path.isRoot }.contains { $0.stamp.dot == insert }
  }

  /// The inserts of what is kept that have not come.
  var missingInserts: Set<Dot> {
    var missing: Set<Dot> = []
    var last: Dot?
    // Most documents have one insert.
    for entry in entries where entry.effect.kind.carriesValue && entry.effect.insert != last {
      last = entry.effect.insert
      if isMissing(entry.effect.insert) { missing.insert(entry.effect.insert) }
    }
    return missing
  }

  /// That of the last edit whose insert has not come.
  var lastMissingInsert: Dot? {
    entries.last { $0.effect.kind.carriesValue && isOrphan($0) }?.effect.insert
  }

  /// Whether it keeps edits whose insert has not come.
  package var hasOrphans: Bool {
    var last: Dot?
    // Not copied one by one, and most have one insert: an import asks it of each document.
    let entries = entries.span
    for index in entries.indices where entries[index].effect.insert != last {
      guard entries[index].effect.kind.carriesValue else { continue }
      last = entries[index].effect.insert
      if last.map(isMissing) ?? false { return true }
    }
    return false
  }

  /// The values that nothing covers and whose insert has not come, by what wrote them.
  package var unfoundedEdits: [Stamp] {
    let missing = missingInserts
    return uncovered.map { entries[$0] }.filter {
      $0.effect.kind.carriesValue && missing.contains($0.effect.insert)
    }.map(\.stamp)
  }

  /// Where edits stand of what an operation inserts, which may show once that has come.
  package func shownPaths(editing insert: Dot) -> Set<Path> {
    Set(entries.filter { $0.effect.insert == insert }.map { shownPath(of: $0.effect) })
  }

  /// The values whose insert is not here; all of them where the document has none.
  func unfounded(_ visibility: Visibility, hasInsert: Bool) -> [Int] {
    ((hasInsert ? [] : visibility.values) + visibility.orphans).sorted()
  }

  /// What they would show.
  func unfoundedRoot(_ visibility: Visibility, hasInsert: Bool) -> DocumentView.Node? {
    var builder = ViewBuilder(
      entries: unfounded(visibility, hasInsert: hasInsert).map { entries[$0] })
    return builder.node(in: builder.entries.indices, path: .root)
  }

  /// What stands as a counter or a set in edits whose insert is not here.
  package var unfoundedKinds: [Path: ReplicatedKind] {
    unfoundedRoot(visibility(), hasInsert: view().isVisible)?.kinds ?? [:]
  }
}

extension Lineage {
  /// Whether a stream, any branch of it, has come that far.
  package func reaches(_ sequence: UInt64, of stream: StreamID) -> Bool {
    streams[stream]?.lines.contains { $0.tip.sequence >= sequence } ?? false
  }

  /// How far any branch of a stream has come.
  package func end(of stream: StreamID) -> UInt64 {
    streams[stream]?.lines.map(\.tip.sequence).max() ?? 0
  }
}
