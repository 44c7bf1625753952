import DocumentStorage
import Replication
import Syncing
import Testing

/// Eve had seen what carl's clone wrote, which nobody else has; so nobody can tell whether she had
/// seen carl's own first transaction.
@Suite("What is in doubt beside what is certain") struct DoubtBesideCertaintyTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let carl: Peer
  private let eve: Peer
  private let reader: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    carl = try world.peer("carl", in: try world.folder("carl"))
    eve = try world.peer("eve", in: try world.folder("eve"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    let twin = try BranchTests.clone(of: carl, in: try world.folder("twin"), world: world)
    for id in ["z", "z2"] { try twin.put(id, "{}") }
    try twin.publish()
    try world.give(twin, to: eve)
  }

  private func resolve(at path: String? = nil, by number: Int) throws {
    try reader.write { writer in
      try writer.resolve(
        Peer.key("x"), at: path.flatMap { Path(pointer: $0) }, by: .listed(number))
    }
  }

  @Test("offers what would show without it, also where that undoes what is certain")
  func undoneAgain() throws {
    try ann.put("x", #"{"x":1,"y":2}"#)
    try ann.publish()
    for peer in [bob, carl, eve] { try world.give(ann, to: peer) }
    try bob.delete("x")
    try bob.publish()
    try carl.put("x", #"{"x":3,"y":2}"#)
    try carl.put("y", "{}")
    try carl.publish()
    for peer in [ann, bob, carl] { try world.give(peer, to: reader) }
    // Carl's edit undoes bob's delete.
    #expect(try reader.body("x") == #"{"x":3,"y":2}"#)
    try eve.delete("x")
    try eve.publish()
    try world.give(eve, to: reader)
    #expect(try reader.body("x") == nil)
    #expect(try reader.conflicts(of: "x") == [#"doubtful : absent, {"x":3,"y":2}"#])
    try resolve(by: 2)
    #expect(try reader.body("x") == #"{"x":3,"y":2}"#)
  }

  /// Eve writes a number in the place of an object in which Carl has written.
  @Test(
    "is settled by either value also where something else shows above what is hidden",
    arguments: [(1, #"{"o":5}"#), (2, #"{"o":{"x":7}}"#)])
  func belowANumber(choice: Int, shown: String) throws {
    try ann.put("x", #"{"o":{}}"#)
    try ann.publish()
    for peer in [carl, eve] { try world.give(ann, to: peer) }
    try carl.put("x", #"{"o":{"x":7}}"#)
    try carl.put("y", "{}")
    try carl.publish()
    world.advance(milliseconds: 10)
    try eve.put("x", #"{"o":5}"#)
    try eve.publish()
    for peer in [ann, carl, eve] { try world.give(peer, to: reader) }
    #expect(try reader.body("x") == #"{"o":5}"#)
    #expect(try reader.conflicts(of: "x").contains("doubtful /o/x: absent, 7"))
    try resolve(at: "/o/x", by: choice)
    #expect(try reader.body("x") == shown)
    // What Eve wrote may not be claimed as seen before the twin's branch is here.
    let rest = choice == 1 ? [] : [#"structure /o: {"x":7}, 5"#]
    #expect(try reader.conflicts(of: "x") == rest)
  }

  /// Eve writes a number where Carl has counted.
  private func writeOverCounter() throws {
    try carl.increment("/n", of: "x", by: 3)
    try carl.put("y", "{}")
    try carl.publish()
    world.advance(milliseconds: 10)
    try eve.put("x", #"{"n":7}"#)
    try eve.publish()
    for peer in [carl, eve] { try world.give(peer, to: reader) }
  }

  @Test("leaves what shows what it is, where that is chosen and a counter is hidden")
  func shownStaysPlain() throws {
    try writeOverCounter()
    #expect(try reader.body("x") == #"{"n":7}"#)
    #expect(try reader.conflicts(of: "x").contains("doubtful /n: 7, 3"))
    try resolve(at: "", by: 1)
    #expect(try reader.body("x") == #"{"n":7}"#)
    #expect(try reader.conflicts(of: "x") == [])
    let kept = try reader.device.database.keptDocuments().first { $0.key == Peer.key("x") }
    #expect(kept?.state.entries.contains { $0.effect.kind == .counter } == false)
  }

  @Test("makes what was hidden a counter again, where that is chosen")
  func hiddenGoesOnCounting() throws {
    try writeOverCounter()
    try resolve(at: "/n", by: 2)
    #expect(try reader.body("x") == #"{"n":3}"#)
    let kept = try reader.device.database.keptDocuments().first { $0.key == Peer.key("x") }
    #expect(kept?.state.entries.contains { $0.effect.kind == .counter } == true)
  }
}
