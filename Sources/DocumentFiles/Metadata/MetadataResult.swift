/// What a ``MetadataQuery`` shows at one moment, and how it differs from what it showed before.
///
/// A list is brought up to date by ``removed``, ``changed`` and ``added`` alone: take away the
/// files of the first two, then put in those of the last two, by ascending position.
public struct MetadataResult: Hashable, Sendable {
  /// A file with its place in the result.
  public struct Placed: Hashable, Sendable {
    /// Its place, from 0.
    public let position: Int
    /// The file.
    public let item: MetadataItem
  }

  /// What the query shows, in its order.
  public let items: [MetadataItem]
  /// What was not shown before; everything once it has been gathered.
  public let added: [Placed]
  /// What was shown otherwise; its place may be another one, too.
  public let changed: [Placed]
  /// What is shown no more, as it was, in the order that it had.
  public let removed: [MetadataItem]
  /// Why some folders could not be read, or all of it not, sorted by path.
  ///
  /// What was known of their files is still shown: what cannot be reached is not deleted.
  public let problems: [DocumentFileError]
}

/// What is shown of a folder, as a value.
package struct MetadataView: Hashable, Sendable {
  package let items: [MetadataItem]
  package let problems: [DocumentFileError]

  /// Nothing.
  package static let empty = MetadataView(items: [], problems: [])

  /// The result that leads from another view to this one.
  package func result(after before: MetadataView) -> MetadataResult {
    let old = Dictionary(before.items.map { ($0.path, $0) }) { first, _ in first }
    let now = Set(items.map(\.path))
    var (added, changed): ([MetadataResult.Placed], [MetadataResult.Placed]) = ([], [])
    for (position, item) in items.enumerated() {
      switch old[item.path] {
      case nil: added.append(.init(position: position, item: item))
      case item?: break
      default: changed.append(.init(position: position, item: item))
      }
    }
    return MetadataResult(
      items: items, added: added, changed: changed,
      removed: before.items.filter { !now.contains($0.path) }, problems: problems)
  }
}

/// Which files of a folder are shown, and in which order.
package struct MetadataSelection: Hashable, Sendable {
  var predicate: MetadataPredicate
  var order: [MetadataOrder]
  var scope: MetadataScope

  package init(
    predicate: MetadataPredicate = .everything, order: [MetadataOrder] = [],
    scope: MetadataScope = .documents
  ) {
    self.predicate = predicate
    self.order = order
    self.scope = scope
  }

  /// What is shown of a state of the folder, and of documents that are gone from it.
  package func view(
    of snapshot: FolderSnapshot, and gone: [MetadataItem] = [], problem: DocumentFileError? = nil
  ) -> MetadataView {
    let test = MetadataTest(predicate)
    var items: [MetadataItem] = []
    for contents in snapshot.folders.values {
      for item in contents.items
      where (scope == .documentsAndConflictCopies || item.kind == .document)
        && test.holds(for: item)
      {
        items.append(item)
      }
    }
    if !gone.isEmpty {
      // One of which a newer one arrives is there already.
      let known = Set(snapshot.folders.values.lazy.flatMap(\.items).map(\.path))
      items += gone.filter { !known.contains($0.path) && test.holds(for: $0) }
    }
    let problems = snapshot.problems.values.sorted {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
    return MetadataView(
      items: items.sorted(by: order.precedes), problems: (problem.map { [$0] } ?? []) + problems)
  }
}

/// Whose files a ``MetadataQuery`` looks at.
public enum MetadataScope: String, Hashable, Sendable, CaseIterable {
  /// The user's; conflict copies are counted, and stand for a file that is gone.
  case documents
  /// Conflict copies too, each as a file of its own beside its document.
  case documentsAndConflictCopies
}
