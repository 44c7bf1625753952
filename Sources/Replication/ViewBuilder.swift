import CanonicalJSON

/// Builds the tree of what shows out of the visible values, which are sorted by path and stamp.
///
/// At each path up to four forms compete, and the one with the greatest stamp shows: the register
/// (its `set` values), the object (its `clear`, or anything below), the set (its `emptySet`, or
/// elements), the counter (its starts and increments). What loses is a conflict (protocol.md 11).
struct ViewBuilder {
  let entries: [DocumentState.Entry]
  var conflictCount = 0
  /// What competes where, if that is asked for.
  private(set) var conflicts: [DocumentConflict]?

  init(entries: [DocumentState.Entry], collectsConflicts: Bool = false) {
    self.entries = entries
    if collectsConflicts { conflicts = [] }
  }

  /// The node at `path`, out of the entries at and below it; nil if there is nothing to show.
  mutating func node(in range: Range<Int>, path: Path) -> DocumentView.Node? {
    let length = path.bytes.count
    let own = range.prefix { entries[$0].effect.path.bytes.count == length }
    let below = own.upperBound..<range.upperBound
    var contest = Contest()
    let counted = entries[own].countedIncrements
    for index in own where !counted.has(entries[index]) { contest.enter(entries[index]) }
    for index in below { contest.enter(entries[index], below: length) }
    guard let winner = contest.winner else { return nil }
    let isConflicted = contest.hasLosers
    if isConflicted {
      conflictCount += 1
      let conflict = conflicts == nil ? nil : conflict(at: path, own: own, below: below, contest)
      if let conflict { conflicts?.append(conflict) }
    }
    return DocumentView.Node(
      path: path, content: content(winner, of: contest, below: below, path: path),
      isConflicted: isConflicted, isFounded: contest.isFounded(winner))
  }

  mutating func content(
    _ winner: Contest.Form, of contest: Contest, below: Range<Int>, path: Path
  ) -> DocumentView.Node.Content {
    switch winner {
    case .register: .leaf(Leaf(unchecked: contest.scalar?.array ?? []))
    case .counter: .counter(CounterAmount.leaf(contest.start + contest.increments))
    case .set: .set(elements(below: below, length: path.bytes.count))
    case .object: .object(members(below: below, path: path))
    }
  }

  private mutating func members(below: Range<Int>, path: Path) -> [DocumentView.Node] {
    var members: [DocumentView.Node] = []
    var start = below.lowerBound
    while start < below.upperBound {
      let end = entries[start].effect.path.endOfKey(after: path.bytes.count)
      let child = entries[start].effect.path.prefix(end)
      var next = start
      while next < below.upperBound, entries[next].effect.path.isAtOrBelow(child) { next += 1 }
      if let member = node(in: start..<next, path: child) { members.append(member) }
      start = next
    }
    return members
  }

  /// The elements, each once, in the order of their texts, which is that of their paths.
  private func elements(below: Range<Int>, length: Int) -> [SetElement] {
    var elements: [SetElement] = []
    for index in below where entries[index].isElement(below: length) {
      // What an older program took in without knowing it may be malformed.
      guard let key = entries[index].effect.path.lastKey, let element = SetElement(key: key),
        element != elements.last
      else { continue }
      elements.append(element)
    }
    return elements
  }
}

/// What competes at one path.
struct Contest {
  enum Form: CaseIterable {
    case register
    case object
    case set
    case counter
  }

  /// The form with the greatest stamp so far.
  private(set) var winner: Form?
  private var latest: Stamp?
  private var hasRivals = false
  private var hasClear = false
  private var hasEmptySet = false
  private var isScalarDisputed = false
  private var isStartDisputed = false
  /// The payload of the latest `set`.
  private(set) var scalar: SmallBytes?
  private var latestStart: CounterStart?
  /// The latest start of the counter; 0 if it has none.
  private(set) var start: Int128 = 0
  private(set) var increments: Int128 = 0

  /// Takes in a value at the path; they come in the order of their stamps.
  mutating func enter(_ entry: DocumentState.Entry) {
    let effect = entry.effect
    switch effect.kind {
    case .set:
      if let scalar, scalar != effect.payload { isScalarDisputed = true }
      scalar = effect.payload
      raise(.register, entry.stamp)
    case .clear:
      hasClear = true
      raise(.object, entry.stamp)
    case .emptySet where !effect.path.isRoot:
      hasEmptySet = true
      raise(.set, entry.stamp)
    case .counter where !effect.path.isRoot:
      // What is malformed, no segment is that this version has read.
      let new = CounterStart(payload: effect.payload.array) ?? CounterStart(0)
      if let latestStart, !latestStart.agrees(with: new) { isStartDisputed = true }
      latestStart = new
      start = new.number
      raise(.counter, entry.stamp)
    case .increment where !effect.path.isRoot:
      increments += CounterAmount.amount(effect)
      raise(.counter, entry.stamp)
    default: break
    }
  }

  /// Takes in a value below the path, which has `length` bytes.
  mutating func enter(_ entry: DocumentState.Entry, below length: Int) {
    guard entry.effect.kind.isUnderstood else { return }
    if !entry.isElement(below: length) {
      raise(.object, entry.stamp)
    } else if length > 0 {
      // The document itself is no set.
      raise(.set, entry.stamp)
    }
  }

  private mutating func raise(_ form: Form, _ stamp: Stamp) {
    if let winner, winner != form { hasRivals = true }
    if let latest, latest > stamp { return }
    latest = stamp
    winner = form
  }

  /// Whether a value is kept that loses against the winner and differs from it.
  var hasLosers: Bool {
    switch winner {
    case .register: hasRivals || isScalarDisputed
    case .counter: hasRivals || isStartDisputed
    case .object, .set, nil: hasRivals
    }
  }

  func isFounded(_ form: Form) -> Bool {
    switch form {
    case .object: hasClear
    case .set: hasEmptySet
    case .register, .counter: false
    }
  }
}

extension DocumentState.Entry {
  /// Whether it is an element of the set at a path above it that has `length` bytes.
  func isElement(below length: Int) -> Bool {
    effect.kind == .add && effect.path.endOfKey(after: length) == effect.path.bytes.count
  }
}
