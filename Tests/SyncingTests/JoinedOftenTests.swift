import DocumentStorage
import GRDB
import Replication
import Syncing
import Testing

/// Ann's files were joined, and what was dead of them dropped, for many years.
@Suite("Files that were joined as often as is counted") struct JoinedOftenTests {
  private let world: World
  private let ann: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    for start in [1, 3] {
      for number in start...start + 1 {
        try ann.put("n\(number)", "{}")
        try ann.publish()
      }
      #expect(try compact().joined == 2)
      try ann.device.database.write { try $0.execute(sql: "UPDATE joined SET level = 64") }
    }
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: .small()).run()
  }

  @Test("are joined once more, and can be read by their own device")
  func once() throws {
    #expect(try compact().joined == 2)
    let kept = try ann.device.database.archivedSegments(of: ann.stream)
    #expect(kept.map(\.sequences) == [1...4] && kept.map(\.level) == [64])
    #expect(try compact().joined == 0)
    #expect(try world.newcomersDump(of: ann.folder) == ann.dump())
  }
}
