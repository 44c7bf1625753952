import SegmentFormat
import TestSupport
import Testing

@Suite("A segment with a flipped bit") struct FlippedBitTests {
  // Lesson 4.
  @Test("is refused, whichever bit it is")
  func everyBit() {
    for golden in GoldenSegments.all {
      let bytes = SegmentFile.encode(golden.segment).bytes
      for position in bytes.indices {
        for bit in 0..<8 {
          var copy = bytes
          copy[position] ^= 1 << UInt8(bit)
          let error = refusal(of: copy)
          #expect(error != nil, "\(golden.name): bit \(bit) of byte \(position)")
        }
      }
    }
  }

  @Test("is refused in a large segment, whichever byte it is")
  func everyByteOfLarge() {
    var generator = SeededGenerator(seed: 4)
    var author = StreamAuthor(stream: Sample.laptop)
    author.write(
      (0..<200).map { number in
        .set(
          GoldenSegments.note, insert: author.nextDot(), "/field\(number)",
          .string(.init(generator.bytes(20).map { String($0) }.joined())))
      })
    let bytes = SegmentFile.encode(author.segments[0]).bytes
    #expect(bytes.count > 4000)
    for position in bytes.indices {
      var copy = bytes
      copy[position] ^= UInt8(1 + generator.below(255))
      let error = refusal(of: copy)
      #expect(error != nil, "byte \(position)")
    }
  }

  @Test("is never taken for a newer format")
  func isNotNewer() {
    let bytes = SegmentFile.encode(GoldenSegments.ranged).bytes
    for value in UInt8.min ... .max where value != bytes[5] {
      var copy = bytes
      copy[5] = value
      let error = refusal(of: copy)
      #expect(error?.isDamage == true, "minimum reader \(value)")
    }
  }
}
