import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

/// What a counter's writer sees and may not claim yet must count once, neither twice nor never.
@Suite("A counter behind a stuck stream") struct StuckCounterTests {
  let world: World
  let eve: Peer
  let ann: Peer
  let bob: Peer

  init() throws {
    world = try World()
    eve = try world.loner("eve")
    ann = try world.loner("ann")
    bob = try world.loner("bob")
  }

  private func add(_ amount: Int64, by peer: Peer) throws {
    let path = try #require(Path(pointer: "/n"))
    world.advance(milliseconds: 10)
    try peer.write { _ = try $0.edit(.increment(amount), at: path, of: Peer.key("x")) { _ in } }
  }

  private func exchange() throws {
    let all = [eve, ann, bob]
    for source in all {
      for target in all where target.stream != source.stream {
        try world.send(from: source, to: target)
      }
    }
  }

  @Test("begins anew where the document was deleted, however its deletion comes out")
  func deleted() throws {
    try eve.put("e", "{}")
    try world.send(from: eve, to: ann)
    try add(5, by: ann)
    try ann.delete("x")
    try world.send(from: ann, to: bob)
    #expect(try bob.body("x") == nil)
    try add(1, by: bob)
    #expect(try bob.body("x") == #"{"n":1}"#)
    try exchange()
    for peer in [eve, ann, bob] { #expect(try peer.body("x") == #"{"n":1}"#) }
  }

  @Test("begins at what is put in place of a deleted one")
  func putAfterDelete() throws {
    try eve.put("e", "{}")
    try world.send(from: eve, to: ann)
    try add(5, by: ann)
    try ann.delete("x")
    try world.send(from: ann, to: bob)
    let path = try #require(Path(pointer: "/n"))
    world.advance(milliseconds: 10)
    try bob.write { writer in
      _ = try writer.put(
        try JSONText.parse(#"{"n":3}"#), at: Peer.key("x"), kinds: [path: .counter])
    }
    #expect(try bob.body("x") == #"{"n":3}"#)
    try exchange()
    for peer in [eve, ann, bob] { #expect(try peer.body("x") == #"{"n":3}"#) }
  }

  @Test("keeps an increment that had not arrived when its writer read it")
  func staleBase() throws {
    try add(1, by: ann)
    try exchange()
    try add(5, by: eve)
    try world.send(from: eve, to: ann)
    try ann.put("y", "{}")
    try world.send(from: ann, to: bob)
    #expect(try bob.body("x") == #"{"n":1}"#)
    let token = try #require(try bob.token("x"))
    try world.send(from: eve, to: bob)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"n":3}"#, token: token)
    #expect(try bob.body("x") == #"{"n":8}"#)
    try exchange()
    for peer in [eve, ann, bob] { #expect(try peer.body("x") == #"{"n":8}"#) }
  }
}
