import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

@Suite("The history of a branched stream") struct BranchHistoryTests {
  let world: World
  let ann: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
  }

  /// Another device that goes on under ann's stream from where that is now.
  private func twin() throws -> Peer {
    let folder = try world.folder("twin")
    let database = try StoreDatabase.inMemory(copying: ann.device.database)
    try database.save(
      DeviceRecord(
        container: world.marker.container, marker: world.marker.bytes, path: folder,
        stream: ann.stream, name: "twin"))
    return try world.peer("twin", in: folder, database: database)
  }

  private func deliver(_ files: [LogFile], to peer: Peer) throws {
    for file in files { try world.deliver(file, to: peer.folder) }
    try peer.importAll()
  }

  private func reader() throws -> Peer {
    try world.peer("reader", in: try world.folder("reader"))
  }

  /// The document `x` as the logs tell it.
  private static func told(_ peer: Peer, _ id: String = "x") throws -> String? {
    try peer.device.database.readSnapshot { try $0.body(of: Peer.key(id), at: .latest) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Several transactions that become one file.
  private static func putTogether(_ peer: Peer, _ ids: [String]) throws {
    for id in ids {
      _ = try peer.device.database.writeDocuments(
        now: peer.device.ambient.time, nonce: peer.device.nonce, isPublishedAtOnce: false
      ) { _ = try $0.put(.object(["by": .string(ByteString(id))]), at: Peer.key(id)) }
    }
  }

  @Test("covers only what an author had seen, whatever number it has on another branch")
  func judgedByBranch() throws {
    let twin = try twin()
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try twin.put("z", "{}")
    try twin.put("z", #"{"a":1}"#)
    try twin.publish()
    try ann.put("x", #"{"a":1}"#)
    try ann.publish()
    world.advance(milliseconds: 10)
    try deliver(try world.logs(in: twin.folder), to: bob)
    try bob.put("x", #"{"b":2}"#)
    try bob.publish()
    let reader = try reader()
    try deliver(try world.logs(in: ann.folder) + world.logs(in: bob.folder), to: reader)
    #expect(try reader.body("x") == #"{"a":1,"b":2}"#)
    #expect(try Self.told(reader) == reader.body("x"))
    var left: [StoreWriter.LeftAlone] = []
    try reader.write { left = try $0.undo("\(bob.stream):1") }
    #expect(left.isEmpty)
    #expect(try reader.body("x") == #"{"a":1}"#)
  }

  @Test("has what left a segment in its midst, and says if that is not kept")
  func branchInTheMidst() throws {
    try Self.putTogether(ann, ["first"])
    let twin = try twin()
    try twin.publish()
    try Self.putTogether(twin, ["x"])
    try twin.publish()
    try Self.putTogether(ann, ["second", "third"])
    try ann.publish()
    let whole = try world.logs(in: ann.folder)
    let branch = try #require(try world.logs(in: twin.folder).last)
    #expect(whole.count == 1)
    #expect(try branch.decoded().segment.range.first == 2)
    let reader = try reader()
    try deliver(whole + [branch], to: reader)
    #expect(try reader.body("x") == #"{"by":"x"}"#)
    #expect(try Self.told(reader) == #"{"by":"x"}"#)
    let database = reader.device.database
    let kept = try database.archivedSegments(of: ann.stream)
    try database.removeArchived(try #require(kept.first { $0.last == 2 }))
    let missing = try database.readSnapshot { try $0.events(of: Peer.key("x")) }.missing
    #expect(missing.map(\.range) == [2...2])
  }

  @Test("is not guessed at where a number stands for several transactions")
  func ambiguousNumber() throws {
    let twin = try twin()
    try ann.put("x", #"{"a":1}"#)
    try twin.put("y", #"{"b":2}"#)
    for peer in [ann, twin] { try peer.publish() }
    let reader = try reader()
    try deliver(try world.logs(in: ann.folder) + world.logs(in: twin.folder), to: reader)
    #expect(throws: HistoryError.self) { try reader.write { _ = try $0.undo("\(ann.stream):1") } }
    #expect(try reader.body("x") != nil && reader.body("y") != nil)
    let branch = try #require(try ann.device.database.streamSummaries().first).tip.fingerprint
    let wrong = "\(ann.stream):1:z"
    #expect(throws: HistoryError.unknownTransaction(wrong)) {
      try reader.write { _ = try $0.undo(wrong) }
    }
    try reader.write { _ = try $0.undo("\(ann.stream):1:\(branch.description.prefix(8))") }
    #expect(try reader.body("x") == nil && reader.body("y") != nil)
  }

  @Test("of a former stream has what that has not published yet")
  func formerStream() throws {
    let identity = DeviceIdentity(environment: { [1] }, mint: { StreamID(rawValue: 7) })
    let moved = DeviceIdentity(environment: { [2] }, mint: { StreamID(rawValue: 77) })
    let folder = try world.folder("here")
    let before = try StoreDatabase.inMemory(identity: identity)
    let first = try world.peer("device", in: folder, database: before)
    try first.put("x", #"{"a":1}"#)
    let after = try StoreDatabase.inMemory(copying: before, identity: moved)
    let second = try world.peer("device", in: folder, database: after)
    try second.put("x", #"{"a":2}"#)
    #expect(try after.device()?.stream == StreamID(rawValue: 77))
    #expect(try after.unpublishedCount() == 2)
    #expect(try after.readSnapshot { try $0.events(of: Peer.key("x")) }.missing.isEmpty)
    #expect(try Self.told(second) == #"{"a":2}"#)
    try second.write { _ = try $0.undo("\(StreamID(rawValue: 77)):1") }
    #expect(try second.body("x") == #"{"a":1}"#)
  }
}
