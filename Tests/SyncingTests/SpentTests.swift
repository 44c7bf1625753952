import DocumentStorage
import GRDB
import Replication
import Syncing
import Testing

/// Ann has dropped what she wrote first into ten documents, and Bob, who kept it, has heard so.
@Suite("What is let go for a statement is kept apart, for what may lean on it")
struct SpentTests {
  private static let day: Int64 = 86_400_000
  private let world: World
  private let ann: Peer
  private let bob: Peer
  /// Has what Ann wrote, and never hears of what she has dropped.
  private let cat: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    cat = try world.loner("cat")
    try write(0..<20)
    try world.give(ann, to: cat)
    try drop()
  }

  private func write(_ numbers: Range<Int>) throws {
    try ann.publish(numbers) { "n\($0 % 10)" }
  }

  /// Until what is dead has been dropped, and Bob has taken it out.
  private func drop() throws {
    _ = try compact(ann)
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact(ann)
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact(ann).dropped > 0)
    try world.mirror(ann, to: bob)
    try bob.importAll()
  }

  private func compact(_ peer: Peer) throws -> CompactionReport {
    try Compactor(device: peer.device, limits: .small(fanOut: 4)).run()
  }

  /// What Bob keeps apart, by its numbers.
  private func spent() throws -> Set<Int64> {
    try bob.device.database.write { try Int64.fetchSet($0, sql: "SELECT id FROM spent") }
  }

  @Test("for 400 days, and then no more")
  func goes() throws {
    let kept = try spent()
    #expect(!kept.isEmpty)
    world.advance(milliseconds: 400 * Self.day)
    _ = try compact(bob)
    #expect(try spent() == kept)
    world.advance(milliseconds: 1)
    _ = try compact(bob)
    #expect(try spent().isEmpty)
  }

  @Test("and for as long again once another statement leaves less of the same")
  func renewed() throws {
    let first = try spent()
    world.advance(milliseconds: 300 * Self.day)
    try write(20..<40)
    try drop()
    let all = try spent()
    #expect(all.isStrictSuperset(of: first))
    world.advance(milliseconds: 300 * Self.day)
    _ = try compact(bob)
    #expect(try spent() == all)
  }

  @Test("from when the clock is right, where that was ahead")
  func clockAhead() throws {
    world.advance(milliseconds: 3000 * Self.day)
    try write(20..<40)
    try drop()
    world.advance(milliseconds: -3000 * Self.day)
    _ = try compact(bob)
    let kept = try spent()
    #expect(!kept.isEmpty)
    world.advance(milliseconds: 400 * Self.day + 1)
    _ = try compact(bob)
    #expect(try spent().isEmpty)
  }

  @Test("also what comes after several statements that have less of it, each of a part")
  func severalStatements() throws {
    try write(20..<40)
    for file in try world.logs(in: ann.folder) where try file.decoded().segment.range.first > 20 {
      try world.deliver(file, to: cat.folder)
    }
    try cat.importAll()
    try drop()
    let statements = try bob.device.database.archivedSegments(of: ann.stream)
    #expect(statements.map(\.sequences) == [1...20, 21...40])
    #expect(statements.allSatisfy { $0.isReduced && $0.isHeeded })
    // Who looks after it in her place joins all of it.
    try cat.device.database.retire(ann.stream, now: cat.device.ambient.now())
    #expect(try compact(cat).written == 1)
    let whole = try #require(
      try world.logs(in: cat.folder).first { try $0.decoded().segment.range.last == 40 })
    let before = try spent()
    try world.deliver(whole, to: bob.folder)
    try bob.importAll()
    #expect(try spent().subtracting(before).count == 1)
  }
}
