import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A query has a row's bytes and nothing else; what a branch of a stream meant, they must say.
@Suite("A query of documents on a branched stream") struct BranchedQueryTests {
  /// Ann, a clone of hers, and bob, who has seen two transactions of the clone and none of ann's.
  private struct Scene {
    let world: World
    let ann: Peer
    let twin: Peer
    let bob: Peer
    let reader: Peer

    /// - parameter body: what the document `a` is before that, everywhere.
    init(startingWith body: String) throws {
      world = try World()
      ann = try world.peer("ann", in: try world.folder("ann"))
      twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
      bob = try world.peer("bob", in: try world.folder("bob"))
      reader = try world.peer("reader", in: try world.folder("reader"))
      try reader.createIndex("y")
      try bob.put("a", body)
      try bob.publish()
      for peer in [ann, twin, reader] { try world.give(bob, to: peer) }
      for id in ["t", "u"] {
        try twin.put(id, "{}")
        try twin.publish()
      }
      try world.give(twin, to: bob)
    }

    /// Writes a document later than all that was written before.
    func write(_ peer: Peer, _ id: String, _ body: String) throws {
      world.advance(milliseconds: 10)
      try peer.put(id, body)
      try peer.publish()
    }

    /// The documents that those who follow the reader are told of.
    func told(after position: Int64) throws -> [String] {
      guard case .commits(let commits) = try reader.device.database.changes(after: position) else {
        return []
      }
      let documents = commits.flatMap(\.origins).flatMap(\.documents)
      return Set(documents.map { $0.key.id.description }).sorted()
    }

    func queried() throws -> [String] {
      try reader.rows("SELECT body FROM documents WHERE id = 'a'")
    }

    func found(_ y: Int) throws -> [String] {
      try reader.rows("SELECT id FROM documents WHERE collection = 'notes' AND body ->> 'y' = \(y)")
    }
  }

  @Test("shows what a delete did not mean, though it had seen as much of another branch")
  func keptDelete() throws {
    let scene = try Scene(startingWith: #"{"y":1}"#)
    try scene.bob.delete("a")
    try scene.bob.publish()
    try scene.write(scene.ann, "a", #"{"y":2}"#)
    for peer in [scene.twin, scene.bob, scene.ann] {
      try scene.world.give(peer, to: scene.reader)
    }
    #expect(try scene.reader.body("a") == #"{"y":2}"#)
    #expect(try scene.queried() == [#"{"y":2}"#])
    #expect(try scene.found(2) == ["a"])
  }

  @Test("shows another value when a branch has come, and followers are told where")
  func judgedAgain() throws {
    let scene = try Scene(startingWith: "{}")
    try scene.write(scene.bob, "a", #"{"y":3}"#)
    try scene.write(scene.ann, "a", #"{"y":2}"#)
    try scene.write(scene.ann, "b", "{}")
    for peer in [scene.ann, scene.bob] { try scene.world.give(peer, to: scene.reader) }
    let database = scene.reader.device.database
    let (before, conflicts) = try (database.changePosition(), database.counts().conflicts)
    // Whether bob meant ann's value nobody can tell: it is hidden, and counts as a conflict.
    #expect(try scene.queried() == [#"{"y":3}"#])
    try scene.world.give(scene.twin, to: scene.reader)
    #expect(try database.counts().conflicts == conflicts)
    #expect(try scene.reader.body("a") == #"{"y":2}"#)
    #expect(try scene.queried() == [#"{"y":2}"#])
    #expect(try scene.found(3).isEmpty && scene.found(2) == ["a"])
    guard case .commits(let commits) = try database.changes(after: before) else {
      Issue.record("the changes are not kept")
      return
    }
    let told = commits.flatMap(\.origins).flatMap(\.documents).filter { $0.key == Peer.key("a") }
    #expect(told.flatMap(\.paths).map(\.pointer) == ["/y"])
    #expect(told.map(\.isDeleted) == [false])
  }

  @Test("lists another conflict where what was in doubt is known, and followers are told")
  func conflictKnown() throws {
    let scene = try Scene(startingWith: "{}")
    try scene.write(scene.ann, "a", #"{"y":2}"#)
    try scene.write(scene.ann, "b", "{}")
    try scene.write(scene.bob, "a", #"{"y":3}"#)
    for peer in [scene.ann, scene.bob] { try scene.world.give(peer, to: scene.reader) }
    let kinds = try scene.reader.conflicts(of: "a")
    let before = try scene.reader.device.database.changePosition()
    try scene.world.give(scene.twin, to: scene.reader)
    #expect(try scene.reader.conflicts(of: "a") != kinds)
    #expect(try scene.told(after: before) == ["a", "t", "u"])
  }

  @Test("shows what a removal takes away once it is published, and followers are told")
  func released() throws {
    let scene = try Scene(startingWith: "{}")
    try scene.bob.increment("/c", of: "a", by: 5)
    try scene.bob.publish()
    try scene.world.give(scene.bob, to: scene.reader)
    // What bob had seen is not here, so this waits.
    try scene.reader.put("a", "{}")
    try #require(try scene.reader.device.database.counts().pendingRemovals == 1)
    // Another branch than bob had seen: whether the removal means it is in doubt.
    try scene.ann.increment("/c", of: "a", by: 3)
    try scene.ann.publish()
    try scene.write(scene.ann, "b", "{}")
    try scene.world.give(scene.ann, to: scene.reader)
    let before = try scene.reader.device.database.changePosition()
    let shown = try scene.reader.body("a")
    _ = try scene.reader.device.database.giveUp(
      scene.ann.stream, upTo: 2, now: scene.reader.device.ambient.time, nonce: 1)
    #expect(try scene.reader.device.database.counts().pendingRemovals == 0)
    let isChanged = try scene.reader.body("a") != shown
    #expect(isChanged)
    #expect(try scene.told(after: before) == ["a"])
  }

  @Test("answers as `get` does after each step of a random history")
  func randomHistory() throws {
    var branchedCount = 0
    // Of the first eight, those with documents that it takes the lineage to judge.
    for seed in [3, 5, 6, 7] as [UInt64] {
      var history = try BranchedHistory(seed: seed)
      for _ in 1...80 { try history.checkRows(of: try history.step()) }
      for peer in history.peers { try history.checkIndex(of: peer) }
      branchedCount += history.branchedCount
    }
    // Else it would prove nothing.
    #expect(branchedCount > 10)
  }
}

/// Devices that write, are copied with their streams, and see parts of what others wrote.
private struct BranchedHistory {
  let world: World
  private(set) var peers: [Peer] = []
  /// How often a device was looked at that had a document whose bytes alone show something else.
  private(set) var branchedCount = 0
  private var published: [ImportableSegment] = []
  private var chance: SeededGenerator
  private static let mostDevices = 6
  /// These read much; the first and its copies little, since reading of one another they part.
  private static let readers = 1...2

  init(seed: UInt64) throws {
    world = try World(seed: seed)
    chance = SeededGenerator(seed: seed)
    for name in ["d0", "d1", "d2"] as [FilePath.Component] {
      let peer = try world.peer(name.string, in: try world.folder(name))
      try peer.createIndex("y")
      peers.append(peer)
    }
  }

  /// - returns: the device to which something happened.
  mutating func step() throws -> Peer {
    world.advance(milliseconds: Int64(chance.below(3)))
    let peer = peers[chance.below(peers.count)]
    switch chance.below(12) {
    case 0 where peers.count < Self.mostDevices: return try copy(peers[0])
    case 0..<7:
      try write(peer)
      return peer
    default:
      let isReader = chance.below(10) > 0
      let target = isReader ? peers[Self.readers.randomElement(using: &chance) ?? 1] : peer
      try deliver(to: target)
      return target
    }
  }

  private mutating func write(_ peer: Peer) throws {
    let key = Peer.key("\(chance.below(2))")
    let body = #"{"\#(chance.below(2) == 0 ? "x" : "y")":\#(chance.below(4))}"#
    let (patch, choice) = (try JSONText.parse(body), chance.below(6))
    try peer.write { writer in
      switch choice {
      case 0, 1: _ = try writer.delete(key)
      case 3: _ = try writer.put(patch, at: key)
      case 2: _ = try writer.edit(.increment(1), at: Path(keys: ["n"]), of: key) { _ in }
      default: _ = try writer.patch(patch, at: key)
      }
    }
    try peer.publish()
    try collect(from: peer)
  }

  /// Takes up what a device has published last.
  private mutating func collect(from peer: Peer) throws {
    let database = peer.device.database
    guard let stream = try database.device()?.stream,
      let last = try database.archivedSegments(of: stream).last,
      let bytes = try database.archivedBytes(of: last)
    else { return }
    published.append(
      ImportableSegment(
        segment: try SegmentFile.decode(bytes).segment, digest: last.digest, bytes: bytes,
        isUnderOwnName: true, file: FileKey(directory: [], name: [UInt8(published.count & 255)])))
  }

  private mutating func copy(_ peer: Peer) throws -> Peer {
    guard let name = FilePath.Component("d\(peers.count)") else { return peer }
    let folder = try world.folder(name)
    let database = try StoreDatabase.inMemory(copying: peer.device.database)
    let record = try #require(try database.device())
    try database.save(
      DeviceRecord(
        container: record.container, marker: record.marker, path: folder, stream: record.stream,
        name: name.string))
    let copy = try world.peer(name.string, in: folder, database: database)
    peers.append(copy)
    return copy
  }

  /// Some segments of all that were published come, in any order.
  private mutating func deliver(to peer: Peer) throws {
    for segment in published.shuffled(using: &chance).prefix(4) {
      _ = try peer.device.database.apply(
        [segment], now: peer.device.ambient.time, nonce: peer.device.nonce)
    }
  }

  mutating func checkRows(of peer: Peer) throws {
    var hasBranched = false
    for document in try peer.device.database.keptDocuments() {
      let body = document.state.view().body
      #expect(document.queriedBody == body, "\(document.key.id) of \(peer.device.record.name)")
      #expect(document.isVisible == (body != nil))
      #expect(document.conflictCount == document.state.view().conflictCount)
      if document.state.withoutLineage.view().body != body { hasBranched = true }
    }
    if hasBranched { branchedCount += 1 }
  }

  func checkIndex(of peer: Peer) throws {
    var expected: [Int: Set<String>] = [:]
    try peer.device.database.forEachDocument { key, body in
      guard case .object(let object) = try JSON(parsing: body),
        case .integer(let y)? = object["y"]
      else { return }
      expected[Int(y), default: []].insert(key.id.description)
    }
    for y in 0..<4 {
      let sql = "SELECT id FROM documents WHERE collection = 'notes' AND body ->> 'y' = \(y)"
      #expect(try Set(peer.rows(sql)) == expected[y, default: []])
    }
    let sql = "SELECT id, body FROM documents ORDER BY id"
    var dump: [String] = []
    try peer.device.database.forEachDocument { key, body in
      dump.append("\(key.id)|\(String(decoding: body, as: UTF8.self))")
    }
    #expect(try peer.rows(sql) == dump)
  }
}
