import DocumentStorage
import Replication
import Syncing
import SystemPackage
import Testing

/// Bob edits what ann has made, and the reader has something else that is numbered like ann's.
///
/// An insert counts as come where any branch of its stream has been applied that far, since its
/// name does not tell the branch. So bob's edit would show with whatever is made in its place,
/// though the reader was shown nothing.
@Suite("An edit of a document in whose place another branch has something else")
struct ForkedInsertTests {
  private let world: World
  private let ann: Peer
  private let twin: Peer
  private let bob: Peer
  private let reader: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.put("x", #"{"a":0}"#)
    try ann.publish()
    try world.give(ann, to: bob)
    try twin.put("other", "{}")
    try world.send(from: twin, to: reader)
  }

  /// All that the reader gets of ann's, and what that makes of it everywhere.
  private func expect(_ body: String, conflicts: [String] = []) throws {
    try reader.publish()
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == body)
    #expect(try reader.conflicts(of: "x") == conflicts)
    try reader.publish()
    let orders: [(FilePath.Component, [Peer])] = [
      ("late", [ann, twin, bob, reader]), ("later", [reader, bob, twin, ann]),
    ]
    for (name, order) in orders {
      let late = try world.peer(name.string, in: try world.folder(name))
      for peer in order {
        for file in try world.logs(in: peer.folder) { try world.deliver(file, to: late.folder) }
        try late.importAll()
      }
      #expect(try late.dump() == reader.dump())
    }
  }

  @Test("stays in a set that is begun in its place, and that the reader was not shown")
  func set() throws {
    try bob.add("from bob", to: "/s", of: "x")
    try world.send(from: bob, to: reader)
    #expect(try reader.body("x") == nil)
    try reader.add("from the reader", to: "/s", of: "x")
    #expect(try reader.body("x") == #"{"s":["from the reader"]}"#)
    try expect(#"{"a":0,"s":["from bob","from the reader"]}"#)
  }

  @Test("stays beside what is put in its place, at another path")
  func member() throws {
    try bob.put("x", #"{"a":0,"k":1}"#)
    try world.send(from: bob, to: reader)
    #expect(try reader.body("x") == nil)
    try reader.put("x", #"{"b":2}"#)
    #expect(try reader.body("x") == #"{"b":2}"#)
    try expect(#"{"a":0,"b":2,"k":1}"#)
  }

  @Test("is taken away by who was shown it and writes the document anew")
  func shown() throws {
    try bob.put("x", #"{"a":0,"k":1}"#)
    try world.send(from: bob, to: reader)
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == #"{"a":0,"k":1}"#)
    try reader.put("x", #"{"a":0}"#)
    try expect(#"{"a":0}"#)
  }
}
