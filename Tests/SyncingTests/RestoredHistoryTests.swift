import DocumentStorage
import SystemFiles
import Testing

/// protocol.md 25: a database that was put back to a copy of before.
@Suite("The history that a restored device tells") struct RestoredHistoryTests {
  @Test("is whole while what the copy had not published leads up to what comes back")
  func waitingBeforeReturning() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("x", #"{"n":1}"#)
    let folder = try world.folder("restored")
    let copy = try StoreDatabase.inMemory(copying: ann.device.database)
    try ann.publish()
    try ann.put("x", #"{"n":2}"#)
    try ann.publish()

    try copy.save(
      DeviceRecord(
        container: world.marker.container, marker: world.marker.bytes, path: folder,
        stream: ann.stream, name: "restored"))
    let restored = try world.peer("restored", in: folder, database: copy)
    // The second leans on the first, which only the outbox of the copy has.
    for file in try world.logs(in: ann.folder)
    where file.name.string.hasPrefix("0000000000000002") {
      try world.deliver(file, to: restored.folder)
    }
    try restored.importAll()
    #expect(try restored.body("x") == #"{"n":2}"#)
    let recorded = try restored.device.database.readSnapshot { try $0.events(of: Peer.key("x")) }
    #expect(recorded.missing.isEmpty)
    #expect(recorded.history(of: Peer.key("x")).changes.count == 2)
  }
}
