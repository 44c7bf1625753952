import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import Testing

/// Bob edits what ann has made, and the reader has a document of that name.
///
/// The insert counts as come where any branch of ann has been applied that far, since its name does
/// not tell the branch; and nothing else names it, since bob lacks what ann had seen. Rows are
/// written when an operation comes to their document.
@Suite("What queries see of an edit of a document that has not come")
struct MissingInsertRowTests {
  private let world: World
  private let ann: Peer
  private let twin: Peer
  private let bob: Peer
  private let reader: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    let dora = try world.peer("dora", in: try world.folder("dora"))
    try dora.put("z", "{}")
    try dora.publish()
    try world.give(dora, to: ann)
    try ann.put("x", #"{"a":0}"#)
    try ann.publish()
    try world.give(ann, to: bob)
    try bob.put("x", #"{"a":0,"k":1}"#)
    try bob.publish()
    try twin.put("other", "{}")
    try twin.publish()
    try reader.put("x", #"{"b":2}"#)
  }

  /// Applies what some devices wrote, in that order, in one import.
  private func apply(_ peers: [Peer], foldBytes: Int) throws {
    let files = try peers.flatMap { peer in
      try world.logs(in: peer.folder).filter { $0.directory == peer.directory }
    }
    let segments = try files.map { file in
      let (segment, digest) = try SegmentFile.decode(file.bytes)
      return ImportableSegment(
        segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true, file: file.key)
    }
    let part = try reader.device.database.apply(
      segments, now: reader.device.ambient.time, nonce: reader.device.nonce, foldBytes: foldBytes)
    #expect(part.segments == files.count)
  }

  private func expectTrueRow(of id: String) throws {
    let kept = try #require(
      try reader.device.database.keptDocuments().first { $0.key == Peer.key(id) })
    let view = kept.state.view()
    #expect(kept.queriedBody == view.body)
    #expect(kept.conflictCount == view.conflictCount)
    #expect(kept.isVisible == view.isVisible)
  }

  @Test("is what shows, also where another branch comes that far in the same import, written later")
  func inOneImport() throws {
    try apply([bob, twin], foldBytes: 1)
    #expect(try reader.body("x") == #"{"b":2,"k":1}"#)
    try expectTrueRow(of: "x")
  }

  @Test("is what shows, also where another branch comes that far after it was given up")
  func givenUp() throws {
    try apply([bob], foldBytes: 1 << 20)
    _ = try reader.device.database.giveUp(
      ann.stream, upTo: 1, now: reader.device.ambient.time, nonce: reader.device.nonce)
    #expect(try reader.body("x") == #"{"b":2}"#)
    try expectTrueRow(of: "x")
    try apply([twin], foldBytes: 1 << 20)
    #expect(try reader.body("x") == #"{"b":2,"k":1}"#)
    try expectTrueRow(of: "x")
  }
}
