import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 14 to 16: an undo, or the choice of what had lost, brings back what it was.
@Suite("What is brought back") struct BroughtBackTests {
  let world: World
  let eve: Peer
  let ann: Peer
  let bob: Peer
  let cem: Peer

  init() throws {
    world = try World()
    eve = try world.loner("eve")
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    cem = try world.loner("cem")
  }

  private var all: [Peer] { [eve, ann, bob, cem] }

  private func exchange() throws {
    for _ in 0..<2 {
      for source in all {
        for target in all where target.stream != source.stream {
          try world.send(from: source, to: target)
        }
      }
    }
    #expect(try Set(all.map { try $0.dump() }).count == 1)
  }

  private func edit(_ edit: KindEdit, at pointer: String, by peer: Peer) throws -> UInt64 {
    let path = try #require(Path(pointer: pointer))
    world.advance(milliseconds: 10)
    let result = try peer.write { _ = try $0.edit(edit, at: path, of: Peer.key("x")) { _ in } }
    return try #require(result.sequence)
  }

  private func add(_ amount: Int64, by peer: Peer) throws {
    _ = try edit(.increment(amount), at: "/n", by: peer)
  }

  private func put(_ body: String, by peer: Peer) throws -> UInt64 {
    world.advance(milliseconds: 10)
    let result = try peer.write { writer in
      _ = try writer.put(try JSONText.parse(body), at: Peer.key("x"))
    }
    return try #require(result.sequence)
  }

  private func undo(_ sequence: UInt64, of author: Peer, by peer: Peer) throws {
    world.advance(milliseconds: 10)
    var left: [StoreWriter.LeftAlone] = []
    try peer.write { left = try $0.undo("\(author.stream):\(sequence)") }
    #expect(left.isEmpty)
  }

  private func choose(_ number: Int, at pointer: String, by peer: Peer) throws {
    let path = try #require(Path(pointer: pointer))
    world.advance(milliseconds: 10)
    try peer.write { try $0.resolve(Peer.key("x"), at: path, by: .listed(number)) }
  }

  private func conflicts(_ peer: Peer) throws -> [DocumentConflict] {
    try peer.device.database.readSnapshot { try $0.conflicts(of: Peer.key("x")) }
  }

  /// Cem has a start of ann's that counts an increment of bob's, which cem has not.
  private func startAhead() throws -> UInt64 {
    try add(5, by: ann)
    try exchange()
    try eve.put("e", "{}")
    try world.send(from: eve, to: bob)
    try add(3, by: bob)
    try world.send(from: bob, to: ann)
    #expect(try ann.body("x") == #"{"n":8}"#)
    let start = try put(#"{"n":10}"#, by: ann)
    try world.send(from: ann, to: cem)
    #expect(try cem.body("x") == #"{"n":10}"#)
    return start
  }

  @Test("has not counted what only the number had that goes")
  func incrementNotHere() throws {
    try undo(try startAhead(), of: ann, by: cem)
    #expect(try cem.body("x") == #"{"n":5}"#)
    try exchange()
    #expect(try cem.body("x") == #"{"n":8}"#)
  }

  @Test("has counted what it had, also where nothing stands any more that says so")
  func removedBetween() throws {
    _ = try startAhead()
    let removed = try put("{}", by: cem)
    try undo(removed, of: cem, by: cem)
    #expect(try cem.body("x") == #"{"n":10}"#)
    try exchange()
    #expect(try cem.body("x") == #"{"n":10}"#)
  }

  @Test("names no increments that all have")
  func nothingToName() throws {
    for _ in 0..<5 { try add(1, by: ann) }
    let start = try put(#"{"n":0}"#, by: ann)
    try undo(start, of: ann, by: ann)
    #expect(try ann.body("x") == #"{"n":5}"#)
    let starts = try ann.device.database.keptDocuments().flatMap(\.state.entries)
      .filter { $0.effect.kind == .counter }
    #expect(starts.map { $0.effect.payload.count <= CounterStart.plainBytes } == [true])
  }

  @Test("does not bring a set back that a write on an earlier read did not touch")
  func untouchedSet() throws {
    _ = try put(#"{"t":0}"#, by: ann)
    let a = SetElement(.string("a"))
    _ = try edit(.elements(adding: [a], removing: []), at: "/s", by: ann)
    try exchange()
    let token = try #require(try bob.token("x"))
    _ = try put(#"{"t":0}"#, by: ann)
    try world.send(from: ann, to: bob)
    #expect(try bob.body("x") == #"{"t":0}"#)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"s":["a"],"t":1}"#, token: token)
    #expect(try bob.body("x") == #"{"t":1}"#)
    try exchange()
    #expect(try ann.body("x") == #"{"t":1}"#)
  }

  @Test("begins where a counter is begun anew, without what the one before had counted")
  func begunAnew() throws {
    _ = try startAhead()
    try cem.delete("x")
    try add(1, by: cem)
    #expect(try cem.body("x") == #"{"n":1}"#)
    try exchange()
    #expect(try cem.body("x") == #"{"n":1}"#)
  }

  @Test("by two, who have counted different things to the same number, is in conflict")
  func sameNumber() throws {
    try add(5, by: ann)
    try exchange()
    try add(2, by: ann)
    try add(2, by: bob)
    let start = try put(#"{"n":10}"#, by: eve)
    for peer in [ann, bob] {
      try world.send(from: eve, to: peer)
      #expect(try peer.body("x") == #"{"n":12}"#)
      try undo(start, of: eve, by: peer)
      #expect(try peer.body("x") == #"{"n":7}"#)
    }
    try exchange()
    #expect(try conflicts(cem).map(\.path.pointer) == ["/n"])
  }

  @Test("by two, who have chosen the same number of different counts, is in conflict")
  func sameChoice() throws {
    try add(5, by: ann)
    try exchange()
    try add(2, by: eve)
    try add(2, by: cem)
    _ = try put(#"{"n":100}"#, by: ann)
    _ = try put(#"{"n":200}"#, by: bob)
    try world.send(from: ann, to: bob)
    try world.send(from: bob, to: ann)
    try world.send(from: eve, to: ann)
    try world.send(from: cem, to: bob)
    for peer in [ann, bob] {
      #expect(try peer.body("x") == #"{"n":202}"#)
      try choose(2, at: "/n", by: peer)
      #expect(try peer.body("x") == #"{"n":102}"#)
    }
    try exchange()
    #expect(try conflicts(cem).map(\.path.pointer) == ["/n"])
  }

  @Test("is a plain array where it was one, though a set shows in its place")
  func plainArray() throws {
    let elements = Set([1, 5].map { SetElement(.integer($0)) })
    _ = try put(#"{"s":[2,1,2]}"#, by: bob)
    _ = try edit(.elements(adding: elements, removing: []), at: "/s", by: ann)
    try exchange()
    #expect(try bob.body("x") == #"{"s":[1,5]}"#)
    try choose(2, at: "/s", by: bob)
    #expect(try bob.body("x") == #"{"s":[2,1,2]}"#)
    try exchange()
    #expect(try ann.body("x") == #"{"s":[2,1,2]}"#)
  }

  @Test("has its order, though it was a set meanwhile")
  func arrayThatBecameASet() throws {
    _ = try put(#"{"s":["b","a"]}"#, by: ann)
    let added = try edit(
      .elements(adding: [SetElement(.string("c"))], removing: []), at: "/s", by: ann)
    #expect(try ann.body("x") == #"{"s":["a","b","c"]}"#)
    try undo(added, of: ann, by: ann)
    #expect(try ann.body("x") == #"{"s":["b","a"]}"#)
  }
}
