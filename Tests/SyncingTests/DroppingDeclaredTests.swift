import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Ann writes documents and deletes them, each in a segment of its own; nobody imports anything.
@Suite("Compaction drops a delete only once the folder lacks what it took away")
struct DroppingDeclaredTests {
  private static let old = ["old-1", "old-2", "old-3", "old-4"]

  private struct Scene {
    let world: World
    let folder: FilePath
    private(set) var ann: Peer
    let shown: String

    init() throws {
      world = try World()
      folder = try world.folder("shared")
      ann = try world.peer("ann", in: folder)
      for id in old {
        try ann.put(id, #"{"text":"what is deleted"}"#)
        try ann.publish()
      }
      _ = try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
      for id in old { try ann.delete(id) }
      try ann.publish()
      try ann.publish(1...3, to: "new")
      shown = try ann.dump()
    }

    @discardableResult func week() throws -> CompactionReport {
      world.advance(milliseconds: CompactionLimits.week)
      return try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
    }

    /// A week whose compaction is killed at one of its calls to the file system.
    ///
    /// - returns: whether it came to its end before.
    mutating func week(killedAt call: Int) throws -> Bool {
      let fake = try #require(world.fake)
      fake.kill(at: call)
      let done = Result { try week() }
      fake.reboot()
      ann = try world.peer("ann", in: folder, database: ann.device.database)
      if case .success = done { return true }
      return false
    }

    /// Whether the folder has an operation of a document that was deleted.
    func has(_ kind: OperationKind) throws -> Bool {
      let keys = Set(old.map { Peer.key($0) })
      return try world.logs(in: folder).flatMap { try $0.decoded().segment.transactions }
        .flatMap(\.operations).contains { $0.kind == kind && keys.contains($0.document) }
    }
  }

  /// How many weeks it takes until something is so.
  private static func weeks(
    until isSo: (Scene, CompactionReport) throws -> Bool
  ) throws -> Int {
    let scene = try Scene()
    for week in 1...20 {
      let report = try scene.week()
      if try isSo(scene, report) { return week }
    }
    return try #require(nil, "it takes longer than that")
  }

  @Test("the values first")
  func order() throws {
    let values = try Self.weeks { scene, _ in try !scene.has(.set) }
    let deletes = try Self.weeks { scene, _ in try !scene.has(.delete) }
    #expect(values < deletes)
  }

  @Test("also where the process dies that drops them, at whichever call")
  func killed() throws {
    let last = try Self.weeks { _, report in report.dropped > 0 }
    for call in 1...200 {
      var scene = try Scene()
      for _ in 1..<last { try scene.week() }
      let isDone = try scene.week(killedAt: call)
      for week in 1...9 {
        try scene.week()
        #expect(try scene.has(.delete) || !scene.has(.set), "call \(call), week \(week)")
        let shown = try scene.world.newcomersDump(of: scene.folder)
        #expect(shown == scene.shown, "call \(call), week \(week)")
      }
      #expect(try !scene.has(.delete), "call \(call)")
      if isDone { return }
    }
    Issue.record("it makes more calls than that")
  }
}
