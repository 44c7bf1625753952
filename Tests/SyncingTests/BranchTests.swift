import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A cloned device goes another way under the same stream; no reader may take that for known.
@Suite("Segments of another branch") struct BranchTests {
  /// A device with the stream of `original`, as a copied state has.
  private func clone(
    of original: Peer, in folder: FilePath, world: World
  ) throws -> Peer {
    let database = try StoreDatabase.inMemory()
    try database.save(
      DeviceRecord(
        container: world.marker.container, marker: world.marker.bytes, path: folder,
        stream: original.stream, name: "clone"))
    return try world.peer("clone", in: folder, database: database)
  }

  // Lesson 14.
  @Test("are set aside by a reader that has applied the first, however short")
  func setAside() throws {
    for extra in [0, 1] {
      let world = try World()
      let ann = try world.peer("ann", in: try world.folder("ann"))
      let twin = try clone(of: ann, in: try world.folder("twin"), world: world)
      let reader = try world.peer("reader", in: try world.folder("reader"))
      for number in 0...extra { try ann.put("a\(number)", #"{"from":"ann"}"#) }
      try ann.publish()
      try twin.put("a0", #"{"from":"the twin"}"#)
      try twin.publish()
      for file in try world.logs(in: ann.folder) { try world.deliver(file, to: reader.folder) }
      try reader.importAll()
      let before = try reader.dump()
      for file in try world.logs(in: twin.folder) { try world.deliver(file, to: reader.folder) }
      for _ in 0..<2 {
        let report = try reader.importAll()
        #expect(report.setAside.map(\.reason) == [.branch])
        #expect(report.duplicates == 0)
      }
      #expect(try reader.dump() == before)
    }
  }

  @Test("are not confused with the same content in a second folder, or joined into one file")
  func sameContent() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let reader = try world.peer("reader", in: try world.folder("reader"))
    for number in 0..<3 { try ann.put("a\(number)", "{}") }
    try ann.publish()
    let files = try world.logs(in: ann.folder)
    for file in files { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
    let name: FilePath.Component = "copies (1)"
    for file in files {
      try world.deliver(
        LogFile(directory: name, name: file.name, bytes: file.bytes), to: reader.folder)
    }
    let report = try reader.importAll()
    #expect(report.setAside.isEmpty)
    #expect(report.duplicates == files.count)
  }
}

@Suite("Publishing into a folder that goes away") struct VanishingFolderTests {
  @Test("keeps what is not in this device's container for later")
  func keepsTheOutbox() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("a", "{}")
    try world.files.remove(ann.device.container.markerFile)
    #expect(throws: ContainerError.self) { try ann.publish() }
    #expect(try ann.device.database.unpublishedCount() == 1)
    #expect(try world.logs(in: ann.folder).isEmpty)
  }
}
