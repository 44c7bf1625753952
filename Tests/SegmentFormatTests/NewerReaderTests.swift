import SegmentFormat
import Testing

@Suite("A segment for a newer reader") struct NewerReaderTests {
  @Test("is named as such, whatever stands behind its first numbers")
  func newer() {
    for minimum in [4, 5, 127, 128, .max] as [UInt64] {
      var frame = SegmentFrame(GoldenSegments.ranged)
      frame.version = minimum
      frame.minimumReader = minimum
      frame.setBody([0xFF, 0xFF, 0xFF])
      let error = refusal(of: frame.bytes)
      #expect(error == .newer(minimumReader: minimum))
    }
  }

  @Test("is read if only its own version is newer")
  func compatible() {
    var frame = SegmentFrame(GoldenSegments.ranged)
    frame.version = 9
    let error = refusal(of: frame.bytes)
    #expect(error == nil)
  }

  @Test("is not newer but still growing if its end is missing")
  func cut() {
    var frame = SegmentFrame(GoldenSegments.ranged)
    frame.version = 4
    frame.minimumReader = 4
    let bytes = frame.bytes
    for count in 0..<bytes.count {
      let error = refusal(of: Array(bytes[..<count]))
      #expect(error == .incomplete || error?.isDamage == true, "cut to \(count)")
    }
  }

  @Test("is damaged if its versions contradict each other")
  func contradiction() {
    var older = SegmentFrame(GoldenSegments.ranged)
    older.version = 0
    var none = SegmentFrame(GoldenSegments.ranged)
    none.minimumReader = 0
    for frame in [older, none] {
      let error = refusal(of: frame.bytes)
      #expect(error?.isDamage == true)
    }
  }
}
