/// What an author had seen: for each stream how far, and the fingerprint there (protocol.md 4).
///
///     var seen = Context()
///     seen.advance(Context.Entry(stream: laptop, sequence: 17, fingerprint: f))
///     seen.contains(stream: laptop, sequence: 12)  // true
///
/// Entries are sorted by stream. Format 1 has room for several entries of one stream, one for each
/// branch that a cloned device grew; this version writes and reads one.
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

  /// Takes entries in any order; of two with the same stream the one that has seen more stays.
  package init(_ entries: some Sequence<Entry>) {
    for entry in entries { advance(entry) }
  }

  /// How far `stream` was seen; 0 where nothing of it was.
  package func sequence(of stream: StreamID) -> UInt64 { entry(of: stream)?.sequence ?? 0 }

  package func entry(of stream: StreamID) -> Entry? {
    // Contexts hold a handful of entries: a scan beats a search.
    for entry in entries where entry.stream == stream { return entry }
    return nil
  }

  package func contains(stream: StreamID, sequence: UInt64) -> Bool {
    sequence <= self.sequence(of: stream)
  }

  /// Whether all that this context has seen, `other` has seen too, by sequence.
  package func isCovered(by other: Context) -> Bool {
    entries.allSatisfy { other.contains(stream: $0.stream, sequence: $0.sequence) }
  }

  /// Raises the entry of a stream; an entry that is not behind stays as it is.
  package mutating func advance(_ entry: Entry) {
    guard entry.sequence > 0 else { return }
    let position = entries.firstIndex { $0.stream >= entry.stream } ?? entries.endIndex
    if position < entries.endIndex, entries[position].stream == entry.stream {
      if entries[position].sequence < entry.sequence { entries[position] = entry }
    } else {
      entries.insert(entry, at: position)
    }
  }

  /// Takes over whatever `other` has seen beyond this context.
  package mutating func merge(_ other: Context) {
    for entry in other.entries { advance(entry) }
  }

  /// The same context with nothing seen of `stream`.
  package func without(_ stream: StreamID) -> Context {
    var copy = self
    copy.entries.removeAll { $0.stream == stream }
    return copy
  }
}
