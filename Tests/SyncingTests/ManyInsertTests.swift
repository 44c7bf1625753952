import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import SystemFiles
import Testing

@Suite("A document each of whose operations edits another insert") struct ManyInsertTests {
  private static let stream = StreamID(rawValue: 1 << 100)

  private static func path(_ number: Int) -> Path {
    Path(keys: [ByteString(String(1_000_000 + number))])
  }

  private static func insert(_ number: Int) -> Dot {
    Dot(stream: stream, sequence: 1, index: UInt32(1_000_000 + number))
  }

  @Test("is kept as it came", arguments: [1, 15, 16, 17, 40])
  func kept(count: Int) throws {
    let fake = InMemoryFileSystem()
    let world = try World(.fake, fake: fake)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let key = DocumentKey(collection: "notes", id: "a")
    let segment = Segment(
      range: Segment.Range(
        container: world.marker.container, stream: Self.stream, first: 1, last: 1,
        fingerprintBefore: .origin),
      attributes: [],
      transactions: [
        EncodedTransaction(
          time: 1 << 16, nonce: 1, isRelative: false, hasSeenOwn: true, changes: [],
          operations: OperationList(
            (0..<count).map {
              Operation(
                document: key, insert: Self.insert($0), path: Self.path($0), kind: .set,
                payload: [2])
            }))
      ])
    fake.put(
      ann.folder.appending("logs").appending("other").appending("a.log"),
      SegmentFile.encode(segment).bytes)
    #expect(try ann.importAll().operations == count)
    let state = try #require(try ann.device.database.keptDocuments().first).state
    #expect(state.entries.map(\.effect.path) == (0..<count).map(Self.path))
    #expect(state.entries.map(\.effect.insert) == (0..<count).map(Self.insert))
  }

  // With a look at all before each, it takes minutes.
  @Test("is stored at once, be it a hostile one of very many", .timeLimit(.minutes(1)))
  func many() throws {
    let count = 100_000
    let entries = (0..<count).map { number in
      DocumentState.Entry(
        effect: DocumentState.Effect(
          path: Self.path(number), kind: .set, payload: [2], insert: Self.insert(number)),
        stamp: Stamp(
          time: HybridTime(milliseconds: 1),
          dot: Dot(stream: Self.stream, sequence: 1, index: UInt32(number)),
          fingerprint: Fingerprint(rawValue: 1)),
        context: nil)
    }
    let state = DocumentState(sorted: entries, pending: [])
    #expect(try StateCoding.encode(state) { _ in 1 }.count > count)
  }
}
