import CanonicalJSON

// What competes at one path.
extension ViewBuilder {
  /// What competes at `path`, at which something has lost.
  func conflict(
    at path: Path, own: Range<Int>, below: Range<Int>, _ contest: Contest
  ) -> DocumentConflict {
    var values = candidates(
      at: Place(path: path, own: own, below: below), contest, winner: contest.winner)
    let isWinner = { (candidate: Candidate) in candidate.form == contest.winner }
    values = values.enumerated().sorted { lhs, rhs in
      if isWinner(lhs.element) != isWinner(rhs.element) { return isWinner(lhs.element) }
      if lhs.element.stamp != rhs.element.stamp { return lhs.element.stamp > rhs.element.stamp }
      return lhs.offset < rhs.offset
    }.map(\.element)
    let kind: DocumentConflict.Kind = Set(values.map(\.form)).count > 1 ? .structure : .value
    return DocumentConflict(
      path: path, kind: kind,
      values: values.map {
        DocumentConflict.Value(content: $0.value, stamp: $0.stamp, kinds: $0.kinds)
      })
  }

  /// What would show at `path`, at or below which all entries stand, if one or the other had won:
  /// each value that something stamped with one of `stamps` is part of, the newest of these first.
  func values(at path: Path, of stamps: Set<Stamp>) -> [DocumentConflict.Value] {
    let length = path.bytes.count
    let own = entries.prefix { $0.effect.path.bytes.count == length }.indices
    let below = own.upperBound..<entries.endIndex
    var contest = Contest()
    let counted = entries[own].countedIncrements
    for index in own where !counted.has(entries[index]) { contest.enter(entries[index]) }
    for index in below { contest.enter(entries[index], below: length) }
    let place = Place(path: path, own: own, below: below)
    let values: [(newest: Stamp, value: DocumentConflict.Value)] = candidates(at: place, contest)
      .compactMap { candidate in
        guard let newest = candidate.sources.filter(stamps.contains).max() else { return nil }
        let value = DocumentConflict.Value(
          content: candidate.value, stamp: min(candidate.stamp, newest), kinds: candidate.kinds)
        return (newest, value)
      }
    return values.enumerated().sorted { lhs, rhs in
      if lhs.element.newest != rhs.element.newest {
        return lhs.element.newest > rhs.element.newest
      }
      return lhs.offset < rhs.offset
    }.map(\.element.value)
  }

  private struct Place {
    let path: Path
    let own: Range<Int>
    let below: Range<Int>
  }

  private struct Candidate {
    let form: Contest.Form
    let value: [UInt8]
    /// The newest of `sources`.
    let stamp: Stamp
    /// What it consists of.
    let sources: [Stamp]
    var kinds: [Path: ReplicatedKind] = [:]
  }

  /// - parameter winner: what shows: what loses inside it is listed by itself.
  private func candidates(
    at place: Place, _ contest: Contest, winner: Contest.Form? = nil
  ) -> [Candidate] {
    let wholes: [Contest.Form] = [.object, .set, .counter]
    // The newest start is in the counter's sum.
    return registers(at: place)
      + wholes.flatMap { form in
        whole(form, of: contest, at: place, withLosers: form != winner)
      } + startsThatLost(contest, at: place)
  }

  /// The different values that were set, the newest first.
  private func registers(at place: Place) -> [Candidate] {
    differing(of: .set, at: place).map { newest, stamps in
      Candidate(
        form: .register, value: Leaf(unchecked: newest.effect.payload.array).text,
        stamp: newest.stamp, sources: stamps)
    }
  }

  /// What the counter would show if it counted from another start than the newest.
  private func startsThatLost(_ contest: Contest, at place: Place) -> [Candidate] {
    differing(of: .counter, at: place).dropFirst().map { newest, stamps in
      let sum = CounterAmount.amount(newest.effect) + contest.increments
      return Candidate(
        form: .counter, value: CounterAmount.leaf(sum).text, stamp: newest.stamp,
        sources: stamps, kinds: [place.path: .counter])
    }
  }

  /// The operations of a kind at a place that differ, the newest of each payload, and the stamps of
  /// all that are the same; the newest first.
  private func differing(
    of kind: OperationKind, at place: Place
  ) -> [(newest: DocumentState.Entry, stamps: [Stamp])] {
    let all = place.own.reversed().map { entries[$0] }.filter { $0.effect.kind == kind }
    let stamps = Dictionary(grouping: all, by: \.meaning).mapValues { $0.map(\.stamp) }
    var seen: Set<SmallBytes> = []
    return all.filter { seen.insert($0.meaning).inserted }.map { entry in
      (entry, stamps[entry.meaning] ?? [])
    }
  }

  /// What would show if `form` had won, then the same with each value in it that would lose; none
  /// if nothing of that form stands there.
  private func whole(
    _ form: Contest.Form, of contest: Contest, at place: Place, withLosers: Bool
  ) -> [Candidate] {
    let stamps = (Array(place.own) + Array(place.below)).map { entries[$0] }.filter {
      Contest.form(of: $0, below: place.path.bytes.count) == form
    }.map(\.stamp)
    guard let newest = stamps.max() else { return [] }
    // Only where it is asked for: an object that wins at each level would double the work at each.
    var scratch = ViewBuilder(entries: entries, collectsConflicts: withLosers)
    let content = scratch.content(form, of: contest, below: place.below, path: place.path)
    let node = DocumentView.Node(
      path: place.path, content: content, isConflicted: false, isFounded: true)
    let shown = Candidate(
      form: form, value: node.text, stamp: newest, sources: stamps, kinds: node.kinds)
    let losers = node.variants(by: scratch.conflicts ?? []).map { variant in
      Candidate(
        form: form, value: variant.json.canonicalBytes(), stamp: variant.stamp ?? newest,
        sources: stamps, kinds: variant.kinds)
    }
    return [shown] + losers
  }
}

extension DocumentView.Node {
  fileprivate struct Variant {
    var json: JSON
    var kinds: [Path: ReplicatedKind]
    /// The newest of the values that lose otherwise.
    var stamp: Stamp?
    /// Where those stand.
    var paths: [Path] = []
  }

  /// The same with values in it that lose: each in one variant, and of all places as many at once
  /// as go together, so that there are few.
  fileprivate func variants(by conflicts: [DocumentConflict]) -> [Variant] {
    let original = Variant(json: json, kinds: kinds)
    var rest = conflicts.sorted { $0.path < $1.path }.map { conflict in
      (path: conflict.path, values: conflict.values.dropFirst())
    }
    var variants: [Variant] = []
    while rest.contains(where: { !$0.values.isEmpty }) {
      var variant = original
      for index in rest.indices {
        let path = rest[index].path
        // Sorted: what stands above it is the last that was exchanged, if anything is.
        if let last = variant.paths.last, path.isAtOrBelow(last) { continue }
        guard let value = rest[index].values.popFirst() else { continue }
        variant.exchange(value, at: path, depth: self.path.keys.count)
      }
      if !variant.paths.isEmpty { variants.append(variant) }
    }
    return variants
  }
}

extension DocumentView.Node.Variant {
  fileprivate mutating func exchange(
    _ value: DocumentConflict.Value, at path: Path, depth: Int
  ) {
    paths.append(path)
    let content = value.content.flatMap { try? JSON(parsing: $0, limits: .held) }
    json = json.with(content, at: path.keys.dropFirst(depth))
    kinds = kinds.filter { !$0.key.isAtOrBelow(path) }.merging(value.kinds) { first, _ in first }
    stamp = [stamp, value.stamp].compactMap(\.self).max()
  }
}

extension DocumentState.Entry {
  /// What it says, whatever its author could claim.
  fileprivate var meaning: SmallBytes {
    guard effect.kind == .counter, var start = CounterStart(payload: effect.payload.array) else {
      return effect.payload
    }
    start.counted = []
    return SmallBytes(start.payload)
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
