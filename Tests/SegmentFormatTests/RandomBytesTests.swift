import Replication
import SegmentFormat
import TestSupport
import Testing

@Suite("Random bytes") struct RandomBytesTests {
  @Test("are refused without a crash")
  func garbage() {
    var generator = SeededGenerator(seed: 20_000)
    for _ in 0..<8000 {
      let count = generator.below(200)
      let bytes = generator.bytes(count)
      let error = refusal(of: bytes)
      #expect(error != nil)
    }
  }

  @Test("behind a right beginning are refused without a crash")
  func garbageBehindMagic() {
    var generator = SeededGenerator(seed: 20_001)
    for _ in 0..<4000 {
      let count = generator.below(200)
      let bytes = SegmentFile.magic + [1, 1] + generator.bytes(count)
      let error = refusal(of: bytes)
      #expect(error != nil)
    }
  }

  @Test("as content under a right checksum never crash")
  func garbageContent() {
    var generator = SeededGenerator(seed: 20_002)
    var refused = 0
    for _ in 0..<4000 {
      let count = generator.below(120)
      var frame = SegmentFrame(body: generator.bytes(count))
      frame.span = UInt64(generator.below(4))
      frame.operationCount = UInt64(generator.below(3))
      if Bool.random(using: &generator) { frame.compress() }
      guard let error = refusal(of: frame.bytes) else { continue }
      refused += 1
      // What is there to its end, as it was written, never waits for more, and it is the content
      // that is wrong.
      #expect(error.isDamage && error != .damaged("the checksum is wrong"))
    }
    #expect(refused > 0)
  }

  @Test("in the content of a real segment under a right checksum never crash")
  func mutatedContent() {
    var generator = SeededGenerator(seed: 20_003)
    var accepted = 0
    for _ in 0..<4000 {
      var frame = SegmentFrame(generator.segment())
      for _ in 0...generator.below(3) where !frame.stored.isEmpty {
        frame.stored[generator.below(frame.stored.count)] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      guard let decoded = try? SegmentFile.decode(frame.bytes) else { continue }
      // What was accepted must be usable.
      accepted += 1
      let segment = decoded.segment
      let start = StreamPosition(
        sequence: segment.range.first - 1, fingerprint: segment.range.fingerprintBefore,
        context: Context(), nonce: 1)
      do {
        let transactions = try segment.transactions(after: start)
        #expect(transactions.count == segment.transactions.reduce(0) { $0 + Int($1.span) })
      } catch {
        // What refers to the transaction before, times and contexts, is judged when it is known.
        #expect(error.isDamage)
      }
      _ = SegmentFile.encode(segment)
    }
    #expect(accepted > 0)
  }
}
