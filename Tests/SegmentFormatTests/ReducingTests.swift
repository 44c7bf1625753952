import Replication
import SegmentFormat
import Testing

@Suite("Segments of which operations are dropped") struct ReducingTests {
  /// Six transactions: an insert of two operations, four edits, and one without operations.
  private static let author = {
    var author = StreamAuthor(stream: Sample.laptop)
    let note = GoldenSegments.note
    let insert = author.nextDot()
    author.write(
      [.clear(note, insert: insert), .set(note, insert: insert, "/n", .integer(0))],
      attributes: [.deviceName("laptop")])
    for number in 1...4 {
      let seen = Context([
        Context.Entry(
          stream: Sample.phone, sequence: UInt64(number),
          fingerprint: Fingerprint(rawValue: UInt128(number)))
      ])
      author.write([.set(note, insert: insert, "/n", .integer(Int64(number)))], seen: seen)
    }
    let seen = Context([
      Context.Entry(stream: Sample.phone, sequence: 9, fingerprint: Fingerprint(rawValue: 9))
    ])
    author.write([], seen: seen)
    return author
  }()

  private static let whole: [Transaction] = {
    var position = StreamPosition.start
    return author.segments.flatMap { segment in
      let transactions = (try? segment.transactions(after: position)) ?? []
      if let last = transactions.last { position = StreamPosition(after: last.header) }
      return transactions
    }
  }()

  /// All of them, less the value of the insert and all edits but one, written and read again.
  private static func reduced(keeping kept: UInt64) throws -> Segment {
    let segment = try Segment(
      joining: author.segments,
      dropping: { $0.sequence == 1 ? $0.index == 1 : $0.sequence != kept }, as: Sample.statement)
    return try SegmentFile.decode(SegmentFile.encode(segment).bytes).segment
  }

  @Test("keep what is left under its own name, and say nothing of the rest")
  func left() throws {
    let segment = try Self.reduced(keeping: 4)
    #expect(segment.transactions.map(\.span) == [1, 3, 2])
    let transactions = try segment.transactions(after: .start)
    #expect(transactions.map(\.header.sequence) == [1, 2, 3, 4, 5, 6])
    #expect(transactions.map(\.operations.count) == [1, 0, 0, 1, 0, 0])
    for index in [0, 3] {
      #expect(transactions[index].stamp(0) == Self.whole[index].stamp(0))
      #expect(transactions[index].operations[0] == Self.whole[index].operations[0])
    }
    // With what its author had seen of others.
    #expect(transactions[3].header.context == Self.whole[3].header.context)
  }

  @Test("tell what the first transaction had seen, also if nothing is left of that")
  func first() throws {
    let segment = try Segment(
      joining: Array(Self.author.segments[2...]),
      after: StreamPosition(after: Self.whole[1].header), dropping: { $0.sequence < 5 },
      as: Sample.statement)
    #expect(segment.transactions.map(\.span) == [1, 2, 1])
    let behind = StreamPosition(
      sequence: 2, fingerprint: segment.range.fingerprintBefore, context: Context())
    let transactions = try segment.transactions(after: behind)
    #expect(transactions.map(\.operations.count) == [0, 0, 1, 0])
    #expect(transactions[0].header.context == Self.whole[2].header.context)
    // Of what comes later it is not said: whatever has an operation behind it tells its own.
    #expect(transactions[1].header.context.streams == [Sample.laptop])
  }

  @Test("keep a value in the midst of a transaction at its place")
  func places() throws {
    let segment = try Segment(
      joining: [Self.author.segments[0]], dropping: { $0.index == 0 }, as: Sample.statement)
    let again = try SegmentFile.decode(SegmentFile.encode(segment).bytes).segment
    let transaction = try #require(try again.transactions(after: .start).first)
    #expect(transaction.stamp(0).dot.index == 1)
    #expect(transaction.operations == [Self.whole[0].operations[1]])
  }

  @Test("go on with the stream's own fingerprints")
  func fingerprints() throws {
    let transactions = try Self.reduced(keeping: 4).transactions(after: .start)
    #expect(transactions.map(\.header.fingerprint) == Self.whole.map(\.header.fingerprint))
  }

  @Test("are followed by whole transactions whose fingerprints are computed")
  func followed() throws {
    let front = try Segment(
      joining: Array(Self.author.segments[..<4]), dropping: { $0.sequence < 4 },
      as: Sample.statement)
    let joined = try Segment(joining: [front] + Self.author.segments[4...])
    let transactions = try joined.transactions(after: .start)
    #expect(transactions[4].reduction == nil)
    #expect(transactions[5].header == Self.whole[5].header)
  }

  @Test("say what their writer had applied, all of them together")
  func statement() throws {
    let other = DropStatement(
      applied: Context([
        Context.Entry(
          stream: Sample.phone, sequence: 3, fingerprint: Fingerprint(rawValue: 3))
      ]), historyStart: HybridTime(milliseconds: Sample.startMilliseconds + 90_000))
    let front = try Segment(
      joining: Array(Self.author.segments[..<3]), dropping: { $0.sequence > 1 },
      as: Sample.statement)
    let back = try Segment(
      joining: Array(Self.author.segments[3...]),
      after: StreamPosition(after: Self.whole[2].header), dropping: { $0.sequence != 4 }, as: other)
    let joined = try Segment(joining: [front, back])
    let again = try SegmentFile.decode(SegmentFile.encode(joined).bytes).segment
    #expect(
      again.statement?.applied.entries
        == (Sample.statement.applied.entries + other.applied.entries).sorted())
    #expect(again.statement?.historyStart == other.historyStart)
    #expect(throws: SegmentError.self) {
      _ = try Segment(joining: Self.author.segments, dropping: { $0.sequence > 1 })
    }
    #expect(try Segment(joining: Self.author.segments).statement == nil)
  }

  @Test("claim nothing of others where nothing is left: two streams could wait for each other")
  func claimsOfLeftOut() throws {
    let transactions = try Self.reduced(keeping: 4).transactions(after: .start)
    for transaction in transactions where transaction.reduction == .leftOut {
      #expect(transaction.header.context.streams.allSatisfy { $0 == Sample.laptop })
    }
    // The last one stands there whole: what follows builds on it.
    #expect(transactions.last?.header.context == Self.whole.last?.header.context)
  }

  @Test("close as the whole ones do")
  func closes() throws {
    var frontier = Frontier()
    var previous = Fingerprint.origin
    for transaction in try Self.reduced(keeping: 4).transactions(after: .start) {
      let own = transaction.header.context.entry(of: Sample.laptop)
      #expect(own?.sequence ?? 0 == transaction.header.sequence - 1)
      #expect(own?.fingerprint ?? .origin == previous)
      let header = Transaction.Header(
        stream: Sample.laptop, sequence: transaction.header.sequence,
        time: transaction.header.time,
        context: Context(transaction.header.context.entries(of: Sample.laptop)),
        nonce: transaction.header.nonce, fingerprint: transaction.header.fingerprint)
      frontier.apply(header, after: previous)
      previous = header.fingerprint
    }
    _ = frontier.close()
    #expect(frontier.closed.sequence(of: Sample.laptop) == 6)
  }

  @Test("can be read on from any of their transactions, also one that is left out")
  func readOn() throws {
    let segment = try Self.reduced(keeping: 4)
    for (index, transaction) in Self.whole.enumerated() {
      let position = StreamPosition(after: transaction.header)
      let rest = try segment.transactions(after: position)
      #expect(rest.count == Self.whole.count - index - 1)
      let other = StreamPosition(
        sequence: position.sequence, fingerprint: Fingerprint(rawValue: 77),
        context: Context())
      guard index + 1 < Self.whole.count else { continue }
      #expect(throws: SegmentError.otherBranch) { _ = try segment.transactions(after: other) }
    }
  }

  @Test("come to the same, whether all is dropped at once or one after another")
  func stepwise() throws {
    let once = SegmentFile.encode(try Self.reduced(keeping: 4))
    let first = try Self.reduced(keeping: 4)
    let twice = try Segment(joining: [first], dropping: { _ in false })
    #expect(SegmentFile.encode(twice).digest == once.digest)
    let front = try Segment(
      joining: Array(Self.author.segments[..<3]), dropping: { $0 != Self.insert },
      as: Sample.statement)
    let back = try Segment(
      joining: Array(Self.author.segments[3...]),
      after: StreamPosition(after: Self.whole[2].header), dropping: { $0.sequence != 4 },
      as: Sample.statement)
    let joined = try Segment(joining: [front, back], dropping: { _ in false })
    #expect(SegmentFile.encode(joined).digest == once.digest)
  }

  private static let insert = Dot(stream: Sample.laptop, sequence: 1, index: 0)

  @Test("are for readers of format 2, and others stay what they were, unless they are compressed")
  func version() throws {
    let (reduced, whole) = try (Self.reduced(keeping: 4), Segment(joining: Self.author.segments))
    let versions = [reduced, whole].map { segment in
      [false, true].map { Array(SegmentFile.encode(segment, compressing: $0).bytes[4..<6]) }
    }
    #expect(versions == [[[2, 2], [3, 3]], [[1, 1], [3, 3]]])
  }

  @Test("are damaged if they do not say well what their writer had applied")
  func unstated() throws {
    let segment = try Self.reduced(keeping: 4)
    let content = Sample.statement.stored.content
    let wrong: [Segment.Attribute] = [
      Segment.Attribute(number: 5, content: content),
      Segment.Attribute(number: 4, content: []),
      Segment.Attribute(number: 4, content: Array(content.dropLast())),
      Segment.Attribute(number: 4, content: content + [0]),
      Segment.Attribute(number: 4, content: [0xFF] + content.dropFirst()),
    ]
    for attribute in wrong {
      let bytes = SegmentFile.encode(
        Segment(
          range: segment.range, attributes: [attribute], transactions: segment.transactions)
      ).bytes
      #expect(refusal(of: bytes)?.isDamage == true)
    }
  }

  @Test("are damaged if they call themselves whole, or name places that cannot be")
  func damaged() throws {
    var frame = SegmentFrame(try Self.reduced(keeping: 4))
    #expect(refusal(of: frame.bytes) == nil)
    frame.minimumReader = 1
    #expect(refusal(of: frame.bytes)?.isDamage == true)
    for entry in [
      Self.entry(count: 1, places: [1]), Self.entry(count: 2, places: [0, 1]),
      Self.entry(leftOut: [1, 2], count: 1, places: [0]),
      Self.entry(leftOut: [], count: 1, places: [0]),
    ] {
      let range = Segment.Range(
        container: Sample.container, stream: Sample.laptop, first: 1, last: 2,
        fingerprintBefore: .origin)
      let bytes = SegmentFile.encode(
        Segment(range: range, attributes: [Sample.statement.stored], transactions: [entry])
      ).bytes
      #expect(refusal(of: bytes)?.isDamage == true)
    }
  }

  @Test("are damaged if they lean on what another file holds, also alone")
  func leaning() throws {
    for (nonce, isRelative) in [(nil, false), (1, true), (1, false)] as [(UInt64?, Bool)] {
      let range = Segment.Range(
        container: Sample.container, stream: Sample.laptop, first: 2, last: 2,
        fingerprintBefore: Fingerprint(rawValue: 5))
      let entry = Self.entry(
        leftOut: [], count: 2, places: [0], nonce: nonce, isRelative: isRelative)
      let bytes = SegmentFile.encode(
        Segment(range: range, attributes: [Sample.statement.stored], transactions: [entry])
      ).bytes
      #expect(refusal(of: bytes)?.isDamage ?? false == entry.leansOnPrevious)
    }
  }

  private static func entry(
    leftOut: [UInt128] = [5], count: Int, places: [Int], nonce: UInt64? = 1,
    isRelative: Bool = false
  ) -> EncodedTransaction {
    EncodedTransaction(
      time: 1 << 16, nonce: nonce, isRelative: isRelative, hasSeenOwn: true, changes: [],
      operations: [.clear(GoldenSegments.note, insert: insert)],
      reduced: EncodedTransaction.Reduced(
        leftOut: leftOut.map { Fingerprint(rawValue: $0) }, fingerprint: .origin,
        partial: Reduction.Partial(count: count, places: places)))
  }
}
