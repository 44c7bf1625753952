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
    #expect(segment.contextEntries == 30 * 20)
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
    #expect(joined.contextEntries == 1 + 2 + 3 + 2)
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
}
