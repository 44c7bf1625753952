import DocumentStorage
import GRDB
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann has dropped what she wrote first into ten documents, and Bob, who kept it, has heard so.
@Suite("What is let go for a statement is kept apart, for what may lean on it")
struct SpentTests {
  private static let day: Int64 = 86_400_000
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try write(0..<20)
    try drop()
  }

  private func write(_ numbers: Range<Int>) throws {
    for number in numbers {
      try ann.put("n\(number % 10)", #"{"n":\#(number)}"#)
      try ann.publish()
    }
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
}
