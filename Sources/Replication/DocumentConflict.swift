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
      let value = DocumentConflict.Value(
        content: unfoundedRoot(visibility, hasInsert: hasInsert)?.text,
        stamp: unfounded.map(\.stamp).max())
      result.append(
        DocumentConflict(
          path: .root, kind: .missingInsert, values: [hasInsert ? edited : absent, value]))
    }
    if !visibility.doubtful.isEmpty {
      let value = DocumentConflict.Value(
        content: restored(visibility)?.text,
        stamp: visibility.doubtful.map { entries[$0].stamp }.max())
      result.append(
        DocumentConflict(
          path: .root, kind: .doubtful, values: [hasInsert ? edited : absent, value]))
    }
    result += doubtfulConflicts(beside: hasInsert ? root : nil)
    return result.enumerated().sorted { lhs, rhs in
      (lhs.element.path, lhs.offset) < (rhs.element.path, rhs.offset)
    }.map(\.element)
  }

  /// What would show if the deletes in doubt were none.
  func restored(_ visibility: Visibility) -> DocumentView.Node? {
    var builder = ViewBuilder(entries: visibility.restorable.map { entries[$0] })
    return builder.node(in: builder.entries.indices, path: .root)
  }

  /// What is hidden by a write whose author named a branch that nobody here has.
  private func doubtfulConflicts(beside root: DocumentView.Node?) -> [DocumentConflict] {
    let hidden = doubtfulEntries
    guard !hidden.isEmpty else { return [] }
    var shown: [Path: [UInt8]] = [:]
    for node in root?.subtree ?? [] where hidden[node.path] != nil { shown[node.path] = node.text }
    return hidden.map { path, entries in
      let values = entries.sorted { $0.stamp > $1.stamp }.map { entry in
        DocumentConflict.Value(
          content: entry.content(of: path, beside: shown[path]), stamp: entry.stamp)
      }
      return DocumentConflict(
        path: path, kind: .doubtful,
        values: [DocumentConflict.Value(content: shown[path], stamp: nil)] + values)
    }
  }
}

extension DocumentState.Entry {
  /// What it would show alone, as canonical JSON; of an element, the set with it.
  fileprivate func content(of path: Path, beside shown: [UInt8]?) -> [UInt8]? {
    if let element = effect.element(of: path) {
      let others = shown.flatMap { try? JSON(parsing: $0, limits: .held) }.flatMap {
        SetElement.all(in: $0)
      }
      let all = (others ?? []).union([element]).sorted()
      return JSON.array(all.map(\.json)).canonicalBytes()
    }
    var builder = ViewBuilder(entries: [self])
    return builder.node(in: 0..<1, path: effect.path)?.text
  }
}

extension DocumentView.Node {
  /// What in it is a counter or a set, by path.
  var kinds: [Path: ReplicatedKind] {
    Dictionary(subtree.map { ($0.path, $0.content.kind) }, uniquingKeysWith: { first, _ in first })
      .compactMapValues(\.self)
  }

  /// What shows here, as canonical JSON.
  fileprivate var text: [UInt8] {
    var text: [UInt8] = []
    write(into: &text)
    return text
  }
}

extension ViewBuilder {
  /// What competes at `path`, at which something has lost.
  func conflict(
    at path: Path, own: Range<Int>, below: Range<Int>, _ contest: Contest
  ) -> DocumentConflict {
    let place = Place(path: path, own: own, below: below)
    let wholes: [Contest.Form] = [.object, .set, .counter]
    var values = registers(at: place)
    values += wholes.compactMap { whole($0, of: contest, at: place) }
    // The newest start is in the counter's sum.
    values += startsThatLost(contest, at: place)
    values.sort { lhs, rhs in
      if (lhs.form == contest.winner) != (rhs.form == contest.winner) {
        return lhs.form == contest.winner
      }
      return lhs.stamp > rhs.stamp
    }
    let kind: DocumentConflict.Kind = Set(values.map(\.form)).count > 1 ? .structure : .value
    return DocumentConflict(
      path: path, kind: kind,
      values: values.map {
        DocumentConflict.Value(content: $0.value, stamp: $0.stamp, kinds: $0.kinds)
      })
  }

  private struct Place {
    let path: Path
    let own: Range<Int>
    let below: Range<Int>
  }

  private struct Candidate {
    let form: Contest.Form
    let value: [UInt8]
    let stamp: Stamp
    var kinds: [Path: ReplicatedKind] = [:]
  }

  /// The different values that were set, the newest first.
  private func registers(at place: Place) -> [Candidate] {
    differing(of: .set, at: place).map { entry in
      Candidate(
        form: .register, value: Leaf(unchecked: entry.effect.payload).text, stamp: entry.stamp)
    }
  }

  /// What the counter would show if it counted from another start than the newest.
  private func startsThatLost(_ contest: Contest, at place: Place) -> [Candidate] {
    differing(of: .counter, at: place).dropFirst().map { entry in
      let sum = CounterAmount.amount(entry.effect) + contest.increments
      return Candidate(
        form: .counter, value: CounterAmount.leaf(sum).text, stamp: entry.stamp,
        kinds: [place.path: .counter])
    }
  }

  /// The operations of a kind at a place, one for each payload, the newest first.
  private func differing(of kind: OperationKind, at place: Place) -> [DocumentState.Entry] {
    var seen: Set<[UInt8]> = []
    return place.own.reversed().map { entries[$0] }.filter { $0.effect.kind == kind }
      .filter { seen.insert($0.effect.payload).inserted }
  }

  /// What would show if `form` had won; nil if nothing of that form stands there.
  private func whole(
    _ form: Contest.Form, of contest: Contest, at place: Place
  ) -> Candidate? {
    let stamps = (Array(place.own) + Array(place.below)).map { entries[$0] }.filter {
      Contest.form(of: $0, below: place.path.bytes.count) == form
    }.map(\.stamp)
    guard let newest = stamps.max() else { return nil }
    // A builder of its own: conflicts inside what lost are not counted.
    var scratch = ViewBuilder(entries: entries)
    let content = scratch.content(form, of: contest, below: place.below, path: place.path)
    let node = DocumentView.Node(
      path: place.path, content: content, isConflicted: false, isFounded: true)
    return Candidate(form: form, value: node.text, stamp: newest, kinds: node.kinds)
  }
}

extension Leaf {
  /// The value as canonical JSON.
  fileprivate var text: [UInt8] {
    var text: [UInt8] = []
    write(into: &text)
    return text
  }
}

extension Contest {
  /// As what a value at a path of `length` bytes, or below it, competes; nil if it does not.
  fileprivate static func form(of entry: DocumentState.Entry, below length: Int) -> Form? {
    guard entry.effect.kind.isUnderstood else { return nil }
    if entry.effect.path.bytes.count > length {
      guard entry.isElement(below: length) else { return .object }
      return length > 0 ? .set : nil
    }
    switch entry.effect.kind {
    case .set: return .register
    case .clear: return .object
    case .emptySet: return length > 0 ? .set : nil
    case .counter, .increment: return length > 0 ? .counter : nil
    default: return nil
    }
  }
}
