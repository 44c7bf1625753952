import CanonicalJSON

/// What a document shows, and what competes unseen beneath it (protocol.md 10, 11).
package struct DocumentView: Sendable {
  /// A value, an object, a counter or a set that shows.
  package struct Node: Sendable {
    package enum Content: Sendable {
      case leaf(Leaf)
      /// The members, sorted by key.
      case object([Node])
      /// What the counter comes to, as an integer.
      case counter(Leaf)
      /// The elements, sorted by their canonical texts.
      case set([SetElement])
    }

    package let path: Path
    package let content: Content
    /// Whether a value that loses against this one is kept at the same path.
    package let isConflicted: Bool
    /// Whether it does not hang on what stands below it: of an object, that a `clear` of its own
    /// stands, of a set an `emptySet`.
    package let isFounded: Bool
  }

  /// The root; nil if the document is absent, or lacks the insert that its edits belong to.
  package let root: Node?
  /// How many paths have a losing value that differs from the one shown.
  ///
  /// Deletes that edits undid count as one for the document, and so do edits whose insert is not
  /// here.
  package let conflictCount: Int
  /// Whether a delete stands beside an edit that had not seen it.
  package let hasUndoneDelete: Bool
  /// The inserts that stand, the shown one last.
  package let inserts: [Stamp]
  /// Whether values stand though their insert does not, which has come: it was dropped.
  package var isStump = false

  package var isVisible: Bool { root != nil }
}

extension DocumentState {
  package func view() -> DocumentView {
    let visibility = visibility()
    var builder = ViewBuilder(entries: visibility.values.map { entries[$0] })
    let values = builder.entries
    let inserts = values.filter { $0.effect.path.isRoot && $0.effect.kind == .clear }
      .map(\.stamp)
    let isInsertMissing =
      !visibility.orphans.isEmpty || inserts.isEmpty && !visibility.values.isEmpty
    let otherConflicts =
      (visibility.hasUndoneDelete ? 1 : 0) + (visibility.doubtful.isEmpty ? 0 : 1)
      + (isInsertMissing ? 1 : 0) + doubtfulEntries(visibility).count
      + (inserts.isEmpty || visibility.hiddenDeletes.isEmpty ? 0 : 1)
    guard !inserts.isEmpty else {
      // No stumps: children without the insert that made the document are listed, not shown.
      return DocumentView(
        root: nil, conflictCount: otherConflicts,
        hasUndoneDelete: visibility.hasUndoneDelete, inserts: [],
        isStump: !visibility.values.isEmpty)
    }
    let root = builder.node(in: values.indices, path: .root)
    return DocumentView(
      root: root, conflictCount: builder.conflictCount + otherConflicts,
      hasUndoneDelete: visibility.hasUndoneDelete, inserts: inserts)
  }

  /// Whether the document shows, and how many conflicts it has, without building the view where
  /// one look at the entries tells.
  package func summary() -> (isVisible: Bool, conflictCount: Int) {
    if let visible = plainVisibility { return (visible, 0) }
    let view = view()
    return (view.isVisible, view.conflictCount)
  }

  /// The answer for a document in which nothing competes; nil if that takes a closer look.
  private var plainVisibility: Bool? {
    guard pending.isEmpty, !mayHide, !hasOrphans else { return nil }
    // Not copied one by one: an import asks it of each document.
    let entries = entries.span
    for index in entries.indices {
      let kind = entries[index].effect.kind
      guard kind == .set || kind == .clear else { return nil }
      guard index > 0 else { continue }
      guard entries[index - 1].effect.path != entries[index].effect.path else { return nil }
      if entries[index - 1].effect.kind == .set,
        entries[index].effect.path.isAtOrBelow(entries[index - 1].effect.path)
      {
        return nil
      }
    }
    guard !entries.isEmpty else { return false }
    return entries[0].effect.path.isRoot ? true : nil
  }
}
