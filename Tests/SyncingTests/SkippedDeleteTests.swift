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

  @Test("does not take away a document that has been written since")
  func written() throws {
    let scene = try Scene()
    try scene.reader.put("d", #"{"n":9,"count":1}"#)
    let dumps = try scene.finish()
    #expect(try scene.bob.body("d") == #"{"count":1,"n":9}"#)
    #expect(Set(dumps).count == 1)
    #expect(dumps[0].hasSuffix("conflicts: 0"))
  }

  @Test("does not take away a document of which a counter has been counted since")
  func counted() throws {
    let scene = try Scene()
    try scene.reader.write {
      _ = try $0.edit(.increment(5), at: Path(keys: ["count"]), of: Peer.key("d")) { _ in }
    }
    let dumps = try scene.finish()
    #expect(try scene.bob.body("d") == #"{"count":6,"n":1}"#)
    #expect(Set(dumps).count == 1)
  }

  @Test("is made up for once: later edits write what they change alone")
  func once() throws {
    let scene = try Scene()
    for number in 2...9 { try scene.reader.put("d", #"{"n":\#(number),"count":1}"#) }
    let kept = try scene.reader.device.database.keptDocuments()
    let state = try #require(kept.first { $0.key == Peer.key("d") }).state
    // The first edit wrote all, the others one value each.
    let first = state.entries.filter { $0.effect.kind == .clear }.map(\.stamp.dot.sequence)
    #expect(first == [1])
    let count = state.entries.first { $0.effect.path == Path(keys: ["count"]) }
    #expect(count?.stamp.dot.sequence == 1)
    #expect(state.entries.count == 3)
    #expect(Set(try scene.finish()).count == 1)
  }
}
