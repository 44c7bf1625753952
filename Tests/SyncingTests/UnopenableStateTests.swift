import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("init where the known device's database cannot be opened") struct UnopenableStateTests {
  @Test("makes no second device, and no second container", arguments: [true, false])
  func noSecond(hasMarker: Bool) throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    let (marker, directory, stream) = try Self.prepare(house, folder)
    let state = house.directory.directory(of: marker.container)
    // Nobody has it open, so all of it is in this one file.
    #expect(try house.files.list(state).map(\.name) == ["store.sqlite"])
    let database = state.appending("store.sqlite")
    let kept = state.appending("kept")
    try house.move(database, to: kept)
    try house.files.publish(
      Array("no database at all\n".utf8), at: database, temporaryName: "t")
    if !hasMarker { try house.files.remove(folder.appending(Marker.name)) }
    let names = try house.files.list(house.directory.root).map(\.name)

    #expect(throws: StorageError.self) { try house.initialise(folder) }
    #expect(house.exists(folder.appending(Marker.name)) == hasMarker)
    #expect(try house.files.list(house.directory.root).map(\.name).count == names.count)
    #expect(try house.files.list(directory).count == 1)

    try house.files.remove(database)
    try house.move(kept, to: database)
    let done = try house.initialise(folder)
    #expect(done.isMarkerRestored == !hasMarker)
    #expect(done.marker == marker)
    #expect(done.device.record.stream == stream)
  }

  /// Makes a device with a segment.
  private static func prepare(
    _ house: Household, _ folder: FilePath
  ) throws -> (Marker, logs: FilePath, StreamID) {
    let made = try house.initialise(folder)
    let peer = try house.open()
    try peer.put("a", "{}")
    try peer.publish()
    return (made.marker, made.device.container.directory(of: peer.stream), peer.stream)
  }

  @Test("makes no new container where a device that has left was, while the marker is away")
  func left() throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder)
    _ = try house.directory.leave(try house.open().device, .published, process: "1")
    try house.files.remove(folder.appending(Marker.name))
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
  }
}
