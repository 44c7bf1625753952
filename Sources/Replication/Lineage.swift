/// Which transactions are held here, and which lead up to which (protocol.md 26).
///
/// The transactions of one stream form a tree, since a cloned device goes on in its own way. Here a
/// stream is one or more **lines**: the first that arrived, and one for each branch that left it.
/// Which came first is never seen outside: what is asked goes by fingerprint.
///
///     var lineage = Lineage()
///     lineage.extend(first, after: .origin)
///     lineage.relation(of: context, to: stamp)  // .certain
///
/// A stream of a single line that contradicts nothing is judged by sequence alone, which is all
/// that is needed there, and costs no more than a comparison.
package struct Lineage: Sendable, Equatable {
  /// Names a line: a number in its stream, in the order of arrival here.
  package struct LineID: Hashable, Sendable {
    package let stream: StreamID
    package let index: Int

    package init(stream: StreamID, index: Int) {
      self.stream = stream
      self.index = index
    }
  }

  /// A run of transactions, each of which follows the one before it.
  package struct Line: Sendable, Equatable {
    /// The line that it leaves; nil if it begins at the stream's start, or behind what is missing.
    package internal(set) var parent: Int?
    /// The sequence before its first: where it leaves its parent.
    package let base: UInt64
    /// The fingerprint of that transaction, by which a line finds its parent that began behind
    /// something missing; nil for others of an older program.
    package let before: Fingerprint?
    /// Its last transaction.
    package internal(set) var tip: Context.Entry
    /// The first half of each fingerprint, for sequences from `firstMark` to the tip.
    package internal(set) var marks: [UInt64]

    /// - parameter marks: the last ones, up to the tip; all of them where the stream branches.
    package init(
      parent: Int?, base: UInt64, before: Fingerprint? = nil, tip: Context.Entry, marks: [UInt64]
    ) {
      self.parent = parent
      self.base = base
      self.before = before
      self.tip = tip
      self.marks = marks
    }

    package var firstMark: UInt64 { tip.sequence + 1 - UInt64(marks.count) }
    /// Whether it has a mark for each of its transactions.
    package var isMarked: Bool { firstMark == base + 1 }
    /// Whether it begins behind something missing (``Frontier/giveUp(_:upTo:)``).
    package var isAfloat: Bool { parent == nil && base > 0 }
    /// Whether it has a transaction of that sequence.
    func reaches(_ sequence: UInt64) -> Bool { base < sequence && sequence <= tip.sequence }

    package func mark(at sequence: UInt64) -> UInt64? {
      guard sequence >= firstMark, sequence <= tip.sequence else { return nil }
      return marks[Int(sequence - firstMark)]
    }
  }

  /// How a stream stands.
  package struct Stream: Sendable, Equatable {
    package internal(set) var lines: [Line]
    /// Whether it is judged by fingerprint: it has, or someone has seen, more than one branch, or
    /// something is missing in its midst.
    package internal(set) var isBranching: Bool
    /// Whether it has, or someone has seen, more than one branch, so that sequences do not tell.
    package internal(set) var isForked: Bool

    package init(lines: [Line], isBranching: Bool, isForked: Bool? = nil) {
      self.lines = lines
      self.isBranching = isBranching
      self.isForked = isForked ?? isBranching
    }
  }

  package private(set) var streams: [StreamID: Stream] = [:]

  package init() {}

  package init(_ streams: [StreamID: Stream]) { self.streams = streams }

  /// What a fingerprint is known by in a line; never 0.
  package static func mark(_ fingerprint: Fingerprint) -> UInt64 {
    max(UInt64(truncatingIfNeeded: fingerprint.rawValue >> 64), 1)
  }

  /// The mark of a transaction that was applied before marks were kept, and is taken for any.
  package static let unknownMark: UInt64 = 0

  static func matches(_ mark: UInt64?, _ fingerprint: Fingerprint) -> Bool {
    mark == Self.mark(fingerprint) || mark == unknownMark
  }

  /// The same without the marks in memory, of streams that do not branch: those that are stored
  /// tell as much.
  package var withoutMarks: Lineage {
    Lineage(
      streams.mapValues { stream in
        guard !stream.isBranching else { return stream }
        var stream = stream
        for line in stream.lines.indices { stream.lines[line].marks = [] }
        return stream
      })
  }

  package func line(_ id: LineID) -> Line? {
    guard let lines = streams[id.stream]?.lines, lines.indices.contains(id.index) else {
      return nil
    }
    return lines[id.index]
  }

  /// The last transaction of each line.
  package var tips: Context {
    var tips = Context()
    for stream in streams.values {
      for (index, line) in stream.lines.enumerated() where !stream.goesOn(index) {
        tips.insert(line.tip)
      }
    }
    return tips
  }
}

// MARK: - What is held

extension Lineage {
  /// The line on which a transaction stands; nil if it is not held.
  package func place(of entry: Context.Entry) -> LineID? {
    guard let stream = streams[entry.stream], entry.sequence > 0,
      let index = stream.index(of: entry)
    else { return nil }
    return LineID(stream: entry.stream, index: index)
  }

  /// Whether a transaction and all before it are held.
  package func holds(_ entry: Context.Entry) -> Bool {
    guard let stream = streams[entry.stream] else { return false }
    guard stream.isBranching else { return entry.sequence <= stream.lines[0].tip.sequence }
    guard let index = stream.index(of: entry) else { return false }
    return !stream.isAfloat(index)
  }

  /// The last that is missing of what leads up to a transaction that is held; nil if nothing is.
  package func gap(before entry: Context.Entry) -> Context.Entry? {
    guard let stream = streams[entry.stream], stream.isBranching,
      let index = stream.index(of: entry)
    else { return nil }
    let first = stream.first(leadingTo: index)
    guard first.base > 0 else { return nil }
    return Context.Entry(
      stream: entry.stream, sequence: first.base, fingerprint: first.before ?? .origin)
  }

  /// Whether all that `context` names is held.
  package func holds(_ context: Context) -> Bool { context.entries.allSatisfy(holds) }

}

// MARK: - Growing

extension Lineage {
  /// Takes in a transaction.
  ///
  /// It lengthens the line that ends with `previous`, or else begins a new one, also where that is
  /// missing. Lines that began behind it find it.
  ///
  /// - precondition: a stream that it makes branch is marked (``mark(_:with:)``).
  /// - returns: its line.
  @discardableResult
  package mutating func extend(_ tip: Context.Entry, after previous: Fingerprint) -> LineID {
    // In place: it is done with each transaction.
    let index = streams[tip.stream, default: Stream(lines: [], isBranching: false)]
      .extend(tip, after: previous)
    return LineID(stream: tip.stream, index: index)
  }

  /// Adds more transactions, each of which follows the one before it, to a line of a stream that
  /// does not branch.
  mutating func extend(_ line: LineID, with tips: ArraySlice<Context.Entry>) {
    guard let end = tips.last else { return }
    streams[line.stream]?.lines[line.index].tip = end
    streams[line.stream]?.lines[line.index].marks.append(
      contentsOf: tips.lazy.map { Self.mark($0.fingerprint) })
  }

  /// Makes a stream be judged by fingerprint from now on.
  ///
  /// - parameter earlierMarks: the marks that its first line lacks.
  package mutating func branch(_ stream: StreamID, earlierMarks: [UInt64] = []) {
    streams[stream]?.lines[0].marks.insert(contentsOf: earlierMarks, at: 0)
    streams[stream]?.isBranching = true
  }

  /// Makes a stream of which nothing is held be judged by fingerprint from the start.
  mutating func expectBranches(of stream: StreamID) {
    guard streams[stream] == nil else { return }
    streams[stream] = Stream(lines: [], isBranching: true, isForked: false)
  }

  /// Replaces marks of a stream's first line that were unknown.
  package mutating func fill(_ marks: [UInt64], from first: UInt64, of stream: StreamID) {
    guard let line = streams[stream]?.lines.first else { return }
    for (sequence, mark) in zip(first..., marks) where line.mark(at: sequence) == Self.unknownMark {
      streams[stream]?.lines[0].marks[Int(sequence - line.firstMark)] = mark
    }
  }

  /// Notes that a stream has several branches.
  mutating func fork(_ stream: StreamID) { streams[stream]?.isForked = true }

  /// What is known of a fingerprint that somebody names, of a stream that is not known to branch.
  enum Standing {
    case agrees
    case contradicts
    /// It has not arrived.
    case expected
    /// The mark is not in memory.
    case unknown
  }

  func standing(of entry: Context.Entry) -> Standing {
    guard let stream = streams[entry.stream] else { return .expected }
    guard !stream.isBranching else { return stream.standing(of: entry) }
    let line = stream.lines[0]
    guard entry != line.tip else { return .agrees }
    guard entry.sequence <= line.tip.sequence else { return .expected }
    guard let mark = line.mark(at: entry.sequence) else { return .unknown }
    return Self.matches(mark, entry.fingerprint) ? .agrees : .contradicts
  }

}

extension Lineage.Stream {
  /// As ``Lineage/extend(_:after:)``; returns the number of the line.
  fileprivate mutating func extend(_ tip: Context.Entry, after previous: Fingerprint) -> Int {
    let mark = Lineage.mark(tip.fingerprint)
    let before = Context.Entry(
      stream: tip.stream, sequence: tip.sequence - 1, fingerprint: previous)
    // By place: an iterator would copy each.
    if let index = lines.indices.first(where: { lines[$0].tip == before }) {
      lines[index].tip = tip
      lines[index].marks.append(mark)
      meet(tip, on: index)
      return index
    }
    // What stands before the first line cannot be told from its marks: it has to have all.
    if !lines.isEmpty || before.sequence > 0 { isBranching = true }
    let parent = before.sequence > 0 ? index(of: before) : nil
    if parent == nil, lines.contains(where: { $0.reaches(before.sequence) }) { isForked = true }
    lines.append(
      Lineage.Line(
        parent: parent, base: before.sequence, before: previous, tip: tip, marks: [mark]))
    meet(tip, on: lines.count - 1)
    return lines.count - 1
  }

  /// Connects the lines that began behind `tip` with it, and notices what goes another way.
  fileprivate mutating func meet(_ tip: Context.Entry, on index: Int) {
    guard isBranching else { return }
    for other in lines.indices where other != index {
      if lines[other].reaches(tip.sequence) { isForked = true }
      guard lines[other].base == tip.sequence, lines[other].isAfloat else { continue }
      if lines[other].before == tip.fingerprint {
        lines[other].parent = index
      } else {
        isForked = true
      }
    }
  }

  /// Whether another line goes on where this one ends, since it began there when that was missing.
  fileprivate func goesOn(_ index: Int) -> Bool {
    lines.contains { $0.parent == index && $0.base == lines[index].tip.sequence }
  }

  /// As ``Lineage/standing(of:)``, of a stream that is judged by fingerprint.
  fileprivate func standing(of entry: Context.Entry) -> Lineage.Standing {
    guard !isForked, index(of: entry) == nil else { return .agrees }
    return contradicts(entry) ? .contradicts : .expected
  }

  /// Whether what is held tells that a transaction which is not is of another branch.
  ///
  /// - precondition: it is judged by fingerprint, and the transaction is not held.
  func contradicts(_ entry: Context.Entry) -> Bool {
    lines.contains {
      $0.reaches(entry.sequence)
        || $0.base == entry.sequence && $0.before != nil && $0.before != entry.fingerprint
    }
  }

  /// The line that has a transaction.
  func index(of entry: Context.Entry) -> Int? {
    guard isBranching else {
      return entry.sequence <= lines[0].tip.sequence ? 0 : nil
    }
    let mark = Lineage.mark(entry.fingerprint)
    return index(at: entry.sequence, marked: mark)
      ?? index(at: entry.sequence, marked: Lineage.unknownMark)
  }

  private func index(at sequence: UInt64, marked mark: UInt64) -> Int? {
    lines.firstIndex { $0.base < sequence && $0.mark(at: sequence) == mark }
  }

  /// The lines that have a transaction: several where marks are unknown, and fit any.
  package func lines(holding entry: Context.Entry) -> [Int] {
    guard isBranching else { return index(of: entry).map { [$0] } ?? [] }
    return lines.indices.filter { index in
      lines[index].base < entry.sequence
        && Lineage.matches(lines[index].mark(at: entry.sequence), entry.fingerprint)
    }
  }

  /// The mark at `sequence` of the chain that leads to line `index`; nil if that part is missing.
  func mark(at sequence: UInt64, leadingTo index: Int) -> UInt64? {
    var index = index
    while sequence <= lines[index].base {
      guard let parent = lines[index].parent else { return nil }
      index = parent
    }
    return lines[index].mark(at: sequence)
  }

  /// Whether something is missing before a line.
  func isAfloat(_ index: Int) -> Bool { first(leadingTo: index).base > 0 }

  /// The first line of the chain that leads to line `index`, as far as it is here.
  fileprivate func first(leadingTo index: Int) -> Lineage.Line {
    var index = index
    while let parent = lines[index].parent { index = parent }
    return lines[index]
  }

  /// Whether a transaction leads up to a later one, on line `index`.
  func leads(_ entry: Context.Entry, to index: Int) -> Bool {
    if Lineage.matches(mark(at: entry.sequence, leadingTo: index), entry.fingerprint) {
      return true
    }
    // What is missing just before a line is known by name.
    let first = first(leadingTo: index)
    return first.base == entry.sequence && first.before == entry.fingerprint
  }
}
