import DocumentStorage
import Replication
import SegmentFormat
import Testing

@Suite("A context of thousands of streams") struct LargeContextTests {
  private static func context(_ count: Int) -> Context {
    Context(
      (1...count).map { number in
        Context.Entry(
          stream: StreamID(rawValue: UInt128(number)), sequence: 1,
          fingerprint: Fingerprint(rawValue: UInt128(number)))
      })
  }

  @Test("is refused before it is written if older readers would not take it")
  func refused() throws {
    let most = SegmentFile.writtenContextEntries
    try Outbox.check(Self.context(most))
    #expect(throws: StorageError.contextTooLarge(entries: most + 1)) {
      try Outbox.check(Self.context(most + 1))
    }
  }

  @Test("is read although nobody writes it")
  func read() throws {
    let stream = StreamID(rawValue: 1 << 100)
    for (count, isRead) in [
      (SegmentFile.writtenContextEntries + 1, true),
      (SegmentFile.maximumContextEntries + 1, false),
    ] {
      let entries = (1...count).map { number in
        Context.Entry(
          stream: StreamID(rawValue: UInt128(number)), sequence: 1,
          fingerprint: Fingerprint(rawValue: UInt128(number)))
      }
      let segment = Segment(
        range: Segment.Range(
          container: ContainerID(rawValue: 1), stream: stream, first: 1, last: 1,
          fingerprintBefore: .origin),
        attributes: [],
        transactions: [
          EncodedTransaction(
            time: 1 << 16, nonce: 1, isRelative: false, hasSeenOwn: true, changes: entries,
            operations: [])
        ])
      let bytes = SegmentFile.encode(segment, compressing: false).bytes
      let read = try? SegmentFile.decode(bytes).segment
      #expect((read?.transactions.first?.changes.count == count) == isRead)
    }
  }

  @Test("has one entry for each other device that has written, and one for this one")
  func counted() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    #expect(try bob.device.database.contextEntries() == 0)
    try ann.put("a", "{}")
    try ann.publish()
    try bob.importAll()
    #expect(try bob.device.database.contextEntries() == 1)
    try bob.put("b", "{}")
    #expect(try bob.device.database.contextEntries() == 2)
  }
}
