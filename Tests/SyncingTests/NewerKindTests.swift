import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import Testing

/// Ann has imported what a newer program wrote: a document, then something to `/list` of it that
/// only that program understands.
private struct Scene {
  let world: World
  let ann: Peer
  var author: NewerAuthor

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    author = NewerAuthor(world)
    try author.write(
      [
        author.operation(.clear), author.operation(.set, "/title", [6, UInt8(ascii: "x")]),
      ], to: ann.folder)
    try author.write([author.operation(author.append, "/list", [1, 2, 3])], to: ann.folder)
    try ann.importAll()
  }

  /// How far Ann's last transaction claims to have seen the author.
  func claimed() throws -> UInt64 {
    try ann.publish()
    let own = try world.logs(in: ann.folder).filter { $0.directory == ann.directory }
    let last = try #require(own.last)
    let segment = try SegmentFile.decode(last.bytes).segment
    return Context(try #require(segment.transactions.last).changes).sequence(of: author.stream)
  }

  /// What opening the database with a newer program does.
  func upgrade() throws {
    let known = KindCodes.known.union(KindCodes(author.append))
    let isDone = try ann.device.database.write { try KindUpgrade.run($0, known: known) }
    #expect(isDone)
  }
}

@Suite("What only a newer version understands") struct NewerKindTests {
  @Test("is kept, does not show, and is counted")
  func kept() throws {
    let scene = try Scene()
    #expect(try scene.ann.body("doc") == #"{"title":"x"}"#)
    let document = try #require(try scene.ann.device.database.document(at: Peer.key("doc")))
    #expect(document.newerPaths.map(\.pointer) == ["/list"])
    let counts = try scene.ann.device.database.counts()
    #expect(counts.newerDocuments == 1 && counts.newerTransactions == 1)
    #expect(counts.conflicts == 0)
    #expect(try scene.ann.rows("SELECT body FROM documents") == [#"{"title":"x"}"#])
  }

  @Test("is claimed by nobody before an upgrade, nor is what follows it")
  func claims() throws {
    var scene = try Scene()
    try scene.author.write([scene.author.operation(.clear, id: "other")], to: scene.ann.folder)
    try scene.ann.importAll()
    #expect(try scene.ann.body("other") == "{}")
    try scene.ann.put("mine", "{}")
    #expect(try scene.claimed() == 1)
    try scene.upgrade()
    try scene.ann.put("mine", #"{"n":1}"#)
    #expect(try scene.claimed() == 3)
  }

  @Test("is not written over, while its neighbours are")
  func refused() throws {
    let scene = try Scene()
    let before = try scene.ann.dump()
    for body in [#"{"list":[],"title":"x"}"#, #"{"list":{"a":1},"title":"x"}"#] {
      let error = #expect(throws: StorageError.self) { try scene.ann.put("doc", body) }
      #expect(error == .newerOperations(Peer.key("doc"), Path(keys: ["list"])))
    }
    #expect(throws: StorageError.self) {
      try scene.ann.write {
        _ = try $0.edit(
          .increment(1), at: Path(keys: ["list"]), of: Peer.key("doc"), check: { _ in })
      }
    }
    #expect(try scene.ann.dump() == before)
    #expect(try scene.ann.put("doc", #"{"title":"y"}"#) == .changed)
    #expect(try scene.ann.body("doc") == #"{"title":"y"}"#)
    #expect(try scene.ann.device.database.counts().newerDocuments == 1)
  }

  @Test("is not settled away where its document has not come, but for the document's absence")
  func withoutInsert() throws {
    let scene = try Scene()
    let bob = try scene.world.peer("bob", in: try scene.world.folder("bob"))
    var other = NewerAuthor(scene.world, stream: StreamID(rawValue: 0xBEE))
    try other.write([scene.author.operation(scene.author.append, "/title", [1])], to: bob.folder)
    try bob.importAll()
    try bob.put("doc", #"{"b":1}"#)
    let listed = try bob.device.database.readSnapshot { try $0.conflicts(of: Peer.key("doc")) }
    #expect(listed.map(\.kind) == [.missingInsert])
    for choice in [ConflictChoice.listed(1), .value(.object(JSONObject()))] {
      let error = #expect(throws: StorageError.self) {
        try bob.write { try $0.resolve(Peer.key("doc"), at: .root, by: choice) }
      }
      #expect(error == .newerOperations(Peer.key("doc"), Path(keys: ["title"])))
    }
    try bob.write { try $0.resolve(Peer.key("doc"), at: .root, by: .listed(2)) }
    #expect(try bob.body("doc") == nil)
  }

  @Test("goes with its document, which others hear of after the upgrade")
  func deleted() throws {
    let scene = try Scene()
    #expect(try scene.ann.delete("doc") == .changed)
    #expect(try scene.ann.body("doc") == nil)
    #expect(try scene.ann.device.database.counts().pendingRemovals == 1)
    #expect(try scene.ann.device.database.unpublishedCount() == 0)
    try scene.upgrade()
    try scene.ann.importAll()
    #expect(try scene.ann.device.database.counts().pendingRemovals == 0)
    #expect(try scene.claimed() == 2)
  }

  @Test("is written over once a newer program has opened the database, which no older one opens")
  func reopened() throws {
    let scene = try Scene()
    let known = KindCodes.known.union(KindCodes(scene.author.append))
    let database = try KindCodes.$understood.withValue(known) {
      let database = try StoreDatabase.inMemory(copying: scene.ann.device.database)
      let ann = try scene.world.peer("ann", in: scene.ann.folder, database: database)
      #expect(try database.counts().newerTransactions == 0)
      #expect(try ann.put("doc", #"{"list":[]}"#) == .changed)
      #expect(try ann.body("doc") == #"{"list":[]}"#)
      #expect(try database.frontier().open.isEmpty)
      return database
    }
    #expect(throws: StorageError.self) { try StoreDatabase.inMemory(copying: database) }
  }

  @Test("is told to those who follow the store, once it is understood")
  func told() throws {
    let scene = try Scene()
    let database = scene.ann.device.database
    let position = try database.changePosition()
    try scene.upgrade()
    guard case .commits(let commits) = try database.changes(after: position) else {
      Issue.record("the changes are not kept")
      return
    }
    let documents = commits.flatMap(\.origins).flatMap(\.documents)
    #expect(documents.map(\.key) == [Peer.key("doc")])
    #expect(documents.first?.paths.map(\.pointer).contains("/list") == true)
    #expect(try database.counts().newerTransactions == 0)
    // Once is enough.
    try scene.upgrade()
    #expect(try database.changes(after: try database.changePosition()) == .commits([]))
  }
}
