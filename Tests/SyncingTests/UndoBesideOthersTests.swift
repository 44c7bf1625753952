import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Undoing beside what others did") struct UndoBesideOthersTests {
  let world: World
  let ann: Peer
  let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  /// Both get what the other has written.
  private func exchange() throws {
    for peer in [ann, bob] { try peer.publish() }
    try world.give(ann, to: bob)
    try world.give(bob, to: ann)
    #expect(try ann.dump() == bob.dump())
  }

  /// Returns the number of the transaction.
  @discardableResult
  private func edit(_ peer: Peer, _ edit: KindEdit, at pointer: String) throws -> UInt64 {
    let path = try #require(Path(pointer: pointer))
    world.advance(milliseconds: 10)
    let result = try peer.write { _ = try $0.edit(edit, at: path, of: Peer.key("x")) { _ in } }
    return try #require(result.sequence)
  }

  /// Undoes a transaction of ann's; returns what was left alone, and the undo's number.
  @discardableResult
  private func undo(
    _ sequence: UInt64, isForced: Bool = false
  ) throws -> (left: [String], sequence: UInt64?) {
    var left: [StoreWriter.LeftAlone] = []
    let result = try ann.write { writer in
      left = try writer.undo("\(ann.stream):\(sequence)", isForced: isForced)
    }
    return (left.map(\.path.pointer), result.sequence)
  }

  private static func set(_ elements: String...) -> Set<SetElement> {
    Set(elements.map { SetElement(.string(ByteString($0))) })
  }

  @Test("takes an increment back once, however often and with whatever force")
  func incrementOnce() throws {
    try ann.put("x", #"{"n":7,"title":"old"}"#)
    let both = try ann.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"n":7,"title":"new"}"#), at: Peer.key("x"))
      let path = try #require(Path(pointer: "/n"))
      _ = try writer.edit(.increment(1), at: path, of: Peer.key("x")) { _ in }
    }
    let sequence = try #require(both.sequence)
    try ann.put("x", #"{"n":8,"title":"newer"}"#)
    #expect(try undo(sequence).left == ["/title"])
    #expect(try ann.body("x") == #"{"n":7,"title":"newer"}"#)
    #expect(try undo(sequence).left == ["/n", "/title"])
    #expect(try ann.body("x") == #"{"n":7,"title":"newer"}"#)
    #expect(try undo(sequence, isForced: true).left == [])
    #expect(try ann.body("x") == #"{"n":7,"title":"old"}"#)
  }

  @Test(
    "restores what was counted before, where the transaction wrote the count anew and added to it")
  func startAndIncrement() throws {
    try edit(ann, .increment(3), at: "/n")
    let both = try ann.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"n":100}"#), at: Peer.key("x"))
      let path = try #require(Path(pointer: "/n"))
      _ = try writer.edit(.increment(5), at: path, of: Peer.key("x")) { _ in }
    }
    #expect(try ann.body("x") == #"{"n":105}"#)
    #expect(try undo(try #require(both.sequence)).left == [])
    #expect(try ann.body("x") == #"{"n":3}"#)
    try edit(ann, .increment(1), at: "/n")
    #expect(try ann.body("x") == #"{"n":4}"#)
  }

  @Test("takes an increment back again once its undo is undone")
  func incrementAgain() throws {
    try ann.put("x", #"{"n":0}"#)
    try edit(ann, .increment(1), at: "/n")
    let five = try edit(ann, .increment(5), at: "/n")
    let undone = try #require(try undo(five).sequence)
    #expect(try ann.body("x") == #"{"n":1}"#)
    try undo(undone)
    #expect(try ann.body("x") == #"{"n":6}"#)
    #expect(try undo(five).left == [])
    #expect(try ann.body("x") == #"{"n":1}"#)
  }

  @Test("does not take an increment for taken back by somebody who did not know of it")
  func oppositeByChance() throws {
    try ann.put("x", #"{"n":0}"#)
    try edit(ann, .increment(1), at: "/n")
    try exchange()
    let one = try edit(ann, .increment(1), at: "/n")
    try edit(bob, .increment(-1), at: "/n")
    try exchange()
    #expect(try undo(one).left == [])
    #expect(try ann.body("x") == #"{"n":0}"#)
  }

  @Test("leaves a document that somebody else made alike")
  func equalInserts() throws {
    try ann.put("x", #"{"a":1}"#)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"a":1}"#)
    try exchange()
    #expect(try undo(1).left == [""])
    #expect(try ann.body("x") == #"{"a":1}"#)
    #expect(try undo(1, isForced: true).left == [])
    #expect(try ann.body("x") == nil)
  }

  @Test("leaves a value that somebody else wrote alike")
  func equalValues() throws {
    try ann.put("x", #"{"a":1,"b":1}"#)
    try exchange()
    try ann.put("x", #"{"a":2,"b":2}"#)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"a":2,"b":1}"#)
    try exchange()
    #expect(try undo(2).left == ["/a"])
    #expect(try ann.body("x") == #"{"a":2,"b":1}"#)
  }

  @Test("leaves an element that somebody else added, and takes out its own")
  func equalElements() throws {
    try edit(ann, .elements(adding: Self.set("a"), removing: []), at: "/s")
    try exchange()
    let two = try edit(ann, .elements(adding: Self.set("x", "y"), removing: []), at: "/s")
    try edit(bob, .elements(adding: Self.set("x"), removing: []), at: "/s")
    try exchange()
    #expect(try undo(two).left == ["/s"])
    #expect(try ann.body("x") == #"{"s":["a","x"]}"#)
    #expect(try undo(two, isForced: true).left == [])
    #expect(try ann.body("x") == #"{"s":["a"]}"#)
  }

  @Test("does not put back an element that somebody else took out, too")
  func equalRemovals() throws {
    try edit(ann, .elements(adding: Self.set("a", "b", "c"), removing: []), at: "/s")
    try exchange()
    let removal = try edit(
      ann, .elements(adding: [], removing: Self.set("b", "c")), at: "/s")
    try edit(bob, .elements(adding: [], removing: Self.set("b")), at: "/s")
    try exchange()
    #expect(try undo(removal).left == ["/s"])
    #expect(try ann.body("x") == #"{"s":["a","c"]}"#)
  }

  /// Carl has what bob wrote, and not what bob had seen of ann.
  @Test("leaves alone, and names, what a removal takes away that waits")
  func waitingRemoval() throws {
    let carl = try world.peer("carl", in: try world.folder("carl"))
    try ann.put("x", #"{"m":{"k":0},"o":1}"#)
    for peer in [bob, carl] { try world.give(publishing(ann), to: peer) }
    try ann.put("y", "{}")
    try world.give(publishing(ann), to: bob)
    try bob.put("x", #"{"m":{"k":1},"o":1}"#)
    for file in try world.logs(in: publishing(bob).folder) where file.directory == bob.directory {
      try world.deliver(file, to: carl.folder)
    }
    try carl.importAll()
    try carl.put("x", #"{"o":2}"#)
    #expect(try carl.device.database.counts().pendingRemovals == 1)
    var left: [String] = []
    try carl.write { writer in
      left = try writer.undo("\(carl.stream):1").map(\.path.pointer)
    }
    #expect(left == ["/m/k"])
    #expect(try carl.body("x") == #"{"o":1}"#)
  }

  private func publishing(_ peer: Peer) throws -> Peer {
    try peer.publish()
    return peer
  }

  @Test("brings back, where forced, the value that a count had taken the place of")
  func forcedValue() throws {
    try bob.put("x", #"{"a":1.5,"b":2}"#)
    let count = try edit(ann, .increment(3), at: "/a/n")
    world.advance(milliseconds: 10)
    try bob.delete("x")
    try exchange()
    #expect(try ann.body("x") == #"{"a":{"n":3},"b":2}"#)
    #expect(try undo(count, isForced: true).left == [])
    #expect(try ann.body("x") == #"{"a":1.5,"b":2}"#)
    try exchange()
  }

  @Test("brings back, where forced, the object that a count had taken the place of")
  func forcedObject() throws {
    try bob.put("x", #"{"b":2,"n":{"a":"s"}}"#)
    world.advance(milliseconds: 10)
    let count = try edit(ann, .increment(3), at: "/n")
    try exchange()
    #expect(try ann.body("x")?.contains(#""n":3"#) == true)
    #expect(try undo(count, isForced: true).left == [])
    #expect(try ann.body("x")?.contains(#""n":{"a":"s"}"#) == true)
    try exchange()
  }

  @Test("leaves of what kind is what it does not touch")
  func otherKinds() throws {
    try ann.put("x", #"{"a":0}"#)
    try edit(ann, .elements(adding: Self.set("p"), removing: []), at: "/s")
    try ann.put("x", #"{"a":1,"s":["p"]}"#)
    try exchange()
    try bob.put("x", #"{"a":1,"s":"x"}"#)
    try bob.put("x", #"{"a":1,"s":[3,1,1]}"#)
    world.advance(milliseconds: 10)
    try ann.delete("x")
    try exchange()
    #expect(try ann.body("x") == #"{"a":1,"s":[3,1,1]}"#)
    try undo(3)
    #expect(try ann.body("x") == #"{"a":0,"s":[3,1,1]}"#)
  }
}
