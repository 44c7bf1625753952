/// What an author had seen: for each stream how far, and the fingerprint there (protocol.md 4).
///
///     var seen = Context()
///     seen.advance(Context.Entry(stream: laptop, sequence: 17, fingerprint: f))
///     seen.contains(stream: laptop, sequence: 12)  // true
///
/// Entries are sorted. A stream has several where its device was cloned: one for each branch, and
/// each means exactly the transactions that lead up to its fingerprint (26). Which those are, only
/// ``Lineage`` can tell; what is asked here goes by sequence alone, and holds of one branch.
package struct Context: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let stream: StreamID
    package let sequence: UInt64
    package let fingerprint: Fingerprint

    package init(stream: StreamID, sequence: UInt64, fingerprint: Fingerprint) {
      self.stream = stream
      self.sequence = sequence
      self.fingerprint = fingerprint
    }
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  /// Takes entries in any order.
  package init(_ entries: some Sequence<Entry>) {
    // Not one by one: a hostile file may name thousands.
    self.entries = entries.filter { $0.sequence > 0 }
    guard zip(self.entries, self.entries.dropFirst()).contains(where: { !($0 < $1) }) else {
      return
    }
    let sorted = self.entries.sorted()
    self.entries = sorted.indices.filter { $0 == 0 || sorted[$0 - 1] != sorted[$0] }
      .map { sorted[$0] }
  }

  /// How far `stream` was seen; 0 where nothing of it was.
  package func sequence(of stream: StreamID) -> UInt64 { entry(of: stream)?.sequence ?? 0 }

  /// The entry of `stream`, and of several the one that has seen most.
  package func entry(of stream: StreamID) -> Entry? {
    guard entries.count <= Self.fewEntries else {
      let end = count { !(stream < $0.stream) }
      return end > 0 && entries[end - 1].stream == stream ? entries[end - 1] : nil
    }
    var found: Entry?
    for entry in entries where entry.stream == stream { found = entry }
    return found
  }

  /// The entries of `stream`, one for each branch that was seen.
  package func entries(of stream: StreamID) -> ArraySlice<Entry> {
    entries[place(of: stream)]
  }

  /// In a handful of entries, as most contexts have, a scan beats a search; a few have thousands.
  private static let fewEntries = 16

  /// Where the entries of `stream` stand, or would.
  private func place(of stream: StreamID) -> Range<Int> {
    guard entries.count <= Self.fewEntries else {
      return count { $0.stream < stream }..<count { !(stream < $0.stream) }
    }
    var start = 0
    while start < entries.count, entries[start].stream < stream { start += 1 }
    var end = start
    while end < entries.count, entries[end].stream == stream { end += 1 }
    return start..<end
  }

  /// How many entries come first of which something holds, where it holds of none behind one of
  /// which it does not.
  private func count(while holds: (Entry) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(entries[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The streams that it names, sorted.
  package var streams: [StreamID] {
    entries.indices.filter { $0 == 0 || entries[$0 - 1].stream != entries[$0].stream }
      .map { entries[$0].stream }
  }

  package func contains(stream: StreamID, sequence: UInt64) -> Bool {
    guard entries.count <= Self.fewEntries else {
      return entry(of: stream).map { $0.sequence >= sequence } ?? false
    }
    for entry in entries where entry.stream == stream && entry.sequence >= sequence { return true }
    return false
  }

  /// Adds an entry beside those of its stream.
  package mutating func insert(_ entry: Entry) {
    guard entry.sequence > 0 else { return }
    if entries.last.map({ $0 < entry }) ?? true { return entries.append(entry) }
    let position = count { $0 < entry }
    guard entries[position] != entry else { return }
    entries.insert(entry, at: position)
  }

  /// Puts an entry in the place of those of its stream that are behind it.
  ///
  /// Right where all of them are of one branch; an entry that is not behind stays as it is.
  package mutating func advance(_ entry: Entry) {
    let place = place(of: entry.stream)
    guard entry.sequence > (place.isEmpty ? 0 : entries[place.upperBound - 1].sequence) else {
      return
    }
    entries.replaceSubrange(place, with: CollectionOfOne(entry))
  }

  /// Puts `new` in the place of all entries of `stream`.
  ///
  /// - precondition: these are of that stream, too.
  package mutating func replace(_ stream: StreamID, with new: some Sequence<Entry>) {
    entries.replaceSubrange(place(of: stream), with: Context(new).entries)
  }

  /// Puts the entries of each stream that `changes` names in the place of those that it has here.
  package mutating func replace(with changes: Context) {
    let streams = changes.streams
    // For a few a search each takes less than to go through all.
    guard streams.count > Self.fewStreams else {
      for stream in streams {
        entries.replaceSubrange(place(of: stream), with: changes.entries(of: stream))
      }
      return
    }
    self = merged(with: changes) { _, new in new }
  }

  private static let fewStreams = 8

  /// The same context, where of each stream that `other` names something else takes the place of
  /// the entries: in one pass over both, since each may have thousands.
  ///
  /// - parameter choose: Makes it of those of one stream that stand here, perhaps none, and there.
  func merged(
    with other: Context,
    _ choose: (_ here: ArraySlice<Entry>, _ there: ArraySlice<Entry>) -> ArraySlice<Entry>
  ) -> Context {
    var result = Context()
    result.entries.reserveCapacity(entries.count + other.entries.count)
    var (here, there) = (0, 0)
    while there < other.entries.count {
      let stream = other.entries[there].stream
      let first = here
      while here < entries.count, entries[here].stream < stream { here += 1 }
      result.entries.append(contentsOf: entries[first..<here])
      let ends = (here: end(from: here, of: stream), there: other.end(from: there, of: stream))
      result.append(choose(entries[here..<ends.here], other.entries[there..<ends.there]))
      (here, there) = ends
    }
    result.entries.append(contentsOf: entries[here...])
    return result
  }

  /// Where those of `stream` end that begin at a place.
  private func end(from start: Int, of stream: StreamID) -> Int {
    var end = start
    while end < entries.count, entries[end].stream == stream { end += 1 }
    return end
  }

  /// Adds entries, in any order, of a stream behind all others.
  private mutating func append(_ new: ArraySlice<Entry>) {
    guard new.count > 1 else { return entries.append(contentsOf: new) }
    for entry in new.sorted() where entries.last != entry { entries.append(entry) }
  }

  /// The same context with nothing seen of `stream`.
  ///
  /// - parameter known: What it may well be: if so that is returned, and nothing is copied.
  package func without(_ stream: StreamID, like known: Context = Context()) -> Context {
    guard !isEqual(to: known, besides: stream) else { return known }
    var rest = Context()
    rest.entries = entries.filter { $0.stream != stream }
    return rest
  }

  private func isEqual(to other: Context, besides stream: StreamID) -> Bool {
    var place = 0
    for entry in entries where entry.stream != stream {
      guard place < other.entries.count, other.entries[place] == entry else { return false }
      place += 1
    }
    return place == other.entries.count
  }
}

extension Context.Entry: Comparable {
  package static func < (lhs: Self, rhs: Self) -> Bool {
    if lhs.stream != rhs.stream { return lhs.stream < rhs.stream }
    if lhs.sequence != rhs.sequence { return lhs.sequence < rhs.sequence }
    return lhs.fingerprint < rhs.fingerprint
  }
}
