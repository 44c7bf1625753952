import Replication
import SegmentFormat
import TestSupport
import Testing

@Suite("Compression") struct CompressionTests {
  @Test("does not change what a segment is")
  func sameDigest() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let segment = generator.segment()
      let packed = SegmentFile.encode(segment)
      let plain = SegmentFile.encode(segment, compressing: false)
      #expect(packed.digest == plain.digest)
      for dictionary in DeflateDictionary.allCases {
        var frame = SegmentFrame(segment)
        frame.compress(with: dictionary)
        let repacked = try SegmentFile.decode(frame.bytes)
        #expect(repacked.digest == plain.digest)
        #expect(repacked.segment.transactions == segment.transactions)
      }
    }
  }

  @Test("does not change the fingerprints")
  func sameFingerprints() throws {
    let segment = GoldenSegments.ranged
    let start = StreamPosition.start
    let expected = try segment.transactions(after: start).map(\.header.fingerprint)
    for compressing in [true, false] {
      let bytes = SegmentFile.encode(segment, compressing: compressing).bytes
      let again = try SegmentFile.decode(bytes).segment
      let found = try again.transactions(after: start).map(\.header.fingerprint)
      #expect(found == expected)
    }
  }

  @Test("is left out where it does not pay")
  func smallest() {
    var generator = SeededGenerator(seed: 4)
    let segments = GoldenSegments.all.map(\.segment) + (0..<200).map { _ in generator.segment() }
    var leftOut = 0
    for segment in segments {
      let packed = SegmentFile.encode(segment).bytes
      let plain = SegmentFile.encode(segment, compressing: false).bytes
      if packed == plain { leftOut += 1 } else { #expect(packed.count < plain.count) }
    }
    #expect((1..<segments.count).contains(leftOut))
  }

  @Test("unpacks what it packed, and nothing else")
  func deflate() {
    var generator = SeededGenerator(seed: 5)
    for count in [0, 1, 2, 1000, 100_000] {
      let bytes = (0..<count).map { _ in UInt8(generator.below(4)) }
      let packed = Deflate.compress(bytes)
      #expect(Deflate.decompress(packed[...], count: count) == bytes)
      #expect(Deflate.decompress(packed[...], count: count + 1) == nil)
      if count > 0 { #expect(Deflate.decompress(packed[...], count: count - 1) == nil) }
      #expect(Deflate.decompress((packed + [0])[...], count: count) == nil)
      #expect(Deflate.decompress(packed.dropLast(), count: count) == nil)
    }
  }
}
