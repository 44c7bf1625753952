import SegmentFormat
import Testing

@Suite("A segment that ends too early") struct CutTests {
  // Lesson 4.
  @Test("is refused at every offset")
  func everyOffset() {
    for segment in GoldenSegments.all.map(\.segment) {
      let bytes = SegmentFile.encode(segment).bytes
      for count in 0..<bytes.count {
        let error = refusal(of: Array(bytes[..<count]))
        #expect(error == .incomplete || error?.isDamage == true, "cut to \(count)")
      }
      #expect(refusal(of: bytes) == nil)
    }
  }

  @Test("is incomplete, not damaged: what is missing may still come")
  func isIncomplete() {
    let bytes = SegmentFile.encode(GoldenSegments.ranged).bytes
    for count in 0..<bytes.count {
      let error = refusal(of: Array(bytes[..<count]))
      #expect(error == .incomplete, "cut to \(count)")
    }
  }

  @Test("is incomplete if it has no bytes at all")
  func empty() {
    let error = refusal(of: [])
    #expect(error == .incomplete)
  }

  @Test("is refused if zeros stand for the bytes that have not come")
  func zeroFilled() {
    let bytes = SegmentFile.encode(GoldenSegments.ranged).bytes
    for count in 0..<bytes.count {
      let filled = bytes[..<count] + [UInt8](repeating: 0, count: bytes.count - count)
      guard !filled.elementsEqual(bytes) else { continue }
      let error = refusal(of: Array(filled))
      #expect(error != nil, "zeros from \(count)")
    }
  }

  @Test("is damaged if bytes follow it")
  func trailingBytes() {
    let bytes = SegmentFile.encode(GoldenSegments.ranged).bytes
    for extra in [[0], [0, 0, 0, 0, 0, 0, 0, 0], bytes] as [[UInt8]] {
      let error = refusal(of: bytes + extra)
      #expect(error?.isDamage == true)
    }
  }
}
