import CanonicalJSON

/// Values of a document that were written without knowledge of one another, and differ.
///
///     for conflict in state.conflicts() {
///       print(conflict.path, conflict.values.count)  // The first value is the one that shows.
///     }
package struct DocumentConflict: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// Different values of one member.
    case value
    /// An object, a plain value, a set, a counter: different kinds of things at one place.
    case structure
    /// The document was deleted by somebody who had not seen an edit.
    case delete
    /// There are edits of a document whose insert is not here; another document may show in its
    /// place.
    case missingInsert = "missing-insert"
    /// A value is hidden by a write, or the document by a delete, whose author has seen a branch
    /// that nobody here has.
    case doubtful
  }

  package struct Value: Sendable, Equatable {
    /// Canonical JSON; nil stands for the document's absence.
    package let content: [UInt8]?
    /// The newest operation that it consists of; nil for a delete that is not published yet, and
    /// for what nobody wrote.
    package let stamp: Stamp?
    /// What in it is a counter or a set, by path.
    package let kinds: [Path: ReplicatedKind]

    package init(content: [UInt8]?, stamp: Stamp?, kinds: [Path: ReplicatedKind] = [:]) {
      self.content = content
      self.stamp = stamp
      self.kinds = kinds
    }
  }

  package let path: Path
  package let kind: Kind
  /// What shows, then what lost, the newest first.
  package let values: [Value]
}

extension DocumentState {
  /// All conflicts, as many as the view counts: sorted by path, what concerns the whole document
  /// first.
  ///
  /// A path may have two: of values that compete, and behind it of what may be covered.
  package func conflicts() -> [DocumentConflict] {
    let visibility = visibility()
    var builder = ViewBuilder(
      entries: visibility.values.map { entries[$0] }, collectsConflicts: true)
    let values = builder.entries
    let root = builder.node(in: values.indices, path: .root)
    let hasInsert = values.contains { $0.effect.path.isRoot && $0.effect.kind == .clear }
    let edited = DocumentConflict.Value(
      content: root?.text, stamp: values.map(\.stamp).max())
    let absent = DocumentConflict.Value(content: nil, stamp: nil)
    var result: [DocumentConflict] = []
    if visibility.hasUndoneDelete {
      let deletes = visibility.undoneDeletes.map { stamp in
        DocumentConflict.Value(content: nil, stamp: stamp)
      }
      result.append(
        DocumentConflict(
          path: .root, kind: .delete, values: [hasInsert ? edited : absent] + deletes))
    }
    if hasInsert { result += (builder.conflicts ?? []).sorted { $0.path < $1.path } }
    let unfounded = unfounded(visibility, hasInsert: hasInsert).map { entries[$0] }
    if !unfounded.isEmpty {
      result.append(
        DocumentConflict(
          path: .root, kind: .missingInsert,
          values: [hasInsert ? edited : absent] + wholes(of: unfounded, stamped: unfounded)))
    }
    if !visibility.doubtful.isEmpty {
      let restorable = visibility.restorable.map { entries[$0] }
      let doubtful = visibility.doubtful.map { entries[$0] }
      result.append(
        DocumentConflict(
          path: .root, kind: .doubtful,
          values: [hasInsert ? edited : absent] + wholes(of: restorable, stamped: doubtful)))
    }
    if hasInsert, !visibility.hiddenDeletes.isEmpty {
      let deletes = visibility.hiddenDeletes.map {
        DocumentConflict.Value(content: nil, stamp: entries[$0].stamp)
      }
      result.append(DocumentConflict(path: .root, kind: .doubtful, values: [edited] + deletes))
    }
    result += doubtfulConflicts(visibility, beside: hasInsert ? root : nil)
    return result.enumerated().sorted { lhs, rhs in
      (lhs.element.path, lhs.offset) < (rhs.element.path, rhs.offset)
    }.map(\.element)
  }

  /// What some entries would show as a document, and the same with each value that loses in it.
  private func wholes(
    of entries: [Entry], stamped some: [Entry]
  ) -> [DocumentConflict.Value] {
    let values = ViewBuilder(entries: entries).values(at: .root, of: Set(entries.map(\.stamp)))
    let newest = some.map(\.stamp).max()
    // What only a newer version understands shows nothing here.
    guard let first = values.first else {
      return [DocumentConflict.Value(content: nil, stamp: newest)]
    }
    return [DocumentConflict.Value(content: first.content, stamp: newest, kinds: first.kinds)]
      + values.dropFirst()
  }
}

extension DocumentView.Node {
  /// What in it is a counter or a set, by path.
  var kinds: [Path: ReplicatedKind] {
    Dictionary(subtree.map { ($0.path, $0.content.kind) }, uniquingKeysWith: { first, _ in first })
      .compactMapValues(\.self)
  }

  /// What shows here, as canonical JSON.
  var text: [UInt8] {
    var text: [UInt8] = []
    write(into: &text)
    return text
  }
}
