import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import Testing

/// Ann wrote a document; Bob edited it; the reader has Bob's edit, and Ann's second write, which
/// Bob had seen, is still on its way.
private struct OpenEdit {
  let world: World
  let ann: Peer
  let bob: Peer
  let reader: Peer
  let missing: LogFile

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.put("doc", #"{"n":1}"#)
    try ann.publish()
    let first = try #require(try world.logs(in: ann.folder).first)
    try world.deliver(first, to: reader.folder)
    try ann.put("other", "{}")
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    try bob.put("doc", #"{"n":2}"#)
    try bob.publish()
    missing = try #require(try world.logs(in: ann.folder).first { $0 != first })
    let directory = bob.directory
    let written = try world.logs(in: bob.folder).first { $0.directory == directory }
    let edit = try #require(written)
    try world.deliver(edit, to: reader.folder)
    try reader.importAll()
    try #require(try reader.body("doc") == #"{"n":2}"#)
  }

  /// Brings the reader what somebody wrote at the end of the year 9999.
  func placeLastMoment() throws {
    let stream = StreamID(rawValue: 77)
    let insert = Dot(stream: stream, sequence: 1, index: 0)
    let segment = Segment(
      range: Segment.Range(
        container: world.marker.container, stream: stream, first: 1, last: 1,
        fingerprintBefore: .origin),
      attributes: [],
      transactions: [
        EncodedTransaction(
          time: HybridTime.latest.rawValue, nonce: 1, isRelative: false, hasSeenOwn: true,
          changes: [],
          operations: [
            Operation(document: Peer.key("far"), insert: insert, path: .root, kind: .clear)
          ])
      ])
    let file = SegmentFile.encode(segment)
    let name = try #require(
      SegmentName(first: 1, last: 1, digest: file.digest).component())
    let directory = reader.device.container.directory(of: stream)
    try world.place(file.bytes, at: directory.appending(name))
  }

  func spread() throws {
    for _ in 1...2 {
      for source in [ann, bob, reader] {
        for target in [ann, bob, reader] where target.stream != source.stream {
          for file in try world.logs(in: source.folder) {
            try world.deliver(file, to: target.folder)
          }
        }
      }
      for peer in [ann, bob, reader] { try peer.importAll() }
    }
  }
}

@Suite("A delete of what cannot be claimed as seen yet") struct PendingRemovalTests {
  @Test("hides the document at once, and is published when what it saw has arrived")
  func hiddenThenPublished() throws {
    let scene = try OpenEdit()
    #expect(try scene.reader.delete("doc") == .changed)
    #expect(try scene.reader.body("doc") == nil)
    #expect(try scene.reader.device.database.counts().pendingRemovals == 1)
    #expect(try scene.reader.device.database.unpublishedCount() == 0)
    #expect(try scene.reader.importAll().published == 0)
    #expect(try scene.reader.body("doc") == nil)

    try scene.world.deliver(scene.missing, to: scene.reader.folder)
    #expect(try scene.reader.importAll().published == 1)
    #expect(try scene.reader.device.database.counts().pendingRemovals == 0)
    try scene.spread()
    let dump = try scene.reader.dump()
    #expect(dump == "notes/other {}\nconflicts: 0")
    #expect(try scene.ann.dump() == dump)
    #expect(try scene.bob.dump() == dump)
  }

  @Test("together with thousands of others is divided into transactions of bounded size")
  func many() throws {
    let scene = try OpenEdit()
    let count = 5000
    let padding = String(repeating: "x", count: 1000)
    try scene.bob.write { writer in
      for number in 0..<count {
        _ = try writer.put(.object(["n": .integer(1)]), at: Peer.key("\(number)-\(padding)"))
      }
    }
    try scene.bob.publish()
    for file in try scene.world.logs(in: scene.bob.folder)
    where file.directory == scene.bob.directory {
      try scene.world.deliver(file, to: scene.reader.folder)
    }
    try scene.reader.importAll()
    try scene.reader.write { writer in
      for number in 0..<count { _ = try writer.delete(Peer.key("\(number)-\(padding)")) }
    }
    #expect(try scene.reader.device.database.counts().pendingRemovals == count)

    try scene.world.deliver(scene.missing, to: scene.reader.folder)
    #expect(try scene.reader.importAll().published == 2)
    #expect(try scene.reader.device.database.counts().pendingRemovals == 0)
    let sizes = try scene.world.logs(in: scene.reader.folder)
      .filter { $0.directory == scene.reader.directory }
      .map { try $0.decoded().segment.transactions.map(\.operations.count) }
    #expect(sizes.joined().reduce(0, +) == count)
    #expect(sizes.joined().allSatisfy { $0 < count })
    try scene.spread()
    #expect(try scene.bob.body("17-\(padding)") == nil)
    #expect(try scene.bob.dump() == scene.reader.dump())
  }

  @Test("goes on waiting where the clock is exhausted, and keeps nobody from importing")
  func exhaustedClock() throws {
    let scene = try OpenEdit()
    try scene.reader.delete("doc")
    try scene.placeLastMoment()
    #expect(try scene.reader.importAll().segments == 1)
    #expect(throws: StorageError.clockExhausted) { try scene.reader.put("mine", "{}") }
    try scene.world.deliver(scene.missing, to: scene.reader.folder)
    #expect(try scene.reader.importAll().segments == 1)
    for _ in 1...2 {
      #expect(try scene.reader.body("other") == "{}")
      #expect(try scene.reader.body("doc") == nil)
      #expect(try scene.reader.device.database.counts().pendingRemovals == 1)
      #expect(try scene.reader.importAll().published == 0)
    }
  }

  // Lesson 15.
  @Test("does not win over an edit that its author had not seen")
  func concurrentEdit() throws {
    let scene = try OpenEdit()
    try scene.reader.delete("doc")
    try scene.bob.put("doc", #"{"n":3}"#)
    try scene.bob.publish()
    try scene.spread()
    let dump = try scene.reader.dump()
    #expect(dump.contains(#"notes/doc {"n":3}"#))
    #expect(try scene.ann.dump() == dump)
    #expect(try scene.bob.dump() == dump)
  }

  @Test("of a member hides it at once, too")
  func member() throws {
    let scene = try OpenEdit()
    try scene.bob.put("doc", #"{"m":1,"n":2}"#)
    try scene.bob.publish()
    for file in try scene.world.logs(in: scene.bob.folder)
    where file.directory == scene.bob.directory {
      try scene.world.deliver(file, to: scene.reader.folder)
    }
    try scene.reader.importAll()
    try scene.reader.put("doc", #"{"n":2}"#)
    #expect(try scene.reader.body("doc") == #"{"n":2}"#)
    try scene.spread()
    let dump = try scene.reader.dump()
    #expect(dump.contains(#"notes/doc {"n":2}"#))
    #expect(try scene.ann.dump() == dump)
    #expect(try scene.bob.dump() == dump)
  }

  // Lesson 15.
  @Test("followed by a new insert shows the insert everywhere")
  func reinserted() throws {
    let scene = try OpenEdit()
    try scene.reader.delete("doc")
    try scene.reader.put("doc", #"{"new":true}"#)
    #expect(try scene.reader.body("doc") == #"{"new":true}"#)
    try scene.spread()
    let dump = try scene.reader.dump()
    #expect(try scene.ann.dump() == dump)
    #expect(try scene.bob.dump() == dump)
    #expect(dump.contains(#""new":true"#))
  }
}
