import DocumentStorage
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann writes two documents over and over; Bob has a folder of his own.
@Suite("A survey says what is dead, what keeps it, and who must be heard from")
struct CompactionSurveyTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private static let limits = CompactionLimits.small(fanOut: 4)

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try ann.publish(1...20) { "n\($0 % 2)" }
  }

  private func survey(_ limits: CompactionLimits = limits) throws -> CompactionSurvey {
    try Compactor(device: ann.device, limits: limits).survey()
  }

  private func compact() throws {
    _ = try Compactor(device: ann.device, limits: Self.limits).run()
  }

  /// Bob has what Ann has, and she hears that he has it.
  private func meet() throws {
    try world.mirror(ann, to: bob)
    try bob.importAll()
    try world.acknowledge(bob)
    try world.give(bob, to: ann)
    try ann.importAll()
  }

  @Test("and changes nothing by looking")
  func changesNothing() throws {
    let before = try world.logs(in: ann.folder)
    let dead = try survey().dead
    #expect(dead.operations == 18 && dead.total == 22)
    #expect(dead.kept == [.small: 18] && dead.due == 0)
    #expect(dead.bytes > 0)
    #expect(try world.logs(in: ann.folder) == before)
    let segments = try ann.device.database.archivedSegments(of: ann.stream)
    #expect(try segments.allSatisfy { try ann.device.database.deadOperations(of: $0) == nil })
  }

  @Test("and names the grace, then the device, and drops as many as it said")
  func reasons() throws {
    try meet()
    try ann.put("n0", #"{"n":21}"#)
    try ann.publish()
    try compact()
    #expect(try survey().dead.kept[.grace] == 19)
    world.advance(milliseconds: CompactionLimits.week)
    try compact()
    let found = try survey().dead
    #expect(found.kept[.grace] == 19)
    #expect(found.graceUntil == ann.device.ambient.now() + CompactionLimits.week)
    world.advance(milliseconds: CompactionLimits.week)
    let awaiting = try survey()
    #expect(awaiting.dead.kept == [.device: 19])
    #expect(awaiting.awaited.map(\.name) == ["bob"])
    try meet()
    let due = try survey()
    #expect(due.awaited.isEmpty && due.dead.kept.isEmpty)
    #expect(due.dead.due == 19)
    #expect(try Compactor(device: ann.device, limits: Self.limits).run().dropped == 19)
    #expect(try survey().dead.operations == 0)
  }

  @Test("and says of who has not been heard from within the horizon that nobody waits for it")
  func away() throws {
    try meet()
    let heardAt = ann.device.ambient.now()
    try ann.put("n0", #"{"n":21}"#)
    #expect(try survey().awaited.count == 1)
    world.advance(milliseconds: Self.limits.horizon + 1)
    let survey = try survey()
    #expect(survey.awaited.isEmpty)
    #expect(survey.away.map(\.name) == ["bob"])
    #expect(survey.away.first?.heardAt == heardAt)
    #expect(survey.away.first?.has == 20)
  }

  @Test("and that all stays, where the user has said so")
  func keepsAll() throws {
    var settings = UpkeepSettings()
    #expect(try survey(settings.limits).dead.kept[.setting] == nil)
    try settings.set(.forget, to: 0)
    let dead = try survey(settings.limits).dead
    #expect(dead.operations == 18 && dead.kept == [.setting: 18])
  }

  @Test("and at a glance what was found before, also where the folder is away")
  func glance() throws {
    try compact()
    world.advance(milliseconds: CompactionLimits.week)
    try compact()
    let compactor = Compactor(device: ann.device, limits: Self.limits)
    let listing = try ann.device.container.list()
    #expect(try compactor.glance(at: listing).all.count == world.logs(in: ann.folder).count)
    try world.remove(ann.device.container.markerFile)
    let glance = try compactor.glance(at: nil)
    #expect(glance.dead.operations == 18)
    #expect(glance.streams.isEmpty)
  }
}
