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
    // Contexts hold a handful of entries: a scan beats a search.
    var found: Entry?
    for entry in entries where entry.stream == stream { found = entry }
    return found
  }

  /// The entries of `stream`, one for each branch that was seen.
  package func entries(of stream: StreamID) -> ArraySlice<Entry> {
    guard let start = entries.firstIndex(where: { $0.stream == stream }) else { return [] }
    return entries[start...].prefix { $0.stream == stream }
  }

  /// The streams that it names, sorted.
  package var streams: [StreamID] {
    entries.indices.filter { $0 == 0 || entries[$0 - 1].stream != entries[$0].stream }
      .map { entries[$0].stream }
  }

  package func contains(stream: StreamID, sequence: UInt64) -> Bool {
    for entry in entries where entry.stream == stream && entry.sequence >= sequence { return true }
    return false
  }

  /// Adds an entry beside those of its stream.
  package mutating func insert(_ entry: Entry) {
    guard entry.sequence > 0 else { return }
    if entries.last.map({ $0 < entry }) ?? true { return entries.append(entry) }
    let position = entries.firstIndex { !($0 < entry) } ?? entries.endIndex
    guard position == entries.endIndex || entries[position] != entry else { return }
    entries.insert(entry, at: position)
  }

  /// Puts an entry in the place of those of its stream that are behind it.
  ///
  /// Right where all of them are of one branch; an entry that is not behind stays as it is.
  package mutating func advance(_ entry: Entry) {
    guard entry.sequence > self.sequence(of: entry.stream) else { return }
    replace(entry.stream, with: CollectionOfOne(entry))
  }

  /// Puts `new` in the place of all entries of `stream`.
  package mutating func replace(_ stream: StreamID, with new: some Sequence<Entry>) {
    entries.removeAll { $0.stream == stream }
    for entry in new { insert(entry) }
  }

  /// Puts the entries of each stream that `changes` names in the place of those that it has here.
  package mutating func replace(with changes: Context) {
    let streams = changes.streams
    // For a few a search each takes less than a set.
    guard streams.count > Self.fewStreams else {
      for stream in streams { replace(stream, with: changes.entries(of: stream)) }
      return
    }
    let changed = Set(streams)
    self = Context(entries.filter { !changed.contains($0.stream) } + changes.entries)
  }

  private static let fewStreams = 8

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
