import DocumentStorage
import SharedFolder
import Syncing
import Testing

/// Ann has dropped what Bob has seen written over; Cat has heard of that, and has nothing of Bob's.
@Suite("While a statement waits for what its writer had") struct WaitingStatementTests {
  let world: World
  let ann: Peer
  let bob: Peer
  let cat: Peer
  static let limits = CompactionLimits.small(fanOut: 4)

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    cat = try world.peer("cat", in: try world.folder("cat"))
    try write(1...20)
    _ = try compact(ann)
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact(ann)
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
    try giveToCat()
    #expect(try compact(ann).dropped == 18)
    try giveToCat()
    try write(21...24)
    try giveToCat()
    try cat.device.database.retire(ann.stream, now: 0)
  }

  private func write(_ numbers: ClosedRange<Int>) throws {
    try ann.publish(numbers) { "n\($0 % 2)" }
  }

  private func compact(_ peer: Peer) throws -> CompactionReport {
    try Compactor(device: peer.device, limits: Self.limits).run()
  }

  /// Ann's files, and not Bob's.
  private func giveToCat() throws {
    for file in try world.logs(in: ann.folder) where file.directory == ann.directory {
      try world.deliver(file, to: cat.folder)
    }
    try cat.importAll()
  }

  private func kept() throws -> [String] {
    try cat.device.database.archivedSegments(of: ann.stream).map {
      "\($0.first)-\($0.last)" + ($0.isReduced ? $0.isHeeded ? " heeded" : " waiting" : "")
    }
  }

  @Test("a survey says that nothing of its stream is dropped")
  func isHeld() throws {
    let dead = try Compactor(device: cat.device, limits: Self.limits).survey().dead
    #expect(dead.held == [.waiting: 1])
  }

  @Test("what nobody states of its stream is joined, and nothing else is touched")
  func joins() throws {
    #expect(try Set(kept()).isSuperset(of: ["1-20", "1-20 waiting", "21-21", "24-24"]))
    let survey = try Compactor(device: cat.device, limits: Self.limits).survey()
    #expect(survey.joined == 4)
    let report = try compact(cat)
    #expect(report.joined == 4)
    #expect(report.dropped == 0)
    #expect(try Set(kept()) == ["1-20", "1-20 waiting", "21-24"])
    let again = try compact(cat)
    #expect(again.joined == 0 && again.written == 0)
  }

  @Test("and it is heeded once that comes, beside what was joined")
  func heeds() throws {
    _ = try compact(cat)
    try world.give(bob, to: cat)
    try cat.importAll()
    #expect(try kept() == ["1-20 heeded", "21-24"])
    try ann.importAll()
    #expect(try cat.dump() == ann.dump())
    #expect(try world.newcomersDump(of: cat.folder) == cat.dump())
  }
}
