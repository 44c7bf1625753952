/// How far each stream has been applied here, and how much of that may be claimed as seen.
///
/// A stream is applied in order and without holes (protocol.md 6). A context may only claim the
/// **closed** part: the greatest vector all of whose own contexts have arrived too (4), so that
/// having seen is transitive.
///
///     var frontier = Frontier()
///     frontier.apply(header, after: previous)
///     frontier.close()
///     frontier.closed  // what the next local write may claim
package struct Frontier: Sendable, Equatable {
  /// Transactions that are applied, but may not be claimed: their context has not wholly arrived,
  /// or not what they edit, or they have operations of kinds that only a newer version understands
  /// (protocol.md 17).
  ///
  /// One, or several that follow one another whose author had heard of nothing new between them:
  /// they wait for the same, and may be claimed at once. Of a folder that holds years in few files,
  /// hundreds of thousands may wait for what other files have.
  package struct Open: Sendable, Equatable {
    /// The number of the first.
    package let first: UInt64
    /// The last.
    package private(set) var tip: Context.Entry
    /// What the author of the first had seen.
    package let context: Context
    package var isUnderstood: Bool
    /// Up to where streams have to be here for the inserts that they edit to be.
    ///
    /// Their author had those, but may not have been able to claim them.
    package let inserts: [StreamID: UInt64]

    /// - parameter first: nil if there is one.
    package init(
      from first: UInt64? = nil, tip: Context.Entry, context: Context, isUnderstood: Bool = true,
      inserts: [StreamID: UInt64] = [:]
    ) {
      self.first = first ?? tip.sequence
      self.tip = tip
      self.context = context
      self.isUnderstood = isUnderstood
      self.inserts = inserts
    }

    /// Takes in one more that follows, if it waits for nothing else; one of which nothing is left
    /// names no stream but its own.
    fileprivate mutating func take(_ header: Transaction.Header) -> Bool {
      // A removal that had waited need not have seen what comes before it.
      guard isUnderstood, context.sequence(of: tip.stream) + 1 == first else { return false }
      let known = context.entries
      var (place, isBehindLast) = (0, false)
      var stream: StreamID?
      for entry in header.context.entries {
        if entry.stream == header.stream {
          guard entry == tip, entry.sequence + 1 == header.sequence else { return false }
          isBehindLast = true
          continue
        }
        while place < known.count, known[place] < entry {
          // Of a stream that it names it has seen neither less nor more.
          guard known[place].stream != entry.stream, known[place].stream != stream else {
            return false
          }
          place += 1
        }
        guard place < known.count, known[place] == entry else { return false }
        (place, stream) = (place + 1, entry.stream)
      }
      guard isBehindLast, place == known.count || known[place].stream != stream else {
        return false
      }
      tip = header.tip
      return true
    }

    /// Takes in those after the last that have seen no more than what comes before them.
    mutating func extend(to end: Context.Entry) { tip = end }
  }

  /// All that has been applied.
  package var lineage: Lineage
  /// The part of it that an author here may claim to have seen.
  package private(set) var closed: Context
  /// What is applied and not closed, each line in order.
  package internal(set) var open: [Lineage.LineID: [Open]]
  /// The last closed transaction of each line.
  package private(set) var closedTips: [Lineage.LineID: Context.Entry]
  /// Up to where the user has given up waiting for what is missing of a stream.
  package internal(set) var givenUp: [StreamID: UInt64]
  /// What was given up of that which the closed transactions of each line had seen, and is missing
  /// or still open.
  package internal(set) var lost: [Lineage.LineID: Context]
  /// What somebody has seen and has not arrived, of streams of which one branch is known.
  var expected: [StreamID: [UInt64: Set<Fingerprint>]] = [:]
  /// Of each stream the entry that was looked at last, since contexts name most of them again.
  private var verified: [StreamID: Context.Entry] = [:]
  /// What somebody has seen and has to be compared with marks that are not in memory.
  package private(set) var unverified: [Context.Entry] = []
  /// The streams of which it has turned out that they contradict what somebody has seen; they may
  /// lack marks to be judged by.
  package private(set) var contradicted: Set<StreamID> = []

  /// - parameter givenUpNames: what ``givenUpNames`` was.
  package init(
    lineage: Lineage = Lineage(), closedTips: [Lineage.LineID: Context.Entry] = [:],
    open: [Lineage.LineID: [Open]] = [:], givenUp: [StreamID: UInt64] = [:],
    lost: [Lineage.LineID: Context] = [:], givenUpNames: Set<Context.Entry> = []
  ) {
    self.lineage = lineage
    self.closedTips = closedTips
    self.open = open
    self.givenUp = givenUp
    self.lost = lost
    closed = Self.closed(closedTips, lost, lineage)
    for transaction in open.values.joined() {
      for entry in transaction.context.entries { verify(entry) }
    }
    for entry in givenUpNames { verify(entry) }
  }

  /// The last transaction of each line that has been applied.
  package var applied: Context { lineage.tips }

  /// All that has been applied, and what the authors of that had seen: what a removal here means.
  ///
  /// It is closed, and so may be claimed as it is once all of it has arrived.
  package var seen: Context {
    let seen = open.keys.reduce(applied) { seen, line in
      lineage.union(seen, context(of: line))
    }
    return lost.values.reduce(seen) { lineage.union($0, $1) }
  }

  /// The transactions of some operations, and what the authors of those and of all that leads up to
  /// them had seen, but for what is closed: together with ``closed``, a closed vector.
  func seen(upTo operations: [Stamp]) -> Context {
    var tips: [Lineage.LineID: Context.Entry] = [:]
    for tip in Set(operations.map(\.transaction)) {
      guard let line = lineage.place(of: tip) else { continue }
      if tips[line].map({ $0.sequence < tip.sequence }) ?? true { tips[line] = tip }
    }
    return tips.reduce(Context()) { seen, tip in
      var seen = lineage.union(seen, Context([tip.value]))
      var place = (line: tip.key, end: tip.value.sequence)
      while true {
        seen = lineage.union(seen, context(of: place.line, upTo: place.end))
        guard let line = lineage.line(place.line), let parent = line.parent else { return seen }
        place = (Lineage.LineID(stream: place.line.stream, index: parent), line.base)
      }
    }
  }

  /// What the authors of the open transactions of one line had seen, up to a sequence.
  private func context(of line: Lineage.LineID, upTo end: UInt64 = .max) -> Context {
    var seen = Context()
    for transaction in open[line] ?? [] where transaction.first <= end {
      extend(&seen, by: transaction, on: line)
    }
    return lineage.reduced(seen)
  }

  /// Adds what the author of an open transaction had seen to what those before it on its line had.
  func extend(_ seen: inout Context, by transaction: Open, on line: Lineage.LineID) {
    // Who had seen what comes before it had seen what those authors had, so that of two entries
    // of a stream the greater leads up from the lesser. Others may name another branch.
    let goesOn = predecessor(of: transaction, on: line) != nil
    seen = seen.merged(with: transaction.context) { known, new in
      guard goesOn else { return known.isEmpty ? new : known + new }
      guard let entry = new.first, new.count == 1, known.count <= 1 else { return new }
      return entry.sequence > known.first?.sequence ?? 0 ? new : known
    }
  }

  /// What led up to the first open transaction of a line, on the lines that it leaves.
  func seen(before first: Context.Entry, on line: Lineage.LineID) -> Context {
    var seen = Context()
    var line = line
    while let known = lineage.line(line), let parent = known.parent {
      line = Lineage.LineID(stream: line.stream, index: parent)
      seen = lineage.union(seen, context(of: line, upTo: known.base))
    }
    return seen
  }

  /// Notes that a transaction has been applied whose predecessor in the stream was `previous`.
  ///
  /// - parameter inserts: see ``Open/inserts``.
  /// - returns: its line, and the number of the first of those among which it is open for now.
  @discardableResult
  package mutating func apply(
    _ header: Transaction.Header, after previous: Fingerprint, isUnderstood: Bool = true,
    inserts: [StreamID: UInt64] = [:]
  ) -> (line: Lineage.LineID, first: UInt64) {
    let line = lineage.extend(header.tip, after: previous)
    // Of most all are here, and nothing has to be made.
    let areHere = inserts.allSatisfy { lineage.reaches($0.value, of: $0.key) }
    let first = note(
      header, isUnderstood: isUnderstood,
      inserts: areHere ? [:] : inserts.filter { !lineage.reaches($0.value, of: $0.key) }, on: line)
    let seen = expected[header.stream]?.removeValue(forKey: header.sequence)
    if let seen, seen != [header.fingerprint] { contradict(header.stream) }
    // Behind a hole, it tells the name of what is missing just before it.
    let before = expected[header.stream]?[header.sequence - 1]
    if let before, before != [previous] { contradict(header.stream) }
    for entry in header.context.entries where verified[entry.stream] != entry {
      // Its own predecessor needs no look.
      guard entry.stream != header.stream || entry.fingerprint != previous else { continue }
      verified[entry.stream] = entry
      verify(entry)
    }
    return (line, first)
  }

  /// Notes that a transaction is open; returns the number of the first of those that it goes with.
  mutating func note(
    _ header: Transaction.Header, isUnderstood: Bool, inserts: [StreamID: UInt64],
    on line: Lineage.LineID
  ) -> UInt64 {
    if isUnderstood, inserts.isEmpty, let first = Self.take(header, into: &open[line]) {
      return first
    }
    open[line, default: []].append(
      Open(
        tip: header.tip, context: header.context, isUnderstood: isUnderstood, inserts: inserts))
    return header.sequence
  }

  /// - returns: the number of the first of those that take it in; nil if they do not.
  private static func take(
    _ header: Transaction.Header, into transactions: inout [Open]?
  ) -> UInt64? {
    guard let last = transactions?.indices.last, transactions?[last].take(header) ?? false else {
      return nil
    }
    return transactions?[last].first
  }

  private mutating func verify(_ entry: Context.Entry) {
    switch lineage.standing(of: entry) {
    case .agrees: break
    case .contradicts: contradict(entry.stream)
    case .expected:
      expected[entry.stream, default: [:]][entry.sequence, default: []].insert(entry.fingerprint)
    case .unknown: unverified.append(entry)
    }
  }

  /// Notes that somebody has seen another branch of a stream than the one that is held.
  package mutating func contradict(_ stream: StreamID) {
    guard let known = lineage.streams[stream], !known.isForked else { return }
    contradicted.insert(stream)
    lineage.fork(stream)
    if !known.isBranching, known.lines[0].isMarked { lineage.branch(stream) }
  }

  /// The same, also of a stream of which nothing is held.
  package mutating func expectFork(of stream: StreamID) {
    lineage.expectBranches(of: stream)
    contradict(stream)
  }

  /// Takes the streams that the caller has to mark, and to store as branching.
  package mutating func takeContradicted() -> Set<StreamID> {
    defer { contradicted = [] }
    return contradicted
  }

  /// Takes the entries that the caller has to compare with stored marks.
  package mutating func takeUnverified() -> [Context.Entry] {
    defer { unverified = [] }
    return unverified
  }

  /// Makes a stream be judged by fingerprint, with the marks that were not in memory.
  package mutating func branch(_ stream: StreamID, earlierMarks: [UInt64]) {
    lineage.branch(stream, earlierMarks: earlierMarks)
  }

  /// Takes transactions for understood from now on: after an upgrade.
  package mutating func understand(_ isUnderstood: (Context.Entry) -> Bool) {
    for (line, transactions) in open {
      open[line] = transactions.map { transaction in
        var transaction = transaction
        if isUnderstood(transaction.tip) { transaction.isUnderstood = true }
        return transaction
      }
    }
  }

  /// Moves the closed part as far as it goes; returns what became closed, of each line in order.
  ///
  /// Contexts are acyclic, so taking whatever can be taken until nothing can reaches the greatest
  /// closed vector, but for what was given up (``closeTogether()``).
  @discardableResult
  package mutating func close() -> [Open] {
    var taken: [Open] = []
    var isMoving = true
    while isMoving {
      isMoving = false
      for line in Array(open.keys) {
        let ready = closeHead(of: line)
        taken += ready
        if !ready.isEmpty { isMoving = true }
      }
      guard !isMoving else { continue }
      let ready = closeTogether()
      taken += ready
      isMoving = !ready.isEmpty
    }
    return taken
  }

  private mutating func closeHead(of line: Lineage.LineID) -> [Open] {
    guard isBaseClosed(line) else { return [] }
    var ready: [Open] = []
    while let next = open[line]?.dropFirst(ready.count).first, next.isUnderstood,
      hasInserts(of: next), isClosed(next.context)
    {
      setClosed(next, on: line)
      ready.append(next)
    }
    guard !ready.isEmpty else { return [] }
    // In place: of what stays, nothing is looked at.
    open[line]?.removeFirst(ready.count)
    if open[line]?.isEmpty ?? false { open[line] = nil }
    return ready
  }

  func hasInserts(of transaction: Open) -> Bool {
    transaction.inserts.allSatisfy { !isMissingInsert($0.value, of: $0.key) }
  }

  /// Whether what a line left, and all before that, is closed.
  func isBaseClosed(_ id: Lineage.LineID) -> Bool {
    guard let line = lineage.line(id), line.base > 0, closedTips[id] == nil else { return true }
    guard let parent = line.parent else { return isGivenUp(id.stream, upTo: line.base) }
    let end = closedTips[Lineage.LineID(stream: id.stream, index: parent)]?.sequence ?? 0
    return line.base <= end
  }

  /// Takes the first open transactions of several lines for closed, all at once.
  mutating func setClosed(_ parts: [(line: Lineage.LineID, transactions: [Open])]) {
    for (line, transactions) in parts {
      closedTips[line] = transactions.last?.tip ?? closedTips[line]
      open[line]?.removeFirst(transactions.count)
      if open[line]?.isEmpty ?? false { open[line] = nil }
    }
    // Each may have seen the others.
    for (line, transactions) in parts {
      for transaction in transactions { noteLost(transaction, on: line) }
    }
    closed = Self.closed(closedTips, lost, lineage)
  }

  private mutating func setClosed(_ transaction: Open, on line: Lineage.LineID) {
    let tip = transaction.tip
    closedTips[line] = tip
    if !givenUp.isEmpty { noteLost(transaction, on: line) }
    guard lost.isEmpty else {
      closed = Self.closed(closedTips, lost, lineage)
      return
    }
    guard let lines = lineage.streams[line.stream]?.lines, lines.count > 1 else {
      return closed.advance(tip)
    }
    let ends = lines.indices.compactMap {
      closedTips[Lineage.LineID(stream: line.stream, index: $0)]
    }
    closed.replace(line.stream, with: lineage.greatest(of: ends))
  }

  /// Whether all that `context` has seen is closed here, so that a claim may build on it.
  package func isClosed(_ context: Context) -> Bool {
    context.entries.allSatisfy { isClosed($0) || isClaimed($0) }
  }

  private func isClosed(_ seen: Context.Entry) -> Bool {
    isHereAndClosed(seen) || lineage.place(of: seen) == nil && isLost(seen)
  }

  func isHereAndClosed(_ seen: Context.Entry) -> Bool {
    guard let line = lineage.place(of: seen), let end = closedTips[line] else { return false }
    // The same sequence under another fingerprint is another branch of a cloned stream.
    return seen.sequence < end.sequence
      || seen.sequence == end.sequence && seen.fingerprint == end.fingerprint
  }

  /// Whether it is claimed with all that is closed: what was given up stays so, also where it, or
  /// something before it in its stream, comes after all and is open.
  private func isClaimed(_ seen: Context.Entry) -> Bool {
    closed.entries(of: seen.stream).contains { lineage.isAtOrBefore(seen, $0) }
  }
}
