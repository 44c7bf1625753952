import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Ann writes the same documents over and over; Bob and she have folders of their own.
@Suite("Compaction drops what every live device has seen written over") struct DroppingTests {
  let world: World
  let ann: Peer
  let bob: Peer
  static let limits = CompactionLimits.small(fanOut: 4)

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  private func write(_ numbers: ClosedRange<Int>) throws {
    try ann.publish(numbers) { "n\($0 % 2)" }
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: Self.limits).run()
  }

  private func meet() throws { try world.meet(ann, with: bob) }

  private var operationsInFolder: Int {
    get throws {
      try world.logs(in: ann.folder).filter { $0.directory == ann.directory }
        .flatMap { try $0.decoded().segment.transactions }.reduce(0) { $0 + $1.operations.count }
    }
  }

  /// Twenty writes of two documents, joined long ago and looked through.
  private func prepare() throws {
    try write(1...20)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 0)
  }

  @Test("once they have said so, and the grace is over")
  func drops() throws {
    try prepare()
    try meet()
    let before = try ann.dump()
    let count = try operationsInFolder
    world.advance(milliseconds: CompactionLimits.week - 1)
    #expect(try compact().dropped == 0)
    world.advance(milliseconds: 1)
    let report = try compact()
    #expect(report.dropped == 18)
    #expect(report.removed.count == 1)
    #expect(try operationsInFolder == count - 18)
    #expect(try ann.dump() == before)
    #expect(try world.newcomersDump(of: ann.folder) == ann.dump())
  }

  @Test("and not before")
  func waitsForClaims() throws {
    try write(1...4)
    try meet()
    try write(5...20)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 0)
    try meet()
    #expect(try compact().dropped == 18)
  }

  @Test("and without those of whom nothing has come within the horizon")
  func horizon() throws {
    try write(1...4)
    try meet()
    try write(5...20)
    _ = try compact()
    world.advance(milliseconds: Self.limits.horizon)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 18)
  }

  @Test("also what was found while the clock was ahead, once that is put right")
  func clockPutRight() throws {
    try write(1...20)
    _ = try compact()
    world.advance(milliseconds: 53 * CompactionLimits.week)
    _ = try compact()
    world.advance(milliseconds: -52 * CompactionLimits.week)
    try meet()
    #expect(try compact().dropped == 0)
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 18)
  }

  @Test("but who goes on without what was written instead keeps what was there before")
  func skipped() throws {
    let cat = try world.loner("cat")
    try write(1...16)
    _ = try compact()
    try world.mirror(ann, to: cat)
    try cat.importAll()
    try write(17...18)
    world.advance(milliseconds: Self.limits.horizon)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 16)
    // Two in a file: that leans on nothing before it.
    for id in ["y", "z"] { try ann.put(id, "{}", isPublishedAtOnce: false) }
    try ann.publish()
    let files = try world.logs(in: ann.folder).filter { $0.directory == ann.directory }
    let reduced = try #require(files.first { try $0.decoded().segment.isReduced })
    for file in [reduced, try #require(files.last)] { try world.deliver(file, to: cat.folder) }
    try cat.importAll()
    try cat.skip(ann)
    try cat.importAll()
    #expect(try cat.body("z") == "{}")
    #expect(try cat.body("n0") == #"{"n":16}"# && cat.body("n1") == #"{"n":15}"#)
    // And takes what comes after all.
    try world.mirror(ann, to: cat)
    try cat.importAll()
    #expect(try cat.dump() == ann.dump())
  }

  @Test("and a reader that has them takes them out of what it keeps")
  func heeds() throws {
    try prepare()
    try meet()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 18)
    try world.mirror(ann, to: bob)
    try bob.importAll()
    let kept = try bob.device.database.archivedSegments(of: ann.stream)
    #expect(kept.map(\.isReduced) == [true])
    #expect(kept.map(\.isHeeded) == [true])
    #expect(try bob.dump() == ann.dump())
    // And goes on with what she writes next.
    try write(21...24)
    try meet()
    #expect(try bob.dump() == ann.dump())
    #expect(try world.newcomersDump(of: bob.folder) == bob.dump())
  }

  @Test("and a reader that lacks what their writer had keeps them until it has it")
  func waits() throws {
    let cat = try world.peer("cat", in: try world.folder("cat"))
    try prepare()
    try meet()
    world.advance(milliseconds: CompactionLimits.week)
    for file in try world.logs(in: ann.folder) where file.directory == ann.directory {
      try world.deliver(file, to: cat.folder)
    }
    try cat.importAll()
    #expect(try compact().dropped == 18)
    for file in try world.logs(in: ann.folder) where file.directory == ann.directory {
      try world.deliver(file, to: cat.folder)
    }
    try cat.importAll()
    var kept = try cat.device.database.archivedSegments(of: ann.stream)
    #expect(kept.filter(\.isReduced).map(\.isHeeded) == [false])
    #expect(kept.contains { !$0.isReduced })
    let missing = try cat.device.database.missingParts()
    #expect(missing.map(\.stream) == [bob.stream])
    #expect(missing.map(\.statements) == [[ann.stream]])
    try world.give(bob, to: cat)
    try cat.importAll()
    kept = try cat.device.database.archivedSegments(of: ann.stream)
    #expect(kept.map(\.isHeeded) == [true])
    #expect(try cat.device.database.missingParts().isEmpty)
    #expect(try cat.dump() == ann.dump())
  }

  @Test("and history says from when on it is whole, and takes nothing back of what was before")
  func history() throws {
    try prepare()
    try meet()
    world.advance(milliseconds: CompactionLimits.week)
    let key = DocumentKey(collection: "notes", id: "n0")
    func start(on peer: Peer) throws -> HybridTime? {
      let recorded = try peer.device.database.readSnapshot { try $0.events(of: key) }
      #expect(recorded.missing.isEmpty)
      return recorded.start
    }
    #expect(try start(on: ann) == nil)
    #expect(try compact().dropped == 18)
    let known = try #require(try start(on: ann))
    try world.mirror(ann, to: bob)
    #expect(try start(on: bob) == nil)
    try bob.importAll()
    #expect(try start(on: bob) == known)
    try checkPast(of: key, since: known)
  }

  private func checkPast(of key: DocumentKey, since start: HybridTime) throws {
    let database = ann.device.database
    func body(at time: HybridTime) throws -> String? {
      try database.readSnapshot { try $0.body(of: key, at: time) }
        .map { String(decoding: $0, as: UTF8.self) }
    }
    func undo(_ sequence: UInt64) throws {
      _ = try database.undo(
        "\(ann.stream):\(sequence)", now: ann.device.ambient.time, nonce: ann.device.nonce)
    }
    #expect(try body(at: start) == #"{"n":20}"#)
    let before = HybridTime(rawValue: start.rawValue - 1)
    #expect(throws: HistoryError.forgotten(start)) { _ = try body(at: before) }
    for sequence: UInt64 in [1, 3, 20] {
      #expect(throws: HistoryError.forgotten(start)) { try undo(sequence) }
    }
    let later = try ann.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"n":21}"#), at: key)
    }
    try undo(try #require(later.sequence))
    #expect(try body(at: .latest) == #"{"n":20}"#)
  }

  @Test("and says nothing of what only its own database has")
  func saysWhatIsPublished() throws {
    try prepare()
    try meet()
    world.advance(milliseconds: CompactionLimits.week)
    try ann.put("later", "{}")
    #expect(try compact().dropped == 18)
    let statements = try world.logs(in: ann.folder)
      .compactMap { try $0.decoded().segment.statement }
    #expect(statements.map { $0.applied.sequence(of: ann.stream) } == [20])
    try world.mirror(ann, to: bob)
    try bob.importAll()
    let kept = try bob.device.database.archivedSegments(of: ann.stream)
    #expect(kept.map(\.isHeeded) == [true])
  }

  @Test("and what the folder brings back of it stays dead, and is not kept again")
  func staysDead() throws {
    try prepare()
    try meet()
    let old = try world.logs(in: ann.folder).filter { $0.directory == ann.directory }
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact()
    try world.mirror(ann, to: bob)
    try bob.importAll()
    for file in old { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    #expect(
      try bob.device.database.archivedSegments(of: ann.stream).map(\.isReduced) == [true])
    #expect(try bob.dump() == ann.dump())
    #expect(try world.newcomersDump(of: bob.folder) == bob.dump())
  }
}
