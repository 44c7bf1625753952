import DocumentStorage
import Replication
import Syncing
import Testing

/// Ann deleted what dave wrote; others have seen her clone's writes under the same numbers instead.
@Suite("A delete of which nobody can tell whether it was seen") struct DoubtfullySeenDeleteTests {
  private let world: World
  private let twin: Peer
  private let other: Peer
  private let reader: Peer
  private let known: [LogFile]

  /// The reader has what dave and ann wrote, and neither the clone's writes nor the other's.
  init() throws {
    world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    let dave = try world.peer("dave", in: try world.folder("dave"))
    other = try world.peer("other", in: try world.folder("other"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try dave.put("x", #"{"t":1}"#)
    try dave.publish()
    try world.give(dave, to: ann)
    world.advance(milliseconds: 10)
    try ann.delete("x")
    try ann.put("y", "{}")
    try ann.publish()
    for id in ["z", "z2"] { try twin.put(id, "{}") }
    try twin.publish()
    known = try world.logs(in: dave.folder) + world.logs(in: ann.folder)
    world.advance(milliseconds: 10)
  }

  private func deliverTheRest(with clone: Bool = false) throws {
    let files =
      try known + world.logs(in: other.folder).filter { $0.directory == other.directory }
      + (clone ? world.logs(in: twin.folder) : [])
    for file in files { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  @Test("is listed where a write may have covered it")
  func hidden() throws {
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: other.folder) }
    try other.importAll()
    try other.put("x", #"{"b":2}"#)
    try other.publish()
    try deliverTheRest()
    #expect(try reader.body("x") == #"{"b":2,"t":1}"#)
    #expect(try reader.conflicts(of: "x") == [#"doubtful : {"b":2,"t":1}, absent"#])
    #expect(try reader.device.database.counts().conflicts == 1)
    try deliverTheRest(with: true)
    #expect(try reader.conflicts(of: "x") == [#"delete : {"b":2,"t":1}, absent"#])
    #expect(try reader.device.database.counts().conflicts == 1)
  }

  @Test("is settled by either, where a write may have covered it", arguments: [1, 2])
  func settled(choice: Int) throws {
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: other.folder) }
    try other.importAll()
    try other.put("x", #"{"b":2}"#)
    try other.publish()
    try deliverTheRest()
    try reader.write { writer in
      try writer.resolve(Peer.key("x"), at: .root, by: .listed(choice))
    }
    let wanted = choice == 1 ? #"{"b":2,"t":1}"# : nil
    #expect(try reader.body("x") == wanted)
    #expect(try reader.conflicts(of: "x") == [])
    try deliverTheRest(with: true)
    #expect(try reader.body("x") == wanted)
    #expect(try reader.conflicts(of: "x") == [])
  }

  @Test("has not been seen by an edit of one member: that would have written the document anew")
  func edited() throws {
    for file in try world.logs(in: twin.folder) + known.prefix(1) {
      try world.deliver(file, to: other.folder)
    }
    try other.importAll()
    #expect(try other.body("x") == #"{"t":1}"#)
    try other.put("x", #"{"k":1,"t":1}"#)
    try other.publish()
    try deliverTheRest()
    let shown = (body: try reader.body("x"), conflicts: try reader.conflicts(of: "x"))
    #expect(shown.body == #"{"k":1,"t":1}"#)
    #expect(shown.conflicts == [#"delete : {"k":1,"t":1}, absent"#])
    try deliverTheRest(with: true)
    #expect(try reader.body("x") == shown.body)
    #expect(try reader.conflicts(of: "x") == shown.conflicts)
  }
}
