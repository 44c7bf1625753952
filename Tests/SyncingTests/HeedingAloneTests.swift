import DocumentStorage
import Replication
import Synchronization
import Syncing
import SystemPackage
import TestSupport
import Testing

/// Ann has dropped what she wrote first; Bob has it still, and Cem joins.
@Suite("What a new device finds dropped") struct HeedingAloneTests {
  private let world: World
  private let ann: Peer
  private let bob: Recorded

  /// A device, and what it has asked its database for.
  private struct Recorded {
    let peer: Peer
    private let steps: Steps
    private let directory: TemporaryDirectory

    init(_ name: String, in folder: FilePath, of world: World) throws {
      let (directory, steps) = (try TemporaryDirectory(), Steps())
      (self.directory, self.steps) = (directory, steps)
      let database = try StoreDatabase(directory: directory.path, onTurn: { steps.note($0) })
      peer = try world.peer(name, in: folder, database: database)
    }

    /// How often it has read segments to compare them.
    var comparisons: Int { steps.count(of: "compared(_:_:_:besides:in:)") }
  }

  private final class Steps: Sendable {
    private let steps = Mutex<[String]>([])

    func note(_ turn: StoreTurn) {
      guard case .began(let step, _) = turn else { return }
      steps.withLock { $0.append(step.description) }
    }

    func count(of step: String) -> Int { steps.withLock { $0.count { $0 == step } } }
  }

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try Recorded("bob", in: try world.folder("bob"), of: world)
    try ann.publish(0..<20) { "n\($0 % 10)" }
    try compact(dropping: 0)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 0)
    try world.meet(ann, with: bob.peer)
    world.advance(milliseconds: CompactionLimits.week)
    try compact(dropping: 10)
  }

  private func compact(dropping count: Int) throws {
    let report = try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
    #expect(report.dropped == count)
  }

  private func isHeeded(by peer: Peer) throws -> Bool {
    let kept = try peer.device.database.archivedSegments(of: ann.stream).filter(\.isReduced)
    return !kept.isEmpty && kept.allSatisfy(\.isHeeded)
  }

  @Test("is compared with nothing, since nothing else is here")
  func alone() throws {
    let cem = try Recorded("cem", in: ann.folder, of: world)
    try cem.peer.importAll()
    #expect(try isHeeded(by: cem.peer))
    #expect(cem.comparisons == 0)
    #expect(try cem.peer.dump() == ann.dump())
    let states = try cem.peer.device.database.keptDocuments()
    #expect(states.allSatisfy { $0.state.forgotten == 0 })
  }

  @Test("as it is with what a former device has of it")
  func beside() throws {
    try world.mirror(ann, to: bob.peer)
    try bob.peer.importAll()
    #expect(try isHeeded(by: bob.peer))
    #expect(bob.comparisons > 0)
    #expect(try bob.peer.dump() == ann.dump())
  }
}
