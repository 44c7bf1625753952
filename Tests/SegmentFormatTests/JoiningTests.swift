import Replication
import SegmentFormat
import Testing

@Suite("Joining segments") struct JoiningTests {
  private static func author(_ count: Int) -> StreamAuthor {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    author.write(
      [.clear(GoldenSegments.note, insert: insert)], attributes: [.deviceName("laptop")])
    for number in 1..<count {
      let seen = Context([
        Context.Entry(
          stream: Sample.phone, sequence: UInt64(1 + number / 2),
          fingerprint: Fingerprint(rawValue: UInt128(1 + number / 2)))
      ])
      author.write(
        [.set(GoldenSegments.note, insert: insert, "/n", .integer(Int64(number)))], seen: seen)
    }
    return author
  }

  @Test("keeps every transaction with its context, stamp and fingerprint")
  func sameTransactions() throws {
    let author = Self.author(6)
    let joined = try Segment(joining: author.segments)
    #expect(joined.range.first == 1)
    #expect(joined.range.last == 6)
    #expect(joined.deviceName == "laptop")
    var position = StreamPosition.start
    var expected: [Transaction.Header] = []
    for segment in author.segments {
      for transaction in try segment.transactions(after: position) {
        expected.append(transaction.header)
        position = StreamPosition(after: transaction.header)
      }
    }
    let again = try SegmentFile.decode(SegmentFile.encode(joined).bytes).segment
    let found = try again.transactions(after: .start)
    #expect(found.map(\.header) == expected)
  }

  @Test("of joined segments is the same as joining all at once")
  func associative() throws {
    let segments = Self.author(6).segments
    let whole = SegmentFile.encode(try Segment(joining: segments))
    let front = try Segment(joining: Array(segments[..<3]))
    let stepwise = SegmentFile.encode(try Segment(joining: [front] + segments[3...]))
    #expect(stepwise.digest == whole.digest)
  }

  @Test("is refused over a hole, out of order, and of another stream")
  func refused() throws {
    let segments = Self.author(4).segments
    var other = StreamAuthor(stream: Sample.phone)
    other.write([.clear(GoldenSegments.note, insert: other.nextDot())])
    for parts in [
      [segments[0], segments[2]], [segments[0], segments[0]], [segments[0]] + other.segments,
    ] {
      #expect(throws: SegmentError.otherBranch) { _ = try Segment(joining: parts) }
    }
    #expect(throws: SegmentError.incomplete) { _ = try Segment(joining: []) }
  }

  @Test("is refused where the first context leans on a segment that is not there")
  func leaning() throws {
    let segments = Self.author(4).segments
    #expect(segments[2].transactions[0].isRelative)
    #expect(throws: SegmentError.self) { _ = try Segment(joining: Array(segments[2...])) }
  }
}
