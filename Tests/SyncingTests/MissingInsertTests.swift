import DocumentStorage
import Replication
import Syncing
import Testing

/// Bob edits what ann has made, and the reader gets what bob wrote first.
@Suite("An edit of a document that has not come") struct MissingInsertTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let reader: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.put("x", #"{"a":0}"#)
    try ann.publish()
    try world.give(ann, to: bob)
  }

  private func bobEdits() throws {
    try bob.put("x", #"{"a":0,"k":1}"#)
    try bob.publish()
    try world.give(bob, to: reader)
  }

  /// Somebody who gets everything at once ends where the reader is.
  private func expectTheSameElsewhere() throws {
    let late = try world.peer("late", in: try world.folder("late"))
    for peer in [ann, bob, reader] {
      for file in try world.logs(in: peer.folder) { try world.deliver(file, to: late.folder) }
    }
    try late.importAll()
    #expect(try late.dump() == reader.dump())
  }

  @Test("is listed, and shows nothing until the document comes in another import")
  func laterImport() throws {
    try bobEdits()
    #expect(try reader.body("x") == nil)
    #expect(try reader.conflicts(of: "x") == [#"missing-insert : absent, {"k":1}"#])
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == #"{"a":0,"k":1}"#)
    #expect(try reader.conflicts(of: "x") == [])
    try expectTheSameElsewhere()
  }

  @Test("joins what was made in its place when the document comes")
  func besideAnother() throws {
    try bobEdits()
    try reader.put("x", #"{"b":2}"#)
    #expect(try reader.conflicts(of: "x") == [#"missing-insert : {"b":2}, {"k":1}"#])
    try reader.publish()
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == #"{"a":0,"b":2,"k":1}"#)
    #expect(try reader.conflicts(of: "x") == [])
    try expectTheSameElsewhere()
  }

  @Test("shows with the document's insert also where that is covered when it comes")
  func coveredInsert() throws {
    let carl = try world.peer("carl", in: try world.folder("carl"))
    try world.give(ann, to: carl)
    try carl.delete("x")
    try carl.put("x", #"{"c":3}"#)
    try carl.publish()
    try bobEdits()
    try world.give(carl, to: reader)
    #expect(try reader.body("x") == #"{"c":3}"#)
    #expect(try reader.conflicts(of: "x") == [#"missing-insert : {"c":3}, {"k":1}"#])
    #expect(try reader.device.database.counts().conflicts == 1)
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == #"{"c":3,"k":1}"#)
    #expect(try reader.device.database.counts().conflicts == 0)
  }

  @Test("is reported as a change of what shows by the import that brings the document")
  func reported() throws {
    try bobEdits()
    let importer = Importer(device: reader.device)
    var changed: [DocumentKey] = []
    importer.onPart = { part in changed += part.devices.flatMap { $0.documents.map(\.key) } }
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: reader.folder) }
    _ = try importer.importAll()
    #expect(changed.contains(Peer.key("x")))
  }

  @Test("is taken over beside what shows by who chooses it, a counter as a counter")
  func chosen() throws {
    try bob.increment("/n", of: "x", by: 3)
    try bob.publish()
    try world.give(bob, to: reader)
    try reader.put("x", #"{"b":2}"#)
    #expect(try reader.conflicts(of: "x") == [#"missing-insert : {"b":2}, {"n":3}"#])
    try reader.write { try $0.resolve(Peer.key("x"), by: .listed(2)) }
    #expect(try reader.body("x") == #"{"n":3}"#)
    try reader.increment("/n", of: "x", by: 4)
    #expect(try reader.body("x") == #"{"n":7}"#)
    try reader.publish()
    try world.give(ann, to: reader)
    try expectTheSameElsewhere()
  }

  @Test("does not bring a deleted document back where its absence was chosen, which waits")
  func absenceChosen() throws {
    try bobEdits()
    try bob.delete("x")
    try bob.publish()
    try reader.write { try $0.resolve(Peer.key("x"), by: .listed(1)) }
    #expect(try reader.body("x") == nil && reader.conflicts(of: "x") == [])
    try reader.publish()
    try world.give(reader, to: bob)
    #expect(try bob.body("x") == nil)
    try world.give(ann, to: reader)
    #expect(try reader.body("x") == nil && reader.conflicts(of: "x") == [])
    try reader.publish()
    try world.give(reader, to: bob)
    try world.give(bob, to: reader)
    #expect(try bob.body("x") == nil && bob.conflicts(of: "x") == [])
    try expectTheSameElsewhere()
  }

  @Test("tells a device that it was put back, if the document was its own")
  func ownDocument() throws {
    let cloe = try world.peer("cloe", in: try world.folder("cloe"))
    let twin = try BranchTests.clone(of: cloe, in: try world.folder("twin"), world: world)
    let dora = try world.peer("dora", in: try world.folder("dora"))
    try dora.put("z", "{}")
    try dora.publish()
    try world.give(dora, to: cloe)
    try cloe.put("y", #"{"c":0}"#)
    try cloe.publish()
    // Without what cloe had seen, bob cannot claim what cloe wrote; so nothing names it.
    try world.give(cloe, to: bob)
    try bob.put("y", #"{"c":0,"k":1}"#)
    try bob.publish()
    try world.give(bob, to: twin)
    #expect(try twin.device.database.device()?.stream != cloe.stream)
  }
}
