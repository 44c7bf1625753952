import CanonicalJSON
import Replication
import SegmentFormat
import Testing

@Suite("Content that lies") struct LyingContentTests {
  @Test("about how many of something follow is refused", arguments: 0..<5)
  func tableCounts(table: Int) {
    for count in [1, 2, 1000, 1 << 40, .max] as [UInt64] {
      var body = SegmentBodyWriter()
      for _ in 0..<table { body.numbers(0) }
      body.numbers(count)
      let error = refusal(of: SegmentFrame(body: body.bytes).bytes)
      #expect(error?.isDamage == true, "table \(table), \(count)")
    }
  }

  @Test("about its transactions is refused")
  func transactions() {
    // Flags (10: has seen its own stream, leans on the nonce before), time, entries, operations.
    let lies: [(String, [UInt64])] = [
      ("nothing", []),
      ("unknown flags", [26, 4, 0, 0]),
      ("time zero", [10, 0, 0, 0]),
      ("time beyond the year 9999", [10, HybridTime.latest.rawValue + 1, 0, 0]),
      ("no nonce", [2, 4, 0, 0]),
      ("entries beyond the content", [10, 4, .max, 0]),
      ("operations beyond the content", [10, 4, 0, .max]),
      ("bytes behind the last", [10, 4, 0, 0, 0]),
      ("an extension that does not follow", [14, 4, 0, 0, 100]),
    ]
    for (name, numbers) in lies {
      var body = SegmentBodyWriter()
      body.emptyTables()
      for number in numbers { body.numbers(number) }
      let error = refusal(of: SegmentFrame(body: body.bytes).bytes)
      #expect(error?.isDamage == true, "\(name)")
    }
  }

  @Test("is not confused with a transaction of no operations, nor with an extension")
  func control() {
    var plain = SegmentBodyWriter()
    plain.emptyTables()
    plain.numbers(10, 4, 0, 0)
    var extended = SegmentBodyWriter()
    extended.emptyTables()
    extended.numbers(14, 4, 0, 0, 3)
    extended.raw([1, 2, 3])
    for body in [plain, extended] {
      let error = refusal(of: SegmentFrame(body: body.bytes).bytes)
      #expect(error == nil)
    }
  }

  @Test("is refused if the first of several contexts leans on another file")
  func leaning() {
    var body = SegmentBodyWriter()
    body.emptyTables()
    body.numbers(11, 4, 0, 0)
    body.numbers(11, 4, 0, 0)
    var frame = SegmentFrame(body: body.bytes)
    frame.first = 5
    frame.span = 1
    let error = refusal(of: frame.bytes)
    #expect(error?.isDamage == true)
  }

  @Test("of an operation on a counter or a set is refused")
  func kinds() {
    let lies: [(String, Operation)] = [
      ("no amount", lie(.increment, ["n"], [])),
      ("more behind the amount", lie(.increment, ["n"], [1, 1])),
      ("a long amount", lie(.increment, ["n"], [0x81, 0])),
      ("the document counts", lie(.increment, [], [2])),
      ("no start", lie(.counter, ["n"], [])),
      ("a start that is no integer", lie(.counter, ["n"], [2])),
      ("a start that is a double", lie(.counter, ["n"], Leaf(.double(1))?.bytes ?? [])),
      ("an element with a payload", lie(.add, ["s", "1"], [3])),
      ("an element that is no JSON", lie(.add, ["s", "x"], [])),
      ("an element that is not canonical", lie(.add, ["s", "1.00"], [])),
      ("an element of the document", lie(.add, ["1"], [])),
      ("a set with a payload", lie(.emptySet, ["s"], [0])),
      ("the document is a set", lie(.emptySet, [], [])),
    ]
    for (name, operation) in lies {
      let error = refusal(of: SegmentFile.encode(Self.segment(of: operation)).bytes)
      #expect(error?.isDamage == true, "\(name)")
    }
    for operation in [
      lie(.increment, ["n"], [0x80, 1]), lie(.counter, ["n"], [3, 2]), lie(.add, ["s", "1.0"], []),
      lie(.emptySet, ["s"], []),
    ] {
      let error = refusal(of: SegmentFile.encode(Self.segment(of: operation)).bytes)
      #expect(error == nil, "\(operation.kind.name)")
    }
  }

  private func lie(
    _ kind: OperationKind, _ keys: [ByteString], _ payload: [UInt8]
  ) -> Operation {
    Operation(
      document: GoldenSegments.note, insert: Dot(stream: Sample.laptop, sequence: 1, index: 0),
      path: Path(keys: keys), kind: kind, payload: payload)
  }

  private static func segment(of operation: Operation) -> Segment {
    var author = StreamAuthor(stream: Sample.laptop)
    author.write([operation])
    return author.segments[0]
  }

  @Test("is refused if a value stands in a longer form than it has")
  func longForm() {
    for constant in [0, 1, 2] as [UInt8] {
      var body = SegmentBodyWriter()
      // No attributes or streams; a collection, a path, a document inserted by transaction 1.
      body.numbers(0, 0, 1, 1)
      body.raw(Array("n".utf8))
      body.numbers(1, 2)
      body.raw([0, UInt8(ascii: "a")])
      body.numbers(1, 0, 1)
      body.raw(Array("x".utf8))
      body.numbers(0, 0)
      // One operation: the path, the next document, a set; then one byte behind its length.
      body.numbers(10, 4, 0, 1, 0 << 3 | 1 << 1 | 1, 3)
      body.raw([constant])
      var frame = SegmentFrame(body: body.bytes)
      frame.operationCount = 1
      let error = refusal(of: frame.bytes)
      #expect(error?.isDamage == true)
      // An empty string is one byte, too, and has no other form.
      frame.stored[frame.stored.count - 1] = 6
      let control = refusal(of: frame.bytes)
      #expect(control == nil)
    }
  }

  /// Counts that fit into 64 MiB of unpacked zeros, in a file of some 65 KB.
  @Test("counts that a bomb of zeros would hold take no memory ahead of what is read")
  func bomb() throws {
    var operations = SegmentBodyWriter()
    operations.emptyTables()
    operations.numbers(10, 4, 0, 20 << 20)
    var documents = SegmentBodyWriter()
    documents.numbers(0, 0, 0, 0, 10 << 20)
    var transactions = SegmentBodyWriter()
    transactions.emptyTables()
    for (start, span) in [(operations, 0), (documents, 0), (transactions, 60 << 20)] {
      let body = start.bytes + [UInt8](repeating: 0, count: 64 << 20 - start.bytes.count)
      var frame = SegmentFrame(body: body)
      frame.span = UInt64(span)
      frame.compress()
      let bytes = frame.bytes
      let before = try Memory.reserved()
      let error = refusal(of: bytes)
      #expect(error?.isDamage == true)
      #expect(try Memory.peakReserved() - before < 2 << 30)
    }
  }
}
