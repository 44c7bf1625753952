import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A cloned device goes another way under the same stream; all that either wrote is kept.
@Suite("Branches of a stream") struct BranchTests {
  /// A device with the stream of `original`, as a copied state has.
  static func clone(of original: Peer, in folder: FilePath, world: World) throws -> Peer {
    let database = try StoreDatabase.inMemory()
    try database.save(
      DeviceRecord(
        container: world.marker.container, marker: world.marker.bytes, path: folder,
        stream: original.stream, name: "clone"))
    return try world.peer("clone", in: folder, database: database)
  }

  // Lesson 14.
  @Test("are applied by readers that meet them in either order, with the same outcome")
  func bothOrders() throws {
    for extra in [0, 1] {
      let world = try World()
      let ann = try world.peer("ann", in: try world.folder("ann"))
      let twin = try Self.clone(of: ann, in: try world.folder("twin"), world: world)
      for number in 0...extra { try ann.put("a\(number)", #"{"from":"ann"}"#) }
      try ann.publish()
      try twin.put("a0", #"{"from":"the twin"}"#)
      try twin.put("b", #"{"from":"the twin"}"#)
      try twin.publish()
      let sources = [ann, twin]
      let dumps = try [[0, 1], [1, 0]].map { order in
        let folder = try world.folder(order == [0, 1] ? "first" : "second")
        let reader = try world.peer("reader", in: folder)
        for index in order {
          for file in try world.logs(in: sources[index].folder) {
            try world.deliver(file, to: folder)
          }
          #expect(try reader.importAll().setAside.isEmpty)
        }
        #expect(try reader.importAll().segments == 0)
        return try reader.dump()
      }
      #expect(dumps[0] == dumps[1])
      #expect(dumps[0].contains("notes/b"))
      #expect(dumps[0].contains("conflicts: 1"))
    }
  }

  @Test("make both of their devices go on under new streams, and all end in the same state")
  func bothGoOn() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let twin = try Self.clone(of: ann, in: try world.folder("twin"), world: world)
    let bob = try world.peer("bob", in: try world.folder("bob"))
    let all = [ann, twin, bob]
    try ann.put("a", #"{"from":"ann"}"#)
    try twin.put("a", #"{"from":"the twin"}"#)
    try ann.put("late", "{}")
    for peer in all { try peer.publish() }
    try Self.exchange(world, all)
    for peer in [ann, twin] {
      #expect(try peer.device.database.device()?.stream != ann.stream)
    }
    try ann.put("a", #"{"from":"ann","settled":true}"#)
    try twin.put("b", "{}")
    try bob.put("c", "{}")
    try Self.exchange(world, all)
    #expect(try Set(all.map { try $0.dump() }).count == 1)
    #expect(try bob.body("a") == #"{"from":"ann","settled":true}"#)
    #expect(try bob.dump().contains("conflicts: 0"))
    #expect(try bob.device.database.streamSummaries().contains { $0.tips.count == 2 })
  }

  /// Publishes and imports until all folders hold the same files and nobody has anything new.
  static func exchange(_ world: World, _ peers: [Peer]) throws {
    for _ in 0..<4 {
      for peer in peers { try peer.importAll() }
      let files = try peers.flatMap { try world.logs(in: $0.folder) }
      for peer in peers {
        let present = Set(try world.logs(in: peer.folder).map(\.key))
        for file in files where !present.contains(file.key) {
          try world.deliver(file, to: peer.folder)
        }
      }
    }
  }

  @Test("whose beginning is missing wait, and say so")
  func branchWithoutItsBeginning() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let twin = try Self.clone(of: ann, in: try world.folder("twin"), world: world)
    let reader = try world.peer("reader", in: try world.folder("reader"))
    for number in 0..<2 { try ann.put("a\(number)", "{}") }
    try ann.publish()
    for number in 0..<2 {
      try twin.put("t\(number)", "{}")
      try twin.publish()
    }
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: reader.folder) }
    let branch = try world.logs(in: twin.folder)
    try world.deliver(try #require(branch.last), to: reader.folder)
    let report = try reader.importAll()
    #expect(report.missing == [Missing(stream: ann.stream, range: 1...1)])
    #expect(report.setAside.isEmpty)
    try world.deliver(try #require(branch.first), to: reader.folder)
    #expect(try reader.importAll().missing.isEmpty)
    #expect(try reader.body("t0") == "{}" && reader.body("t1") == "{}")
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
    #expect(try reader.device.database.streamSummaries().allSatisfy { $0.tips.count <= 1 })
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
