import SegmentFormat
import Testing

@Suite("A file that is small and would take much memory") struct SmallFileTests {
  /// Each of these operations takes two bytes here, and about eighty in memory.
  @Test("is refused at the first operation beyond the header's number")
  func operations() throws {
    var body = Self.tablesOfOnePath()
    body.numbers(10, 4, 0, 30 << 20, 0 << 3 | 1 << 1 | 1, 0)
    var bytes = body.bytes
    bytes.reserveCapacity(bytes.count + (60 << 20))
    for _ in 1..<(30 << 20) {
      bytes.append(1)
      bytes.append(0)
    }
    var frame = SegmentFrame(body: bytes)
    frame.operationCount = 1
    let file = frame.bytes
    let before = try Memory.reserved()
    let error = refusal(of: file)
    #expect(error == .damaged("the number of operations is wrong"))
    #expect(try Memory.peakReserved() - before < 2 << 30)
  }

  @Test("is refused at the transaction that goes beyond the header's number")
  func transactions() {
    for (count, isRefused) in [(2, false), (1, true)] as [(UInt64, Bool)] {
      var body = Self.tablesOfOnePath()
      body.numbers(2, 4)
      body.raw([UInt8](repeating: 0, count: 8))
      body.numbers(0, 1, 0 << 3 | 1 << 1 | 1, 0)
      body.numbers(11, 4, 0, 1, 0 << 3 | 1 << 1 | 1, 0)
      var frame = SegmentFrame(body: body.bytes)
      frame.span = 1
      frame.operationCount = count
      let error = refusal(of: frame.bytes)
      #expect((error != nil) == isRefused)
    }
  }

  @Test("is refused where a table has more entries than there can be operations")
  func tables() {
    let most = SegmentFile.maximumTableEntries
    for (table, entry, most) in [
      (0, [9, 0], SegmentFile.maximumAttributes), (2, [1, UInt8(ascii: "n")], most),
      (3, [0], most), (4, [0, 1, UInt8(ascii: "x"), 0, 0], most),
    ] as [(Int, [UInt8], Int)] {
      for count in [most, most + 1] {
        let error = refusal(of: Self.frame(of: count, entry, in: table).bytes)
        #expect((error != nil) == (count > most), "table \(table), \(count)")
        #expect(error?.isDamage ?? true)
      }
    }
  }

  /// A transaction without operations behind a table of so many entries that are the same.
  private static func frame(of count: Int, _ entry: [UInt8], in table: Int) -> SegmentFrame {
    var body = SegmentBodyWriter()
    for place in 0..<5 {
      // Documents name a collection.
      if table == 4, place == 2 {
        body.numbers(1)
        body.raw([1, UInt8(ascii: "n")])
      } else {
        body.numbers(place == table ? UInt64(count) : 0)
      }
      guard place == table else { continue }
      body.raw(Array(repeatElement(entry, count: count).joined()))
    }
    body.numbers(10, 4, 0, 0)
    return SegmentFrame(body: body.bytes)
  }

  /// A collection, a path, and a document inserted by transaction 1.
  private static func tablesOfOnePath() -> SegmentBodyWriter {
    var body = SegmentBodyWriter()
    body.numbers(0, 0, 1, 1)
    body.raw(Array("n".utf8))
    body.numbers(1, 2)
    body.raw([0, UInt8(ascii: "a")])
    body.numbers(1, 0, 1)
    body.raw(Array("x".utf8))
    body.numbers(0, 0)
    return body
  }
}
