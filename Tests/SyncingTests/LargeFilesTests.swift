import DocumentStorage
import Replication
import Syncing
import Testing

/// Ann loads twenty documents at once, and then writes over all of them at once; either file is too
/// large to be joined with anything.
@Suite("A file that was never joined, since it is large") struct LargeFilesTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let limits = CompactionLimits(
    fanOut: 2, mostParts: 64, bytes: 200, grace: CompactionLimits.week,
    horizon: 90 * 86_400_000)

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    for number in 1...2 {
      _ = try ann.write { writer in
        for document in 0..<20 {
          _ = try writer.put(
            try JSONText.parse(#"{"n":\#(number)}"#), at: Peer.key("n\(document)"))
        }
      }
      try ann.publish()
    }
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: limits).run()
  }

  @Test("loses what is dead of it as any other does, once everybody has what covers that")
  func drops() throws {
    #expect(try compact().joined == 0)
    try world.meet(ann, with: bob)
    // It stays for a while; then it is noted what is dead, and that stays for a while, too.
    world.advance(milliseconds: CompactionLimits.week - 1)
    #expect(try compact().dropped == 0)
    world.advance(milliseconds: 1)
    #expect(try compact().dropped == 0)
    world.advance(milliseconds: CompactionLimits.week)
    let before = try ann.dump()
    #expect(try compact().dropped == 20)
    #expect(try ann.dump() == before)
    #expect(try world.newcomersDump(of: ann.folder) == before)
  }
}
