extension DocumentState {
  /// What is hidden by writes whose authors named a branch that nobody here has: at each path of
  /// ``doubtfulEntries(_:)`` what shows, then what would if those writes were none.
  func doubtfulConflicts(
    _ visibility: Visibility, beside root: DocumentView.Node?
  ) -> [DocumentConflict] {
    let hidden = doubtfulEntries(visibility)
    guard !hidden.isEmpty else { return [] }
    var shown: [Path: [UInt8]] = [:]
    for node in root?.subtree ?? [] where hidden[node.path] != nil { shown[node.path] = node.text }
    let all = hidden.values.flatMap(\.self)
    let visible = visibility.values.map { entries[$0] }
    return hidden.map { path, own in
      let pool = pool(at: path, hidden: all, visible: visible)
      let values = ViewBuilder(entries: pool).values(at: path, of: Set(own.map(\.stamp)))
      // What only a newer version understands shows nothing here.
      let unknown = own.filter { !$0.effect.kind.isUnderstood }.map(\.stamp).max()
      return DocumentConflict(
        path: path, kind: .doubtful,
        values: [DocumentConflict.Value(content: shown[path], stamp: nil)] + values
          + (unknown.map { [DocumentConflict.Value(content: nil, stamp: $0)] } ?? []))
    }
  }

  /// What would stand at or below a path: what is hidden there, and what shows but for the writes
  /// that hide it.
  private func pool(at path: Path, hidden all: [Entry], visible: [Entry]) -> [Entry] {
    let hidden = all.filter { $0.effect.path.isAtOrBelow(path) }
    let rest = visible.filter { write in
      guard write.effect.path.isAtOrBelow(path) else { return false }
      guard write.effect.kind.cover == .path else { return true }
      return !hidden.contains { entry in
        entry.effect.path.isAtOrBelow(write.effect.path)
          && relation(of: write, to: entry.stamp) == .doubtful
      }
    }
    return (hidden + rest).sorted { $0.precedes($1) }
  }
}
