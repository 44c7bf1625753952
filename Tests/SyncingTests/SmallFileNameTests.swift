import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Found by seed 215878057445587: a device that was put back to an older state, and renamed, wrote
/// again what stood in a larger file of its former self.
@Suite("A name that only a smaller file tells, the transactions of which another has, too")
struct SmallFileNameTests {
  private let world: World
  private let ann: Peer
  /// Put back to what ann was before her second document, and called anna by now: of two names for
  /// the same transaction the greater one counts.
  private let anna: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try ann.put("a1", "{}", isPublishedAtOnce: false)
    let backup = try StoreDatabase.inMemory(copying: ann.device.database)
    try ann.put("a2", "{}", isPublishedAtOnce: false)
    try ann.publish()
    let folder = try world.folder("anna")
    try backup.rejoin(at: folder)
    anna = try world.peer("ann", in: folder, database: backup)
    _ = try backup.renameDevice(
      to: "anna", now: anna.device.ambient.time, nonce: anna.device.nonce)
    try anna.publish()
    try #require(ranges(in: ann.folder) == ["1-2"])
    try #require(ranges(in: folder) == ["1-1"])
  }

  private func ranges(in folder: FilePath) throws -> [String] {
    try world.logs(in: folder).filter { $0.directory == ann.directory }.map { file in
      let range = try file.decoded().segment.range
      return "\(range.first)-\(range.last)"
    }.sorted()
  }

  private func name(on peer: Peer) throws -> String? {
    try peer.device.database.streamSummaries().first { $0.stream == ann.stream }?.name
  }

  /// Whoever reads what a device puts back into its folder, which has lost all that there was.
  private func nameAfterLoss(of peer: Peer) throws -> String? {
    try world.remove(peer.device.container.directory(of: ann.stream))
    try peer.importAll()
    for file in try world.logs(in: peer.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    return try name(on: bob)
  }

  @Test("is put back by who gave it, after the larger one has come")
  func writer() throws {
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: anna.folder) }
    #expect(try anna.importAll().hasNewStream)
    #expect(try name(on: anna) == "anna")
    #expect(try nameAfterLoss(of: anna) == "anna")
    #expect(try ranges(in: anna.folder) == ["1-1", "1-2"])
  }

  @Test("is put back by who wrote the larger one, too")
  func other() throws {
    for file in try world.logs(in: anna.folder) { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    #expect(try nameAfterLoss(of: ann) == "anna")
  }

  @Test("stays when the larger one is joined with others")
  func joined() throws {
    for file in try world.logs(in: anna.folder) { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    for id in ["a3", "a4"] {
      try ann.put(id, "{}")
      try ann.publish()
    }
    let limits = CompactionLimits.small()
    #expect(try Compactor(device: ann.device, limits: limits).run().joined > 1)
    #expect(try nameAfterLoss(of: ann) == "anna")
    #expect(try ranges(in: ann.folder) == ["1-1", "1-4"])
  }

  @Test("stays when something of the larger one is dropped")
  func dropped() throws {
    for file in try world.logs(in: anna.folder) { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    try ann.publish(0..<8, to: "a2")
    let compactor = Compactor(device: ann.device, limits: .small())
    _ = try compactor.run()
    for _ in 0..<2 {
      world.advance(milliseconds: CompactionLimits.week)
      _ = try compactor.run()
    }
    let kept = try ann.device.database.archivedSegments(of: ann.stream)
    try #require(kept.contains { $0.isReduced })
    #expect(try nameAfterLoss(of: ann) == "anna")
  }

  @Test("is not kept beside a larger one that tells a newer name")
  func told() throws {
    _ = try anna.device.database.renameDevice(
      to: "anne", now: anna.device.ambient.time, nonce: anna.device.nonce)
    try anna.publish()
    try #require(ranges(in: anna.folder) == ["1-1", "2-2"])
    _ = try Compactor(device: anna.device, limits: .small()).run()
    let archived = try anna.device.database.archivedSegments(of: ann.stream)
    #expect(archived.map(\.sequences) == [1...2])
  }
}
