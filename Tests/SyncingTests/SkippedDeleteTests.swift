import DocumentStorage
import Replication
import SharedFolder
import Syncing
import Testing

@Suite("A delete among what was skipped") struct SkippedDeleteTests {
  /// Ann wrote a document, deleted it, and wrote others; the reader misses the second file.
  private struct Scene {
    let world: World
    let ann: Peer
    let reader: Peer
    let bob: Peer
    let files: [LogFile]

    init() throws {
      world = try World()
      ann = try world.peer("ann", in: try world.folder("ann"))
      reader = try world.peer("reader", in: try world.folder("reader"))
      bob = try world.peer("bob", in: try world.folder("bob"))
      try ann.put("d", #"{"n":1,"count":1}"#, isPublishedAtOnce: false)
      try ann.put("x", "{}")
      try ann.publish()
      try ann.write(isPublishedAtOnce: false) { _ = try $0.delete(Peer.key("d")) }
      try ann.put("y", "{}")
      try ann.publish()
      try ann.put("e", "{}", isPublishedAtOnce: false)
      try ann.put("z", "{}")
      try ann.publish()
      files = try world.logs(in: ann.folder)
      try deliver([0, 2], to: reader)
      try reader.skip(ann)
    }

    func deliver(_ numbers: [Int], to peer: Peer) throws {
      for number in numbers { try world.deliver(files[number], to: peer.folder) }
      try peer.importAll()
    }

    /// Everybody gets what the reader wrote and what was missing.
    func finish() throws -> [String] {
      try reader.publish()
      for file in try world.logs(in: reader.folder) where file.directory == reader.directory {
        for peer in [bob, ann] { try world.deliver(file, to: peer.folder) }
      }
      try deliver([1], to: reader)
      try deliver([0, 1, 2], to: bob)
      try ann.importAll()
      return try [reader, bob, ann].map { try $0.dump() }
    }
  }

  @Test("takes away what has been written since, on all devices, and lists it as a conflict")
  func written() throws {
    let scene = try Scene()
    try scene.reader.put("d", #"{"n":9,"count":1}"#)
    let dumps = try scene.finish()
    #expect(Set(dumps).count == 1)
    #expect(dumps[0].hasSuffix("conflicts: 1"))
    #expect(try scene.bob.body("d") == nil)
    let kept = try scene.bob.device.database.keptDocuments()
    let state = try #require(kept.first { $0.key == Peer.key("d") }).state
    #expect(state.entries.contains { $0.effect.path == Path(keys: ["n"]) })
  }
}
