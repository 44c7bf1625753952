import ReferenceModel
import Replication
import Testing

/// A context may have thousands of entries: each is gone through once, or by halves.
@Suite("Contexts of few streams and of many") struct WideContextTests {
  private static let seeds: Range<UInt64> = 0..<60

  @Test("tell of a stream what a look at each entry tells", arguments: seeds)
  func told(seed: UInt64) {
    var chance = SplitMix(seed: seed)
    let context = Self.context(using: &chance)
    for stream in (0...50).map({ StreamID(rawValue: UInt128($0)) }) {
      let entries = context.entries.filter { $0.stream == stream }
      #expect(Array(context.entries(of: stream)) == entries)
      #expect(context.entry(of: stream) == entries.last)
      for sequence in 0...7 as ClosedRange<UInt64> {
        #expect(
          context.contains(stream: stream, sequence: sequence)
            == entries.contains { $0.sequence >= sequence })
      }
    }
  }

  @Test("become what they become entry by entry", arguments: seeds)
  func changed(seed: UInt64) {
    var chance = SplitMix(seed: seed)
    var context = Self.context(using: &chance)
    var slow = SlowContext(entries: context.entries)
    for _ in 0..<20 {
      let entry = Self.entry(using: &chance)
      context.insert(entry)
      slow.insert(entry)
      #expect(context.entries == slow.entries)
      let later = Self.entry(using: &chance)
      context.advance(later)
      slow.advance(later)
      #expect(context.entries == slow.entries)
      let new = (0..<Int.random(in: 0...3, using: &chance)).map { _ in
        Self.entry(of: entry.stream, using: &chance)
      }
      context.replace(entry.stream, with: new)
      slow.replace(entry.stream, with: new)
      #expect(context.entries == slow.entries)
      let changes = Self.context(using: &chance)
      context.replace(with: changes)
      for stream in changes.streams { slow.replace(stream, with: changes.entries(of: stream)) }
      #expect(context.entries == slow.entries)
    }
  }

  @Test("are one as each stream by itself would be, whatever is held of it", arguments: seeds)
  func united(seed: UInt64) {
    var chance = SplitMix(seed: seed)
    let lineage = Self.lineage(using: &chance)
    for _ in 0..<10 {
      let first = Self.context(using: &chance)
      var second = Self.context(using: &chance)
      if Bool.random(using: &chance) { second = Context(first.entries.prefix(9)) }
      #expect(lineage.union(first, second).entries == lineage.slowUnion(first, second))
      #expect(lineage.union(first, first) == first)
      #expect(lineage.reduced(first).entries == lineage.slowlyReduced(first.entries))
    }
  }

  @Test("come to what one waiting transaction after the other had seen", arguments: seeds)
  func waiting(seed: UInt64) {
    var chance = SplitMix(seed: seed)
    let own = StreamID(rawValue: 1000)
    var frontier = Frontier()
    var slow = SlowContext()
    var before: Context.Entry?
    for sequence in 1...12 as ClosedRange<UInt64> {
      let goesOn = before != nil && Int.random(in: 0..<4, using: &chance) > 0
      var seen = Self.context(using: &chance)
      if goesOn, let before { seen.insert(before) }
      slow.extend(by: seen, goesOn: goesOn)
      let header = Transaction.Header(
        stream: own, sequence: sequence, time: .zero, context: seen, nonce: 0,
        fingerprint: Self.fingerprint(sequence))
      frontier.apply(header, after: before?.fingerprint ?? .origin)
      before = header.tip
      let lineage = frontier.lineage
      let expected = lineage.slowUnion(
        frontier.applied, Context(lineage.slowlyReduced(slow.entries)))
      #expect(frontier.seen.entries == expected)
    }
  }

  // Each stream beside each, it takes many minutes.
  @Test("of hundreds of thousands of streams take a moment", .timeLimit(.minutes(1)))
  func many() {
    func context(_ streams: some Sequence<Int>) -> Context {
      Context(
        streams.map { number in
          Context.Entry(
            stream: StreamID(rawValue: UInt128(number)), sequence: 1,
            fingerprint: Self.fingerprint(1))
        })
    }
    let odd = context(stride(from: 1, to: 300_000, by: 2))
    let even = context(stride(from: 2, to: 300_000, by: 2))
    let both = Lineage().union(odd, even)
    #expect(both == context(1..<300_000))
    #expect(both.streams.allSatisfy { both.contains(stream: $0, sequence: 1) })
    var changed = odd
    changed.replace(with: even)
    #expect(changed == both)
    var frontier = Frontier()
    let header = Transaction.Header(
      stream: StreamID(rawValue: 400_000), sequence: 1, time: .zero, context: both, nonce: 0,
      fingerprint: Self.fingerprint(1))
    frontier.apply(header, after: .origin)
    #expect(frontier.seen.entries.count == both.entries.count + 1)
  }
}

// MARK: - Chance

extension WideContextTests {
  private static func fingerprint(_ number: UInt64) -> Fingerprint {
    Fingerprint(rawValue: UInt128(number) << 64)
  }

  private static func entry(
    of stream: StreamID? = nil, using chance: inout SplitMix
  ) -> Context.Entry {
    Context.Entry(
      stream: stream ?? StreamID(rawValue: UInt128.random(in: 1...40, using: &chance)),
      sequence: UInt64.random(in: 0...6, using: &chance),
      fingerprint: fingerprint(UInt64.random(in: 1...3, using: &chance)))
  }

  private static func context(using chance: inout SplitMix) -> Context {
    let count = [0, 1, 5, 16, 17, 60].randomElement(using: &chance) ?? 0
    return Context((0..<count).map { _ in entry(using: &chance) })
  }

  /// Of some of the streams one line is held, of some two, and of some nothing.
  private static func lineage(using chance: inout SplitMix) -> Lineage {
    var lineage = Lineage()
    for number in 1...30 as ClosedRange<UInt128> {
      let stream = StreamID(rawValue: number)
      for branch in 0..<(number > 20 ? 2 : 1) as Range<UInt64> {
        var before = Fingerprint.origin
        for sequence in 1...UInt64.random(in: 1...5, using: &chance) {
          let tip = Context.Entry(
            stream: stream, sequence: sequence, fingerprint: fingerprint(branch + 1))
          lineage.extend(tip, after: before)
          before = tip.fingerprint
        }
      }
    }
    return lineage
  }
}

// MARK: - The slow way

/// Entries, each of which is looked at for everything.
private struct SlowContext {
  var entries: [Context.Entry] = []

  func entries(of stream: StreamID) -> [Context.Entry] { entries.filter { $0.stream == stream } }

  mutating func insert(_ entry: Context.Entry) {
    guard entry.sequence > 0, !entries.contains(entry) else { return }
    entries.append(entry)
    entries.sort()
  }

  mutating func advance(_ entry: Context.Entry) {
    let most = entries(of: entry.stream).map(\.sequence).max() ?? 0
    if entry.sequence > most { replace(entry.stream, with: [entry]) }
  }

  mutating func replace(_ stream: StreamID, with new: some Sequence<Context.Entry>) {
    entries.removeAll { $0.stream == stream }
    for entry in new { insert(entry) }
  }

  mutating func extend(by seen: Context, goesOn: Bool) {
    for stream in seen.streams {
      let new = seen.entries.filter { $0.stream == stream }
      if goesOn, new.count == 1, entries(of: stream).count <= 1 {
        advance(new[0])
      } else if goesOn {
        replace(stream, with: new)
      } else {
        for entry in new { insert(entry) }
      }
    }
  }
}

extension Lineage {
  fileprivate func slowUnion(_ first: Context, _ second: Context) -> [Context.Entry] {
    var result = SlowContext(entries: first.entries)
    for stream in second.streams {
      let (here, there) = (
        first.entries.filter { $0.stream == stream },
        second.entries.filter { $0.stream == stream }
      )
      if here != there { result.replace(stream, with: slowlyGreatest(of: here + there)) }
    }
    return result.entries
  }

  fileprivate func slowlyReduced(_ entries: [Context.Entry]) -> [Context.Entry] {
    Set(entries.map(\.stream)).sorted().flatMap { stream in
      slowlyGreatest(of: entries.filter { $0.stream == stream })
    }
  }

  private func slowlyGreatest(of entries: [Context.Entry]) -> [Context.Entry] {
    entries.filter { entry in
      !entries.contains { $0 != entry && isCovered(Context([entry]), by: Context([$0])) }
    }
  }
}
