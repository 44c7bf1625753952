import CanonicalJSON
import Replication
import SegmentFormat

/// The segments that stand in `fixtures/segments`: fixed for ever, since devices out there hold
/// such files.
enum GoldenSegments {
  static let note = DocumentKey(collection: "notes", id: "shopping")

  static let all: [(name: String, segment: Segment)] = [
    ("first-transaction", first), ("delete", deletion), ("stale-base", staleBase),
    ("ranged", ranged), ("unicode", unicode), ("value-types", valueTypes),
    ("counters-and-sets", countersAndSets), ("unknown-kind", unknownKind),
    ("reduced", reduced),
    // As written since there is a second dictionary.
    ("ranged-2", ranged), ("unicode-2", unicode),
  ]

  /// Six transactions of which one is whole, one has lost a value, and three are left out.
  static let reduced: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    author.write(
      [
        .clear(note, insert: insert), .set(note, insert: insert, "/title", .string("Milk")),
        .set(note, insert: insert, "/done", .bool(false)),
      ], attributes: [.deviceName("laptop")])
    for count in 1...3 {
      author.write([.set(note, insert: insert, "/n", .integer(Int64(count)))])
    }
    author.write([.set(note, insert: insert, "/title", .string("Bread"))])
    author.write([.set(note, insert: insert, "/n", .integer(4))])
    let left: Set<UInt64> = [1, 5, 6]
    let reduced = try? Segment(
      joining: Array(author.segments[..<5]),
      dropping: { $0.sequence == 1 ? $0.index == 1 : !left.contains($0.sequence) },
      as: Sample.statement)
    // What has come since is joined without dropping anything.
    guard let reduced, let all = try? Segment(joining: [reduced, author.segments[5]]) else {
      preconditionFailure("consecutive segments can be joined")
    }
    return all
  }()

  /// A device's first segment, which tells its name.
  static let first: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    author.write(
      [
        .clear(note, insert: insert),
        .set(note, insert: insert, "/title", .string("Milk")),
        .set(note, insert: insert, "/done", .bool(false)),
      ], attributes: [.deviceName("Ann's laptop")])
    return author.segments[0]
  }()

  /// A document of another device is deleted; the context leans on the transaction before.
  static let deletion: Segment = {
    var author = StreamAuthor(stream: Sample.phone)
    author.write([.clear(note, insert: author.nextDot())])
    author.write(
      [.delete(note, insert: Dot(stream: Sample.laptop, sequence: 1, index: 0))],
      seen: laptopSeen(2))
    return author.segments[1]
  }()

  /// A write whose base was older than what its author had written itself.
  static let staleBase: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    author.write([.clear(note, insert: insert)])
    author.write([.set(note, insert: insert, "/title", .string("Milk"))])
    author.write([.set(note, insert: insert, "/title", .string("Bread"))], own: 1)
    return author.segments[2]
  }()

  /// Three transactions, which have seen more and more of two other streams.
  static let ranged: Segment = {
    var author = StreamAuthor(stream: Sample.phone)
    let insert = author.nextDot()
    author.write([.clear(note, insert: insert)], attributes: [.deviceName("phone")])
    author.write(
      [.set(note, insert: insert, "/title", .string("Milk"))], seen: laptopSeen(1), nonce: 1)
    var seen = laptopSeen(2)
    seen.advance(
      Context.Entry(
        stream: StreamID(rawValue: 3), sequence: 40, fingerprint: Fingerprint(rawValue: 99)))
    let other = DocumentKey(collection: "lists", id: "1")
    author.write(
      [.clear(other, insert: author.nextDot()), .remove(note, insert: insert, "/title")],
      seen: seen, nonce: 1)
    return (try? Segment(joining: author.segments)) ?? author.segments[0]
  }()

  /// Ids that must not be normalised, and keys that a JSON Pointer or a path escapes.
  static let unicode: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let composed = DocumentKey(collection: "a-z.0_9", id: "caf\u{E9}")
    let decomposed = DocumentKey(collection: "a-z.0_9", id: "cafe\u{301}")
    let path = Path(keys: ["a/b", "c~d", "", "\u{0}\u{1}", "日本", "😀"])
    author.write([
      .clear(composed, insert: author.nextDot(0)),
      .clear(decomposed, insert: author.nextDot(1)),
      Operation(
        document: decomposed, insert: author.nextDot(1), path: path, kind: .set,
        payload: Leaf(.string("\"\\\u{7}\u{2028}é"))?.bytes ?? []),
    ])
    return author.segments[0]
  }()

  /// A value of each type, with those at their borders.
  static let valueTypes: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    let values: [JSON] = [
      .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(.min),
      .integer(.max), JSON(UInt64.max), .double(1), .double(-0.0), .double(1e20),
      .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .string(""),
      .string("né"), .array([]),
      .array([.integer(1), .object(["b": .array([.null]), "a": .double(0.1)])]),
    ]
    author.write(
      [.clear(note, insert: insert), .clear(note, insert: insert, "/object")]
        + values.enumerated().map { .set(note, insert: insert, "/v\($0.offset)", $0.element) })
    return author.segments[0]
  }()

  /// Counters, with amounts and starts at their borders, and sets of elements of all types.
  static let countersAndSets: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    func operation(_ kind: OperationKind, _ keys: ByteString..., payload: [UInt8] = []) -> Operation
    {
      Operation(
        document: note, insert: insert, path: Path(keys: keys), kind: kind, payload: payload)
    }
    let starts: [JSON] = [.integer(0), .integer(.min), .integer(.max), JSON(UInt64.max)]
    let amounts: [Int64] = [0, 1, -1, .min, .max]
    let elements: [JSON] = [
      .null, .bool(true), .integer(1), .double(1), .string(""), .string("é/~\u{0}"), .array([]),
      .array([.integer(1)]), .object(["b": .integer(1), "a": .array([])]),
    ]
    author.write(
      [.clear(note, insert: insert)]
        + starts.enumerated().map {
          operation(.counter, ByteString("c\($0.offset)"), payload: Leaf($0.element)?.bytes ?? [])
        }
        + amounts.map { amount in
          var payload: [UInt8] = []
          payload.appendVarint(amount.zigzag)
          return operation(.increment, "c1", payload: payload)
        }
        + [operation(.emptySet, "tags")]
        + elements.map { operation(.add, "tags", SetElement($0).key) }
        + [operation(.remove, "tags", SetElement(.null).key)])
    return author.segments[0]
  }()

  /// What a later version may write, under the frozen envelope.
  static let unknownKind: Segment = {
    var author = StreamAuthor(stream: Sample.laptop)
    let insert = author.nextDot()
    let append = OperationKind(code: 14, cover: .nothing, carriesValue: true)
    let withdraw = OperationKind(code: 15, cover: .path, carriesValue: false)
    let path = Path(keys: ["count"])
    author.write([
      .clear(note, insert: insert),
      Operation(
        document: note, insert: insert, path: path, kind: append, payload: [0xFF, 0, 1]),
      Operation(document: note, insert: insert, path: path, kind: withdraw),
    ])
    return author.segments[0]
  }()

  private static func laptopSeen(_ sequence: UInt64) -> Context {
    Context([
      Context.Entry(
        stream: Sample.laptop, sequence: sequence,
        fingerprint: Fingerprint(rawValue: UInt128(sequence) << 64))
    ])
  }
}
