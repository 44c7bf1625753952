import DocumentStorage
import Foundation
import GRDB
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann has dropped what she wrote first into ten documents; Bob keeps it, and has got what says so.
@Suite("What others have dropped is taken out a few documents at a time")
struct HeedingInPartsTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try ann.publish(0..<20) { "n\($0 % 10)" }
    try compact(dropping: 0)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 0)
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 10)
    try world.mirror(ann, to: bob)
    try importWithoutHeeding()
  }

  private func compact(dropping count: Int) throws {
    let report = try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
    #expect(report.dropped == count)
  }

  private func importWithoutHeeding() throws {
    let importer = Importer(device: bob.device)
    var hasCome = false
    importer.onPart = { _ in hasCome = true }
    importer.isStopping = { hasCome }
    _ = try importer.importAll()
    #expect(hasCome)
    #expect(try isHeeded() == false)
    #expect(try counts() == Array(repeating: 1, count: 10))
  }

  /// A document at a time, as often as is said.
  private func heed(_ documents: Int) throws {
    // Asked before it is found out what is to be done, and after each.
    var left = documents
    let isDone = try bob.device.database.heedStatements(
      HeedingPace(documents: 1, operations: 1), now: bob.device.ambient.time,
      nonce: bob.device.nonce,
      unless: {
        left -= 1
        return left < 0
      })
    #expect(!isDone)
  }

  private func isHeeded() throws -> Bool? {
    let kept = try bob.device.database.archivedSegments(of: ann.stream)
    return kept.first { $0.isReduced }?.isHeeded
  }

  /// What the documents count as forgotten, in the order of their ids.
  private func counts() throws -> [Int?] {
    try bob.device.database.keptDocuments()
      .filter { $0.key != Peer.key("bob") }.sorted { $0.key < $1.key }.map(\.state.forgotten)
  }

  @Test("and who ends in its midst shows what everybody shows, and goes on later")
  func goesOn() throws {
    let before = try bob.dump()
    try heed(3)
    #expect(try isHeeded() == false)
    #expect(try counts() == [0, 0, 0] + Array(repeating: 1, count: 7))
    #expect(try bob.dump() == before)
    try heed(2)
    #expect(try counts() == Array(repeating: 0, count: 5) + Array(repeating: 1, count: 5))
    try bob.importAll()
    #expect(try isHeeded() == true)
    #expect(try bob.device.database.archivedSegments(of: ann.stream).count == 1)
    #expect(try counts() == Array(repeating: 0, count: 10))
    #expect(try bob.dump() == before)
    #expect(try ann.dump() == before)
  }

  @Test("also where another process goes on with it")
  func anotherProcess() throws {
    try heed(4)
    let compacted = try Compactor(device: bob.device, limits: .small()).run()
    #expect(compacted.dropped == 0)
    #expect(try isHeeded() == true)
    #expect(try counts() == Array(repeating: 0, count: 10))
  }

  @Test("also where no compaction has time for more than the first of it")
  func withoutTime() throws {
    let before = try bob.dump()
    var compactor = Compactor(device: bob.device, limits: .small())
    compactor.isStopping = { true }
    for _ in 1...2 { #expect(try compactor.run().isStopped == (isHeeded() == false)) }
    #expect(try isHeeded() == true)
    #expect(try counts() == Array(repeating: 0, count: 10))
    #expect(try bob.dump() == before)
  }

  @Test("and where something else was to be taken out before, nobody knows how much is forgotten")
  func beganWithSomethingElse() throws {
    try heed(4)
    try bob.device.database.write { db in
      let mark = try #require(try Data.fetchOne(db, sql: "SELECT max(heeding) FROM statements"))
      try db.execute(
        sql: "UPDATE statements SET heeding = ? WHERE heeding IS NOT NULL",
        arguments: [Data([UInt8](mark.prefix(8).map { ~$0 }) + mark.dropFirst(8))])
    }
    let before = try bob.dump()
    try heed(2)
    #expect(try counts() == [nil, nil, 0, 0] + Array(repeating: 1, count: 6))
    try bob.importAll()
    #expect(try isHeeded() == true)
    #expect(try counts() == Array(repeating: nil, count: 10))
    #expect(try bob.dump() == before)
  }

  @Test("and while it waits, nothing that it leaves out is put back into the folder")
  func nothingIsPutBack() throws {
    let database = bob.device.database
    try keepWaiting(database)
    // Bob is to put back what she published, since she never comes back.
    try database.retire(ann.stream, now: bob.device.ambient.now())
    let before = try world.logs(in: bob.folder)
    try bob.importAll()
    #expect(try isHeeded() == false)
    let after = try world.logs(in: bob.folder)
    #expect(
      after.filter { $0.directory == ann.directory }
        == before.filter { $0.directory == ann.directory })
    try database.write { try $0.execute(sql: "DELETE FROM unarchived") }
    try bob.importAll()
    #expect(try isHeeded() == true)
  }

  @Test("and a branch within its borders, of which it says nothing, is put back")
  func branchIsPutBack() throws {
    let database = bob.device.database
    let twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    try twin.put("twin", "{}")
    try twin.publish()
    let file = try #require(try world.logs(in: twin.folder).first)
    try world.deliver(file, to: bob.folder)
    let importer = Importer(device: bob.device)
    importer.isStopping = { (try? bob.body("twin")) != nil }
    _ = try importer.importAll()
    try keepWaiting(database)
    try database.retire(ann.stream, now: bob.device.ambient.now())
    try world.remove(file.path(in: bob.folder))
    try bob.importAll()
    #expect(try isHeeded() == false)
    #expect(try world.logs(in: bob.folder).contains(file))
  }

  /// What an older program applied and did not keep has to be read first.
  private func keepWaiting(_ database: StoreDatabase) throws {
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO unarchived(stream, first, last, digest)
          SELECT stream, 1000, 1000, 0 FROM archive WHERE id = (SELECT max(id) FROM archive)
          """)
    }
  }
}
