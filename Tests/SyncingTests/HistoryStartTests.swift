import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import Testing

/// Ann has dropped what she wrote first, and a file lies of that; Bob has the originals.
@Suite("A file that says history is whole from the end of all time on") struct HistoryStartTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let cat: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    cat = try world.loner("cat")
    try ann.publish(1...20) { "n\($0 % 2)" }
    try compact(dropping: 0)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 0)
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 18)
  }

  private func compact(dropping count: Int) throws {
    let report = try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
    #expect(report.dropped == count)
  }

  /// Brings Ann's files to another, which imports them; each that lacks something lies.
  private func lie(to peer: Peer) throws {
    for file in try world.logs(in: ann.folder) where file.directory == ann.directory {
      let segment = try file.decoded().segment
      guard let statement = segment.statement else {
        try world.deliver(file, to: peer.folder)
        continue
      }
      let lie = DropStatement(applied: statement.applied, historyStart: .latest)
      let attributes = segment.attributes.map { attribute in
        attribute == statement.stored ? lie.stored : attribute
      }
      let (bytes, digest) = SegmentFile.encode(
        Segment(range: segment.range, attributes: attributes, transactions: segment.transactions))
      let name = SegmentName(
        first: segment.range.first, last: segment.range.last, digest: digest)
      let lying = LogFile(
        directory: file.directory, name: try #require(name.component()), bytes: bytes)
      try world.deliver(lying, to: peer.folder)
    }
    try peer.importAll()
  }

  private func start(on peer: Peer) throws -> HybridTime? {
    let key = Peer.key("n0")
    return try peer.device.database.readSnapshot { try $0.events(of: key) }.start
  }

  private func isHeeded(by peer: Peer) throws -> Bool {
    let kept = try peer.device.database.archivedSegments(of: ann.stream).filter(\.isReduced)
    return !kept.isEmpty && kept.allSatisfy(\.isHeeded)
  }

  /// What is written there from now on is whole, and can be taken back.
  private func checkFuture(of peer: Peer) throws {
    let known = try #require(try start(on: peer))
    #expect(known < .latest)
    world.advance(milliseconds: 1000)
    try peer.put("n0", #"{"n":21}"#)
    let later = try peer.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"n":22}"#), at: Peer.key("n0"))
    }
    _ = try peer.device.database.undo(
      "\(peer.stream):\(try #require(later.sequence))", now: peer.device.ambient.time,
      nonce: peer.device.nonce)
    let body = try peer.device.database.readSnapshot {
      try $0.body(of: Peer.key("n0"), at: .latest)
    }
    #expect(body.map { String(decoding: $0, as: UTF8.self) } == #"{"n":21}"#)
    #expect(try start(on: peer) == known)
  }

  @Test("darkens nothing that is written later, where what it lacks never was")
  func alone() throws {
    try world.give(bob, to: cat)
    try lie(to: cat)
    #expect(try isHeeded(by: cat))
    try checkFuture(of: cat)
  }

  @Test("darkens nothing that is written later, where what it lacks is taken out")
  func beside() throws {
    try lie(to: bob)
    #expect(try isHeeded(by: bob))
    try checkFuture(of: bob)
  }

  @Test("is not told on while it waits, but that it is whole from the last write on")
  func waiting() throws {
    try lie(to: cat)
    #expect(try !isHeeded(by: cat))
    let known = try #require(try start(on: cat))
    #expect(known < .latest)
  }
}
