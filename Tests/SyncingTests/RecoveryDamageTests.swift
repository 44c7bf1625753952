import DocumentStorage
import Syncing
import Testing

@Suite("A rebuild of a database part of which cannot be read") struct RecoveryDamageTests {
  @Test("publishes the other transactions of a file whose one is damaged")
  func outbox() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let before = try scene.house.open()
    for number in 1...3 { try before.put("x\(number)", "{}", isPublishedAtOnce: false) }
    #expect(try before.device.database.unpublishedCount() == 6)
    try scene.damage(
      """
      UPDATE outbox SET content = zeroblob(40)
      WHERE sequence = (SELECT max(sequence) - 1 FROM outbox)
      """)
    let recovery = try scene.rebuild()
    #expect(recovery.unreadable == 1)
    #expect(recovery.removals == 1)
    // What the folder had lost, three alone, and two of the three in one.
    #expect(recovery.published == 6)
    let peer = try scene.house.open()
    let report = try peer.importAll()
    #expect(report.gaps.count == 1)
    #expect(try peer.body("waiting") == #"{"n":1}"#)
    #expect(try peer.body("x1") == "{}")
    try peer.skip(before)
    #expect(try peer.body("x3") == "{}")
  }

  @Test("publishes what follows a damaged transaction so that it can be read without that")
  func whole() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let before = try scene.house.open()
    for number in 1...4 { try before.put("x\(number)", "{}") }
    try scene.damage(
      """
      UPDATE outbox SET content = zeroblob(40)
      WHERE sequence = (SELECT max(sequence) - 2 FROM outbox)
      """)
    #expect(try scene.rebuild().unreadable == 1)
    let peer = try scene.house.open()
    try peer.importAll()
    #expect(try peer.body("x1") == "{}")
    try peer.skip(before)
    #expect(try peer.body("x3") == "{}")
    #expect(try peer.body("x4") == "{}")
  }

  @Test("publishes all where it cannot be told how the streams stand")
  func streams() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.damage("UPDATE streams SET context = x'ff'")
    try Self.checkAll(scene, unreadable: 0)
  }

  @Test("tries the archive row by row where the list of a stream cannot be read")
  func archive() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.damage("UPDATE archive SET fingerprint = x'00'")
    try Self.checkAll(scene, unreadable: 3)
  }

  private static func checkAll(_ scene: RecoveryScene, unreadable: Int) throws {
    let recovery = try scene.rebuild()
    #expect(recovery.unreadable == unreadable)
    let peer = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.dump() == scene.expected)
    let kept = try peer.device.database.keptStreams()
    #expect(scene.streams.allSatisfy(kept.contains))
  }

  @Test("does not publish its removals again each time that it is gone on with")
  func removals() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    // So it never comes to its end.
    try scene.damage(
      "UPDATE archive SET content = zeroblob(9) WHERE id = (SELECT min(id) FROM archive)")
    #expect(try scene.rebuild().unreadable == 1)
    let peer = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.device.database.counts().pendingRemovals == 0)
    try peer.put("doc", #"{"n":3}"#)
    try peer.publish()
    let before = (try peer.dump(), try peer.device.database.ownSequence())
    for _ in 1...2 {
      let again = try scene.house.initialise(scene.folder)
      #expect(again.salvaged.map(\.report.unreadable) == [1])
      #expect(again.salvaged.map(\.report.removals) == [0])
    }
    // Not by a device that takes this one's place, either.
    #expect(try peer.device.database.ownSequence() == before.1)
    _ = try scene.rebuild()
    let next = try scene.house.open()
    for _ in 1...2 { try next.importAll() }
    #expect(try next.dump() == before.0)
    #expect(try next.device.database.ownSequence() == 0)
  }
}
