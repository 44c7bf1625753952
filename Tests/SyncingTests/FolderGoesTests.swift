import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A folder that goes away while it is published to") struct FolderGoesTests {
  /// What happens to the folder.
  enum Fate: String, CaseIterable, Sendable {
    case gone
    case unmounted
    case replaced

    func befall(_ folder: FilePath, _ fake: InMemoryFileSystem) {
      fake.removeTree(folder)
      if self == .gone { return }
      fake.putDirectory(folder)
      let other = Marker(container: ContainerID(rawValue: 99), identifier: "other")
      if self == .replaced { fake.put(folder.appending(Marker.name), other.bytes) }
    }

    func error(_ folder: FilePath, expected: ContainerID) -> ContainerError {
      switch self {
      case .gone: .folderMissing(folder)
      case .unmounted: .markerMissing(folder)
      case .replaced:
        .otherContainer(folder, expected: expected, found: ContainerID(rawValue: 99))
      }
    }
  }

  @Test("keeps what is not there, and makes nothing in its place", arguments: Fate.allCases)
  func betweenBatches(fate: Fate) throws {
    for places in 1...3 {
      let fake = InMemoryFileSystem()
      let world = try World(.fake, fake: fake)
      let ann = try world.peer("ann", in: try world.folder("ann"))
      let ids = ["a", "b", "c", "d"]
      for id in ids { try ann.put(id, #"{"n":1}"#) }
      let folder = ann.folder
      // Right after the n-th file got its name, before it is known to be on the disk.
      let files = InterruptedFileSystem(fake, afterPlaces: places) { fate.befall(folder, fake) }
      let device = Device(
        record: ann.device.record, database: ann.device.database,
        container: ContainerFolder(root: folder, files: files), ambient: world.ambient)
      #expect(throws: (any Error).self) { try Publisher(device: device).publishAll() }
      #expect(try ann.device.database.unpublishedCount() == ids.count - places + 1)
      let expected = fate.error(folder, expected: world.marker.container)
      #expect(throws: expected) { try Publisher(device: device).publishAll() }
      #expect(try world.logs(in: folder).isEmpty)
      let names = (try? fake.list(folder).map(\.name)) ?? []
      #expect(names == (fate == .replaced ? [Marker.name] : []), "\(fate) after \(places)")

      // The folder is back, without the file that was being written.
      fake.put(folder.appending(Marker.name), world.marker.bytes)
      #expect(try ann.publish().transactions == ids.count - places + 1)
    }
  }
}
