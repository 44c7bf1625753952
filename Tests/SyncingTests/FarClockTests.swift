import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("A clock with its top bit set") struct FarClockTests {
  /// The year 9000: beyond what 63 bits hold.
  private static let far: Int64 = 221_845_392_000_000

  // Lesson 13.
  @Test("is kept by the database, and nothing earlier lowers it")
  func kept() throws {
    #expect(HybridTime(milliseconds: Self.far).rawValue > UInt64(Int64.max))
    let scene = try TwoAuthors()
    // What bob wrote by a clock far ahead.
    scene.world.advance(milliseconds: Self.far - scene.world.ambient.now())
    try scene.bob.put("far", "{}")
    try scene.bob.publish()
    let bobFiles = try scene.world.logs(in: scene.bob.folder)
      .filter { $0.directory == scene.bob.directory }
    scene.world.advance(milliseconds: 1_767_225_600_000 - Self.far)
    try scene.deliver(bobFiles)
    try scene.reader.importAll()

    func time(of peer: Peer) throws -> Int64? {
      try scene.reader.device.database.streamSummaries()
        .first { $0.stream == peer.stream }?.writtenAt
    }
    #expect(try time(of: scene.bob) == Self.far)
    // Earlier times that arrive later.
    try scene.deliver(scene.annFiles)
    try scene.reader.importAll()
    #expect(try time(of: scene.ann) == 1_767_225_600_000)
    for number in 1...2 {
      try scene.reader.put("mine", #"{"n":\#(number)}"#)
      #expect(try time(of: scene.reader) ?? 0 >= Self.far)
    }
    // Having seen implies a later stamp: the value just written shows, there too.
    try scene.reader.publish()
    let written = try scene.world.logs(in: scene.reader.folder)
      .filter { $0.directory == scene.reader.directory }
    for file in written + scene.annFiles { try scene.world.deliver(file, to: scene.bob.folder) }
    try scene.bob.importAll()
    #expect(try scene.bob.dump() == scene.reader.dump())
    #expect(try scene.bob.body("mine") == #"{"n":2}"#)
  }
}
