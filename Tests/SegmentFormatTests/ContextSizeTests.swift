import Replication
import SegmentFormat
import Testing

@Suite("The contexts of a segment") struct ContextSizeTests {
  /// One whose first transaction has seen `width` streams, and whose others say no more of it.
  private static func segment(width: Int, count: Int) throws -> Segment {
    let seen = Context(
      (1...width).map {
        Context.Entry(
          stream: StreamID(rawValue: UInt128($0)), sequence: 7,
          fingerprint: Fingerprint(rawValue: UInt128($0)))
      })
    var author = StreamAuthor(stream: Sample.laptop)
    for _ in 0..<count {
      author.write([.clear(GoldenSegments.note, insert: author.nextDot())], seen: seen)
    }
    let bytes = SegmentFile.encode(try Segment(joining: author.segments)).bytes
    return try SegmentFile.decode(bytes).segment
  }

  @Test("are counted without being completed")
  func counted() throws {
    let segment = try Self.segment(width: 30, count: 20)
    #expect(segment.transactions.dropFirst().allSatisfy { $0.isRelative && $0.changes.isEmpty })
    #expect(segment.contextEntries() == 30 * 20)
    let complete = try segment.transactions(after: .start)
    // All but the first have an entry of their own stream.
    #expect(complete.reduce(0) { $0 + $1.header.context.entries.count } == 30 * 20 + 19)
  }

  @Test("are counted as they change, several branches of a stream too")
  func changing() throws {
    func entry(_ stream: UInt128, _ sequence: UInt64) -> Context.Entry {
      Context.Entry(
        stream: StreamID(rawValue: stream), sequence: sequence,
        fingerprint: Fingerprint(rawValue: UInt128(sequence)))
    }
    let contexts = [
      Context([entry(1, 1)]), Context([entry(1, 1), entry(1, 2)]),
      Context([entry(1, 1), entry(1, 2), entry(2, 1)]), Context([entry(1, 3), entry(2, 1)]),
    ]
    var author = StreamAuthor(stream: Sample.laptop)
    for seen in contexts {
      author.write([.clear(GoldenSegments.note, insert: author.nextDot())], seen: seen)
    }
    let joined = try Segment(joining: author.segments)
    #expect(joined.contextEntries() == 1 + 2 + 3 + 2)
    var size = ContextSize(after: contexts[2])
    for segment in author.segments.dropFirst(3) { size.add(segment.transactions[0]) }
    #expect(size.total == 2)
  }

  @Test("are refused as soon as they have too many entries together")
  func refused() throws {
    let segment = try Self.segment(width: 30, count: 20)
    let most = 30 * 20 + 19
    #expect(try segment.transactions(after: .start, mostEntries: most).count == 20)
    #expect(throws: SegmentError.damaged("its contexts name more together than they can")) {
      _ = try segment.transactions(after: .start, mostEntries: most - 1)
    }
  }

  @Test("may be of thousands of streams, and of no more than fit into memory")
  func limits() {
    #expect(SegmentFile.maximumContextTotal >= SegmentFile.writtenContextTotal * 4)
    #expect(SegmentFile.maximumContextTotal * ContextSize.entryBytes < 1 << 32)
    // One transaction alone is never too much.
    #expect(SegmentFile.writtenContextTotal > SegmentFile.maximumContextEntries)
  }

  // Each stream by itself, it takes minutes.
  @Test("may all change with each transaction", .timeLimit(.minutes(1)))
  func wide() throws {
    let width = SegmentFile.maximumContextEntries - 1
    let segment = Self.segment(of: 20) { number in
      let changes = Self.entries(of: 1...width, sequence: UInt64(number))
      return number.isMultiple(of: 2) ? changes.reversed() : changes
    }
    let last = try #require(try segment.transactions(after: .start).last)
    #expect(last.header.context.entries.count == width + 1)
    #expect(last.header.context.sequence(of: StreamID(rawValue: 9)) == 20)
    let written = try Segment(joining: [segment])
    #expect(written.transactions.map(\.changes.count) == Array(repeating: width, count: 20))
  }

  @Test("may not come to more, each on the one before it, than one may name")
  func growing() throws {
    let half = SegmentFile.maximumContextEntries / 2
    func segment(of count: Int) -> Segment {
      Self.segment(of: count) { number in
        Self.entries(of: (number - 1) * half + 1...number * half, sequence: 1)
      }
    }
    #expect(try segment(of: 2).transactions(after: .start).count == 2)
    #expect(throws: SegmentError.damaged("a context names more than it can")) {
      _ = try segment(of: 3).transactions(after: .start)
    }
  }

  private static func entries(
    of streams: ClosedRange<Int>, sequence: UInt64
  ) -> [Context.Entry] {
    streams.map {
      Context.Entry(
        stream: StreamID(rawValue: UInt128($0)), sequence: sequence,
        fingerprint: Fingerprint(rawValue: UInt128($0)))
    }
  }

  /// Transactions of which each but the first builds on the one before it.
  private static func segment(
    of count: Int, changes: (Int) -> [Context.Entry]
  ) -> Segment {
    let transactions = (1...count).map { number in
      EncodedTransaction(
        time: 1 << 16, nonce: number == 1 ? 7 : nil, isRelative: number > 1, hasSeenOwn: true,
        changes: changes(number), operations: [])
    }
    return Segment(
      range: Segment.Range(
        container: ContainerID(rawValue: 1), stream: Sample.laptop, first: 1,
        last: UInt64(count), fingerprintBefore: .origin), attributes: [],
      transactions: transactions)
  }
}
