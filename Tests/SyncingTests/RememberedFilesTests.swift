import SharedFolder
import Syncing
import SystemFiles
import Testing

/// A `watch` runs for months, and its files are joined again and again.
@Suite("What a process remembers of its own files") struct RememberedFilesTests {
  let world: World
  let ann: Peer
  let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  /// Joins Ann's files, and takes out of her folder what Bob has said that he has.
  private func compact() throws {
    let limits = CompactionLimits.small(fanOut: 4)
    _ = try Compactor(device: ann.device, limits: limits).run()
    try world.mirror(ann, to: bob)
    try bob.importAll()
    try bob.put("bob", #"{"heard":\#(try ann.device.database.ownSequence())}"#)
    try bob.publish()
    try world.give(bob, to: ann)
    _ = try Compactor(device: ann.device, limits: limits).run()
  }

  private func ownFiles() throws -> [LogFile] {
    try world.logs(in: ann.folder).filter { $0.directory == ann.directory }
  }

  @Test("does not grow with those that were taken out of the folder")
  func bounded() throws {
    let (importer, memory) = (Importer(device: ann.device), Publisher.Memory())
    for round in 0..<3 {
      try ann.publish((1...12).map { round * 12 + $0 }, to: "a")
      // It has seen them all before they are joined.
      for _ in 1...2 { _ = try importer.importAll() }
      try Publisher(device: ann.device).publishOwn(remembering: memory)
      #expect(importer.rememberedFiles.looks >= 12)
      #expect(importer.rememberedFiles.names >= 12)
      #expect(memory.count >= 12)
      try compact()
      world.advance(milliseconds: 1_000)
      _ = try importer.importAll()
      try Publisher(device: ann.device).publishOwn(remembering: memory)
      let present = try ownFiles().count
      #expect(present <= 3 * (round + 1))
      // What was joined once more may be made again, and is kept: one of many.
      #expect(importer.rememberedFiles.looks <= present + 2 * (round + 1))
      #expect(importer.rememberedFiles.names <= 2 * present + 1)
      #expect(memory.count <= 2 * present + 1)
    }
  }

  @Test("has those that the folder has lost: one that comes back with wrong bytes is found")
  func lost() throws {
    try ann.publish(1...3, to: "a")
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    let file = try #require(try ownFiles().first)
    let path = file.path(in: ann.folder)
    try world.remove(path)
    #expect(try importer.importAll().putBack == 1)
    var bytes = file.bytes
    bytes[bytes.count / 2] ^= 0x40
    try world.place(bytes, at: path)
    #expect(try importer.importAll().putBack == 1)
  }
}
