import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Ann writes a document, and Bob deletes it; they share a folder.
@Suite("Compaction drops what was deleted") struct DroppingDeletedTests {
  private let world: World
  private let folder: FilePath
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    try ann.publish(1...3, to: "old")
    try ann.put("new", "{}")
    try ann.publish()
    try bob.importAll()
    try bob.write { _ = try $0.delete(Peer.key("old")) }
    try bob.publish()
    try bob.put("other", "{}")
    try bob.publish()
  }

  /// A week goes by; everybody hears of everything, says so, and compacts.
  private func week(_ peers: [Peer]) throws {
    world.advance(milliseconds: CompactionLimits.week)
    for peer in peers {
      try peer.importAll()
      for _ in 0..<2 {
        _ = try peer.device.database.acknowledge(
          after: 0, now: peer.device.ambient.time, nonce: peer.device.nonce)
      }
      try peer.publish()
      _ = try Compactor(device: peer.device, limits: .small()).run()
    }
  }

  private func all(on id: String) throws -> [Operation] {
    try world.logs(in: folder).flatMap { try $0.decoded().segment.transactions }
      .flatMap(\.operations).filter { $0.document == Peer.key(id) }
  }

  private func operations(on id: String) throws -> Int { try all(on: id).count }

  private func isKept(by peer: Peer) throws -> Bool {
    try peer.device.database.keptDocuments().contains { $0.key == Peer.key("old") }
  }

  @Test("with the delete itself, once nothing is left that it could take away")
  func everything() throws {
    #expect(try operations(on: "old") == 5)
    for _ in 0..<9 { try week([ann, bob]) }
    #expect(try operations(on: "old") == 0)
    #expect(try operations(on: "new") == 1)
    #expect(try !isKept(by: ann))
    #expect(try !isKept(by: bob))
    let other = try world.folder("newcomer")
    for file in try world.logs(in: folder) { try world.deliver(file, to: other) }
    let newcomer = try world.peer("newcomer", in: other)
    let report = try newcomer.importAll()
    #expect(report.gaps.isEmpty && report.setAside.isEmpty)
    #expect(try newcomer.dump() == ann.dump())
    #expect(try !isKept(by: newcomer))
  }

  // Lesson 16.
  @Test("and not before every live device has the delete")
  func live() throws {
    // Bob goes on without hearing of Ann's clock; Cem has what she wrote, and is silent since.
    let cem = try world.peer("cem", in: folder)
    try cem.put("third", "{}")
    try cem.publish()
    let before = Set(try all(on: "old"))
    #expect(before.count == 5)
    for _ in 0..<9 { try week([ann, bob]) }
    // Nor is anything that the delete takes away, or a later value.
    #expect(try Set(all(on: "old")) == before)
    #expect(try isKept(by: ann))
    for _ in 0..<9 { try week([ann, bob, cem]) }
    #expect(try operations(on: "old") == 0)
  }

  @Test("and keeps all of it where an edit stands beside the delete, which is a conflict")
  func conflict() throws {
    try ann.put("old", #"{"n":3,"edited":true}"#)
    try ann.publish()
    for _ in 0..<9 { try week([ann, bob]) }
    for peer in [ann, bob] {
      #expect(try peer.body("old") == #"{"edited":true,"n":3}"#)
      #expect(try peer.device.database.counts().conflicts == 1)
    }
  }
}
