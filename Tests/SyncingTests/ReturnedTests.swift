import DocumentStorage
import Replication
import Syncing
import Testing

/// Ann wrote two documents over and over, and has given up Bob, who has not heard of the last
/// edits.
@Suite("A device that was given up, and came back") struct ReturnedTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try write(1...4)
    try world.meet(ann, with: bob)
    try write(5...20)
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact().dropped == 0)
  }

  private func write(_ numbers: ClosedRange<Int>) throws {
    try ann.publish(numbers) { "n\($0 % 2)" }
  }

  private func retire() throws {
    try ann.device.database.retire(bob.stream, now: ann.device.ambient.now())
  }

  /// He writes something, still without having heard of anything.
  private func comeBack() throws {
    try bob.put("back", "{}")
    try world.send(from: bob, to: ann)
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
  }

  /// What a compaction drops once the grace is over.
  private func droppedInAWeek() throws -> Int {
    #expect(try compact().dropped == 0)
    world.advance(milliseconds: CompactionLimits.week)
    return try compact().dropped
  }

  private func isBack() throws -> Bool {
    let all = try ann.device.database.streamSummaries()
    let his = try #require(all.first { $0.stream == bob.stream })
    let survey = try Compactor(device: ann.device, limits: .small(fanOut: 4)).survey()
    #expect(his.retiredAt != nil)
    #expect(survey.peers.map(\.stream) == (his.returnedAt != nil ? [bob.stream] : []))
    return his.returnedAt != nil
  }

  @Test("is not waited for as long as nothing has come of it")
  func away() throws {
    try retire()
    #expect(try droppedInAWeek() == 18)
    #expect(try !isBack())
  }

  @Test("is waited for as any other is")
  func waitedFor() throws {
    try retire()
    try comeBack()
    #expect(try droppedInAWeek() == 0)
    #expect(try isBack())
    try world.meet(ann, with: bob)
    #expect(try compact().dropped == 18)
  }

  @Test("and is given up once more is waited for no more")
  func givenUpAgain() throws {
    try retire()
    try comeBack()
    #expect(try droppedInAWeek() == 0)
    try retire()
    #expect(try !isBack())
    #expect(try compact().dropped == 18)
  }

  @Test("is known to be back though it was given up while the clock was ahead")
  func givenUpAhead() throws {
    world.advance(milliseconds: 52 * CompactionLimits.week)
    try retire()
    world.advance(milliseconds: -52 * CompactionLimits.week)
    try comeBack()
    #expect(try droppedInAWeek() == 0)
    #expect(try isBack())
  }

  @Test("is known to be back though it came while the clock was ahead")
  func backAhead() throws {
    try retire()
    world.advance(milliseconds: 52 * CompactionLimits.week)
    try comeBack()
    world.advance(milliseconds: -52 * CompactionLimits.week)
    #expect(try droppedInAWeek() == 0)
    #expect(try isBack())
  }

  @Test("is not taken to be back for what came before, while the clock was ahead")
  func cameAhead() throws {
    world.advance(milliseconds: 52 * CompactionLimits.week)
    try comeBack()
    world.advance(milliseconds: -52 * CompactionLimits.week)
    try retire()
    #expect(try droppedInAWeek() == 18)
    #expect(try !isBack())
  }
}
