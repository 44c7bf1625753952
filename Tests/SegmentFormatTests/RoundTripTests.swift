import Replication
import SegmentFormat
import TestSupport
import Testing

@Suite("A segment written and read again") struct RoundTripTests {
  @Test("is the same, whatever its transactions", arguments: [true, false])
  func random(compressing: Bool) throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let segment = generator.segment()
      let (bytes, digest) = SegmentFile.encode(segment, compressing: compressing)
      let again = try SegmentFile.decode(bytes)
      #expect(again.digest == digest)
      #expect(again.segment.range == segment.range)
      #expect(again.segment.attributes == segment.attributes)
      #expect(again.segment.transactions == segment.transactions)
      let range = try SegmentFile.range(of: bytes)
      #expect(range == segment.range)
    }
  }

  @Test("gives the transactions with their contexts and fingerprints as they were written")
  func chain() throws {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<100 {
      var author = StreamAuthor(stream: Sample.laptop)
      var seen = Context()
      var written: [Transaction] = []
      for _ in 0...generator.below(8) {
        if Bool.random(using: &generator) {
          seen.advance(
            Context.Entry(
              stream: Sample.phone, sequence: seen.sequence(of: Sample.phone) + 1,
              fingerprint: .random(using: &generator)))
        }
        let operations = generator.segment().transactions[0].operations
        let isStale = author.position.sequence > 2 && Bool.random(using: &generator)
        written.append(
          author.write(operations, seen: seen, nonce: generator.next(), own: isStale ? 1 : nil))
      }
      var position = StreamPosition.start
      for (segment, transaction) in zip(author.segments, written) {
        let again = try SegmentFile.decode(SegmentFile.encode(segment).bytes).segment
        let read = try again.transactions(after: position)
        #expect(read.map(\.header) == [transaction.header])
        #expect(read.map(\.operations) == [transaction.operations])
        position = StreamPosition(after: transaction.header)
      }
    }
  }

  @Test("is the same for the first and the last sequence, time and index that there are")
  func extremes() throws {
    let last = UInt64(Int64.max) - 1
    let insert = Dot(stream: Sample.phone, sequence: last, index: .max)
    let segment = Segment(
      range: Segment.Range(
        container: ContainerID(rawValue: .max), stream: StreamID(rawValue: .max), first: last,
        last: last, fingerprintBefore: Fingerprint(rawValue: .max)),
      attributes: [Segment.Attribute(number: .max, content: [])],
      transactions: [
        EncodedTransaction(
          time: HybridTime.latest.rawValue, nonce: .max, isRelative: true, hasSeenOwn: true,
          changes: [
            Context.Entry(
              stream: Sample.phone, sequence: last, fingerprint: Fingerprint(rawValue: .max))
          ],
          operations: [.clear(GoldenSegments.note, insert: insert)])
      ])
    let again = try SegmentFile.decode(SegmentFile.encode(segment).bytes).segment
    #expect(again.range == segment.range)
    #expect(again.transactions == segment.transactions)
    #expect(again.attributes == segment.attributes)
  }
}
