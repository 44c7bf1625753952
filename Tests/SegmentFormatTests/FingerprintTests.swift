import Replication
import SegmentFormat
import Testing

@Suite("Fingerprints") struct FingerprintTests {
  private static func chain(
    nonces: [UInt64], pointer: String = "/title"
  ) -> [Fingerprint] {
    var author = StreamAuthor(stream: Sample.laptop)
    return nonces.map { nonce in
      let insert = Dot(stream: Sample.laptop, sequence: 1, index: 0)
      return author.write(
        [.set(GoldenSegments.note, insert: insert, pointer, .integer(1))], nonce: nonce
      ).header.fingerprint
    }
  }

  @Test("are the same for the same transactions")
  func same() {
    #expect(Self.chain(nonces: [1, 2, 3]) == Self.chain(nonces: [1, 2, 3]))
  }

  @Test("differ by the nonce, and from there on in all that follows")
  func nonce() {
    let one = Self.chain(nonces: [1, 2, 3])
    let other = Self.chain(nonces: [1, 9, 3])
    #expect(one[0] == other[0])
    #expect(one[1] != other[1])
    #expect(one[2] != other[2])
  }

  @Test("differ by the content")
  func content() {
    #expect(Self.chain(nonces: [1]) != Self.chain(nonces: [1], pointer: "/titlf"))
  }

  @Test("bind each transaction to all before it: another past is another branch")
  func branch() throws {
    var author = StreamAuthor(stream: Sample.laptop)
    var clone = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    author.write([.clear(GoldenSegments.note, insert: insert)], nonce: 1)
    clone.write([.clear(GoldenSegments.note, insert: insert)], nonce: 2)
    clone.write([.set(GoldenSegments.note, insert: insert, "/a", .integer(1))])
    let second = clone.segments[1]
    #expect(throws: SegmentError.otherBranch) {
      _ = try second.transactions(after: author.position)
    }
  }

  @Test("are checked where a segment overlaps what is applied already")
  func overlap() throws {
    let ranged = GoldenSegments.ranged
    let whole = try ranged.transactions(after: .start)
    let second = StreamPosition(after: whole[1].header)
    let rest = try ranged.transactions(after: second)
    #expect(rest.map(\.header) == [whole[2].header])
    let forged = StreamPosition(
      sequence: 2, fingerprint: Fingerprint(rawValue: 77), context: Context())
    #expect(throws: SegmentError.otherBranch) { _ = try ranged.transactions(after: forged) }
    let all = try ranged.transactions(after: StreamPosition(after: whole[2].header))
    #expect(all.isEmpty)
  }
}
