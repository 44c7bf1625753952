import DocumentStorage
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann's database is put back to where she had written half; what she wrote next before that leans
/// on what she drops.
@Suite("A branch that leans on what its own device would drop") struct UnreadBranchTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  /// The first file of the other branch.
  private let branch: LogFile
  private static let limits = CompactionLimits.small(fanOut: 4)

  init() throws {
    world = try World()
    let former = try world.loner("ann")
    bob = try world.loner("bob")
    try Self.write(1...10, by: former)
    let backup = try StoreDatabase.inMemory(copying: former.device.database)
    try Self.write(11...11, by: former, saying: "former")
    branch = try #require(try world.logs(in: former.folder).last)
    try world.remove(branch.path(in: former.folder))
    ann = try world.peer("ann", in: former.folder, database: backup)
    try Self.write(11...20, by: ann)
  }

  private static func write(_ numbers: ClosedRange<Int>, by peer: Peer, saying word: String = "ann")
    throws
  {
    for number in numbers {
      try peer.put("n\(number % 2)", #"{"n":\#(number),"by":"\#(word)"}"#)
      try peer.publish()
    }
  }

  private func compact(_ peer: Peer) throws -> CompactionReport {
    try Compactor(device: peer.device, limits: Self.limits).run()
  }

  /// All is joined, looked through, and nobody is waited for.
  private func prepare() throws {
    _ = try compact(ann)
    world.advance(milliseconds: Self.limits.horizon)
    _ = try compact(ann)
    world.advance(milliseconds: CompactionLimits.week)
  }

  @Test("keeps that while it lies in the folder and is not imported, and the survey says so")
  func keeps() throws {
    try prepare()
    try world.deliver(branch, to: ann.folder)
    let dead = try Compactor(device: ann.device, limits: Self.limits).survey().dead
    #expect(dead.kept == [.unread: 18] && dead.due == 0)
    #expect(try compact(ann).dropped == 0)
    #expect(try world.newcomersDump(of: ann.folder).contains("former"))
    try world.remove(branch.path(in: ann.folder))
    #expect(try compact(ann).dropped == 18)
  }

  @Test("keeps that while the directory is away in which it lies")
  func away() throws {
    try prepare()
    try world.deliver(branch, to: ann.folder)
    let directory = ann.folder.appending("logs").appending(ann.directory)
    let aside = ann.folder.appending(".aside")
    try world.files.rename(directory, to: aside)
    #expect(try compact(ann).dropped == 0)
    try world.files.rename(aside, to: directory)
    #expect(try compact(ann).dropped == 0)
    try world.remove(branch.path(in: ann.folder))
    #expect(try compact(ann).dropped == 18)
  }

  @Test("keeps its stream as it is once it is here, and all that is dead if the folder lacks more")
  func held() throws {
    try prepare()
    #expect(try compact(ann).dropped == 18)
    try world.deliver(branch, to: ann.folder)
    try ann.importAll()
    try Self.write(21...40, by: ann)
    try prepare()
    func dead() throws -> CompactionSurvey.Dead {
      let compactor = Compactor(device: ann.device, limits: Self.limits)
      let dead = try compactor.survey().dead
      #expect(try compactor.glance(at: ann.device.container.list()).dead == dead)
      return dead
    }
    let before = try dead()
    #expect(before.held == [.branching: 1])
    #expect(before.kept.isEmpty && before.due == before.operations && before.due > 0)
    for file in try world.logs(in: ann.folder) where try file.decoded().segment.isReduced {
      try world.remove(file.path(in: ann.folder))
    }
    let after = try dead()
    #expect(after.kept == [.untold: before.operations] && after.due == 0)
    #expect(try Compactor(device: ann.device, limits: Self.limits).glance(at: nil).dead == before)
    #expect(try compact(ann).dropped == 0)
    try ann.importAll()
    #expect(try dead() == before)
    #expect(try compact(ann).dropped == before.due)
  }

  @Test("is told from what is known, also by hundreds of names")
  func manyNames() throws {
    let names = (1...300 as ClosedRange<UInt64>).map { number in
      ImportedNames.Name(stream: ann.stream, first: number, last: number, digest: number)
    }
    #expect(try ann.device.database.segmentNames(of: ann.stream, among: names).isEmpty)
    let known = try ann.device.database.segmentNames(of: ann.stream)
    let both = try ann.device.database.segmentNames(of: ann.stream, among: names + known)
    #expect(both == known && known.count == 20)
  }

  @Test("is put back whole by whoever has it, though another device wrote it")
  func putBack() throws {
    try world.mirror(ann, to: bob)
    try world.deliver(branch, to: bob.folder)
    try bob.importAll()
    try prepare()
    #expect(try compact(ann).dropped == 18)
    try world.mirror(ann, to: bob)
    let report = try bob.importAll()
    #expect(report.putBack == 1)
    let whole = try #require(try bob.device.database.completedSegments().first)
    #expect(try whole.first == 11 && whole.digest != branch.decoded().digest)
    // Ann, who has neither, can read it.
    try world.give(ann, to: bob)
    let files = try world.logs(in: bob.folder).filter { $0.directory == ann.directory }
    for file in files { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    #expect(try ann.dump() == bob.dump())
    #expect(try ann.device.database.frontier().applied.entries(of: ann.stream).count == 2)
    // And it is there for good.
    let file = try #require(try files.first { try $0.decoded().digest == whole.digest })
    try world.remove(file.path(in: bob.folder))
    #expect(try bob.importAll().putBack == 1)
    #expect(try bob.importAll().putBack == 0)
  }
}
