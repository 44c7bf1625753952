import CanonicalJSON
import Replication
import SegmentFormat
import Testing

/// It stands once in a file, and the form that is fingerprinted has it once an operation.
@Suite("A path that many operations share") struct SharedPathTests {
  @Test("is refused where it is longer than a document can be")
  func longer() {
    for (count, isRefused) in [
      (SegmentFile.maximumPathBytes, false), (SegmentFile.maximumPathBytes + 1, true),
    ] {
      var body = Self.tables(pathBytes: count)
      body.numbers(10, 4, 0)
      Self.operations(1, &body)
      let error = refusal(of: Self.frame(body, operations: 1).bytes)
      #expect((error != nil) == isRefused)
    }
  }

  @Test("is refused where those of one transaction come to more than anybody writes")
  func together() {
    let most = UInt64(SegmentFile.maximumTransactionBytes / Self.operationBytes)
    for (count, isRefused) in [(most, false), (most + 1, true)] {
      var body = Self.tables(pathBytes: 1 << 20)
      body.numbers(10, 4, 0)
      Self.operations(count, &body)
      let error = refusal(of: Self.frame(body, operations: count).bytes)
      #expect((error != nil) == isRefused)
    }
  }

  @Test("may come to more in several transactions")
  func apart() {
    let most = UInt64(SegmentFile.maximumTransactionBytes / Self.operationBytes)
    var body = Self.tables(pathBytes: 1 << 20)
    body.numbers(2, 4)
    body.raw([UInt8](repeating: 0, count: 8))
    body.numbers(0)
    Self.operations(most, &body)
    body.numbers(11, 4, 0)
    Self.operations(most, &body)
    var frame = Self.frame(body, operations: most * 2)
    frame.span = 1
    let error = refusal(of: frame.bytes)
    #expect(error == nil)
  }

  @Test("gives the fingerprint of the whole form, which is made in pieces")
  func pieces() throws {
    let key = ByteString(String(repeating: "k", count: 700_000))
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    let written = author.write(
      (0..<7).map { number in
        Operation(
          document: GoldenSegments.note, insert: insert, path: Path(keys: [key]), kind: .set,
          payload: Leaf(.integer(number))?.bytes ?? [])
      })
    let file = SegmentFile.encode(author.segments[0]).bytes
    let read = try SegmentFile.decode(file).segment.transactions(after: .start)
    #expect(read.map(\.header) == [written.header])
  }

  @Test("takes no memory for each of them, nor does an id")
  func memory() throws {
    let count: UInt64 = 1 << 20
    var body = SegmentBodyWriter()
    body.numbers(0, 0, 1, 1)
    body.raw(Array("n".utf8))
    body.numbers(1, 2)
    body.raw([0, UInt8(ascii: "a")])
    body.numbers(1, 0, 1024)
    body.raw([UInt8](repeating: UInt8(ascii: "i"), count: 1024))
    body.numbers(0, 0)
    body.numbers(2, 4)
    body.raw([UInt8](repeating: 0, count: 8))
    body.numbers(0)
    Self.operations(count, &body)
    let segment = try SegmentFile.decode(Self.frame(body, operations: count).bytes).segment
    let before = try Memory.reserved()
    #expect(try segment.transactions(after: .start).count == 1)
    #expect(try Memory.peakReserved() - before < 1 << 30)
  }

  /// What one of these operations comes to under a path of 1 MiB.
  private static let operationBytes = 1 << 20 + 1 + SegmentFile.operationBytes

  /// A collection, a path, and a document inserted by transaction 1.
  private static func tables(pathBytes: Int) -> SegmentBodyWriter {
    var body = SegmentBodyWriter()
    body.numbers(0, 0, 1, 1)
    body.raw(Array("n".utf8))
    body.numbers(1, UInt64(pathBytes))
    body.raw([0] + [UInt8](repeating: UInt8(ascii: "k"), count: pathBytes - 1))
    body.numbers(1, 0, 1)
    body.raw(Array("x".utf8))
    body.numbers(0, 0)
    return body
  }

  /// How many they are, and so many that set the path to null.
  private static func operations(_ count: UInt64, _ body: inout SegmentBodyWriter) {
    body.numbers(count, 0 << 3 | 1 << 1 | 1, 0)
    body.raw([UInt8](Array(repeatElement([1, 0], count: Int(count) - 1).joined())))
  }

  private static func frame(_ body: SegmentBodyWriter, operations count: UInt64) -> SegmentFrame {
    var frame = SegmentFrame(body: body.bytes)
    frame.operationCount = count
    return frame
  }
}
