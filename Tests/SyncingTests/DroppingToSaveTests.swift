import DocumentStorage
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann writes two documents over and over; Bob has a folder of his own, and all that she wrote.
@Suite("What is dead is dropped where the folder becomes smaller by it")
struct DroppingToSaveTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private static let limits = CompactionLimits.small(fanOut: 4, savedShare: 8)

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  private func write(_ numbers: ClosedRange<Int>, filler: Int) throws {
    for number in numbers {
      // What does not compress, so that it takes what it takes.
      let text = (0..<filler).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
      try ann.put("n\(number % 2)", #"{"n":\#(number),"text":"\#(text)"}"#)
      try ann.publish()
    }
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: Self.limits).run()
  }

  private var bytes: Int {
    get throws { try world.logs(in: ann.folder).reduce(0) { $0 + $1.bytes.count } }
  }

  /// Joined and looked through, with all that Bob has to say said, and each grace over.
  private func ripen() throws {
    _ = try compact()
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact()
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
  }

  @Test("and stays where what stands in its place is larger than it was")
  func stays() throws {
    try write(1...20, filler: 0)
    try ripen()
    let (before, dump) = try (bytes, ann.dump())
    let survey = try Compactor(device: ann.device, limits: Self.limits).survey()
    #expect(survey.dead.due > 0)
    let report = try compact()
    #expect(report.dropped == 0 && report.written == 0)
    #expect(try bytes == before)
    // Not tried again before there is more.
    let again = try Compactor(device: ann.device, limits: Self.limits).survey()
    #expect(again.dead.due == 0 && (again.dead.kept[.few] ?? 0) > 0)
    #expect(try ann.dump() == dump)
  }

  @Test("and goes where there is more of it")
  func goes() throws {
    try write(1...20, filler: 60)
    try ripen()
    let (before, dump) = try (bytes, ann.dump())
    #expect(try compact().dropped > 0)
    #expect(try bytes * 8 <= before * 7)
    #expect(try ann.dump() == dump)
    #expect(try world.newcomersDump(of: ann.folder) == dump)
  }

  @Test("and goes when files are joined only if the joined one is smaller without")
  func joins() throws {
    try write(1...20, filler: 0)
    try ripen()
    let dump = try ann.dump()
    try write(21...24, filler: 0)
    let report = try compact()
    #expect(report.joined > 0 && report.dropped == 0)
    #expect(try world.newcomersDump(of: ann.folder) == ann.dump())
    #expect(try ann.dump() != dump)
  }

  @Test("and files are joined also where what is dead of them cannot be dropped any more")
  func joinsAll() throws {
    for round in 0..<3 {
      try write(round * 4 + 1...round * 4 + 4, filler: 60)
      #expect(try compact().written == 1)
    }
    world.advance(milliseconds: CompactionLimits.week)
    _ = try compact()
    let survey = try Compactor(device: ann.device, limits: Self.limits).survey()
    #expect(survey.dead.operations > 0)
    try world.meet(ann, with: bob)
    // Who has skipped something cannot say any more what nobody can need.
    for number in 0..<3 {
      try bob.put("a", #"{"n":\#(number)}"#, isPublishedAtOnce: false)
      try bob.put("b", #"{"n":\#(number)}"#)
      try bob.publish()
    }
    let files = try world.logs(in: bob.folder).filter { $0.directory == bob.directory }
    for file in [files[1], files[3]] { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    try #require(try ann.importAll().gaps.count == 1)
    try ann.skip(bob)
    try ann.device.database.retire(bob.stream, now: ann.device.ambient.now())
    world.advance(milliseconds: CompactionLimits.week)
    let after = try Compactor(device: ann.device, limits: Self.limits).survey().dead
    #expect(after.kept[.skipped] == after.operations && after.operations > 0 && after.due == 0)
    #expect(after.held == [.skipped: 1])
    try write(13...16, filler: 60)
    let reports = try [compact(), compact()]
    #expect(reports.map(\.dropped) == [0, 0])
    #expect(try ann.device.database.archivedSegments(of: ann.stream).count == 1)
  }
}
