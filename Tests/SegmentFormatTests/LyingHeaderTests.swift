import Replication
import SegmentFormat
import Testing

@Suite("A header that lies") struct LyingHeaderTests {
  private static let honest = SegmentFrame(GoldenSegments.ranged)

  @Test("is not confused with an honest one")
  func control() {
    let error = refusal(of: Self.honest.bytes)
    #expect(error == nil)
    #expect(
      Self.honest.bytes == SegmentFile.encode(GoldenSegments.ranged, compressing: false).bytes)
  }

  @Test("is refused, whichever number lies, though the checksum is right")
  func numbers() {
    let lies: [(String, (inout SegmentFrame) -> Void)] = [
      ("operations less", { $0.operationCount -= 1 }),
      ("operations more", { $0.operationCount += 1 }),
      ("operations far more", { $0.operationCount = .max }),
      ("span less", { $0.span -= 1 }),
      ("span more", { $0.span += 1 }),
      ("span far more", { $0.span = UInt64(Int64.max) - 2 }),
      ("span overflow", { $0.span = .max }),
      ("sequence zero", { $0.first = 0 }),
      ("sequence too great", { $0.first = UInt64(Int64.max) }),
      ("body less", { $0.bodyCount -= 1 }),
      ("body more", { $0.bodyCount += 1 }),
      ("body far more", { $0.bodyCount = .max }),
      ("stored less", { $0.storedCount -= 1 }),
      ("stored more", { $0.storedCount += 1 }),
      ("stored far more", { $0.storedCount = .max }),
      ("stored beyond what a file may have", { $0.storedCount = 64 << 20 | 1 }),
      ("unknown compression", { $0.flags = 3 }),
      ("compressed, but is not", { $0.flags = 1 }),
      ("compressed by what its readers do not know", { $0.compress(with: .second, format: 2) }),
      (
        "compressed by the second dictionary, but is not",
        {
          $0.flags = 2
          ($0.version, $0.minimumReader) = (3, 3)
        }
      ),
      ("magic", { $0.magic[0] = 0 }),
    ]
    for (name, lie) in lies {
      var frame = Self.honest
      lie(&frame)
      let error = refusal(of: frame.bytes)
      #expect(error != nil, "\(name)")
    }
  }

  @Test("of many operations that take two bytes each is refused before they take memory")
  func manyOperations() throws {
    var frame = Self.honest
    frame.operationCount = UInt64(SegmentFile.maximumOperations) + 1
    frame.setBody(frame.stored + [UInt8](repeating: 0, count: 2 * SegmentFile.maximumOperations))
    let before = try Memory.peak()
    #expect(refusal(of: frame.bytes)?.isDamage == true)
    #expect(try Memory.peak() - before < 64 << 20)
  }

  @Test("promising more than deflate can hold takes no memory")
  func promise() throws {
    var frame = Self.honest
    frame.compress()
    frame.bodyCount = 64 << 20
    let before = try Memory.peak()
    let bytes = frame.bytes
    for _ in 0..<20 {
      let error = refusal(of: bytes)
      #expect(error?.isDamage == true)
    }
    #expect(try Memory.peak() - before < 64 << 20)
  }

  @Test("promising a little more than deflate can hold is refused before unpacking")
  func ratio() {
    let packed = Deflate.compress([UInt8](repeating: 0, count: 1 << 20))
    #expect(Deflate.decompress(packed[...], count: 1 << 20) != nil)
    #expect(Deflate.decompress(packed[...], count: packed.count * 1032 + 65) == nil)
  }

  @Test("promising 64 MiB that the content does not hold takes no memory")
  func promiseWithinRatio() throws {
    var frame = Self.honest
    // Incompressible, so that unpacking fails early though the promise could be kept.
    frame.stored = [UInt8](repeating: 0xFF, count: 300 << 10)
    frame.storedCount = UInt64(frame.stored.count)
    frame.flags = DeflateDictionary.newest.rawValue
    frame.bodyCount = 64 << 20
    let before = try Memory.peak()
    let error = refusal(of: frame.bytes)
    #expect(error?.isDamage == true)
    #expect(try Memory.peak() - before < 64 << 20)
  }
}
