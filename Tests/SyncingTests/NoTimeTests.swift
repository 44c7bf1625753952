import DocumentStorage
import Replication
import Syncing
import Testing

/// Ann's folder is so slow that all the time of each compaction is over before it begins.
@Suite("A compaction that has no time for anything") struct NoTimeTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  private func compact(
    _ limits: CompactionLimits, isCancelled: Bool = false
  ) throws -> CompactionReport {
    var compactor = Compactor(device: ann.device, limits: limits)
    compactor.isStopping = { true }
    compactor.isCancelled = { isCancelled }
    return try compactor.run()
  }

  /// What compactions come to until one finds nothing more to do.
  private func compactAll(_ limits: CompactionLimits) throws -> [CompactionReport] {
    var reports: [CompactionReport] = []
    for _ in 1...60 {
      reports.append(try compact(limits))
      if reports.last?.isStopped == false { return reports }
    }
    Issue.record("it takes more than that")
    return reports
  }

  private func files() throws -> Int {
    try world.logs(in: ann.folder).count { $0.directory == ann.directory }
  }

  @Test("joins a few files all the same, and removes one, so that a later one comes to the end")
  func joins() throws {
    let limits = CompactionLimits(
      fanOut: 2, mostParts: 4, bytes: 1 << 20, grace: CompactionLimits.week)
    for number in 1...12 {
      try ann.put("n\(number)", "{}")
      try ann.publish()
    }
    let called = try compact(limits, isCancelled: true)
    #expect(called.isStopped && called.written == 0)
    let first = try compact(limits)
    #expect(first.isStopped && first.joined == 4)
    _ = try compactAll(limits)
    try world.meet(ann, with: bob)
    let second = try compact(limits)
    #expect(second.isStopped && second.removed.count == 1)
    _ = try compactAll(limits)
    #expect(try files() == 1)
    #expect(try world.newcomersDump(of: ann.folder) == ann.dump())
  }

  @Test("drops what is dead, file by file")
  func drops() throws {
    let limits = CompactionLimits(
      fanOut: 2, mostParts: 64, bytes: 100, grace: CompactionLimits.week)
    for number in 1...4 {
      _ = try ann.write { writer in
        for document in 0..<20 {
          _ = try writer.put(
            try JSONText.parse(#"{"n":\#(number)}"#), at: Peer.key("n\(document)"))
        }
      }
      try ann.publish()
    }
    // They stay for a week; then it is noted what is dead, and that stays for a week, too.
    _ = try compactAll(limits)
    try world.meet(ann, with: bob)
    world.advance(milliseconds: CompactionLimits.week)
    // One for each, and one that finds nothing more.
    #expect(try compactAll(limits).count == 5)
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compactAll(limits).map(\.dropped).prefix(4) == [20, 20, 20, 0])
    #expect(try world.newcomersDump(of: ann.folder) == ann.dump())
  }
}
