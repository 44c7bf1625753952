import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

@Suite("What a branch that nobody has leaves in doubt") struct DoubtfulConflictTests {
  let world: World
  let twin: Peer
  let reader: Peer

  /// The reader has what ann wrote, and what bob wrote who had seen ann's clone instead.
  init() throws {
    world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    let bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.put("x", #"{"a":1}"#)
    try ann.put("y", "{}")
    for id in ["z", "z2"] { try twin.put(id, "{}") }
    for peer in [ann, twin] { try peer.publish() }
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"b":2}"#)
    try bob.publish()
    let written =
      try world.logs(in: ann.folder)
      + world.logs(in: bob.folder).filter { $0.directory == bob.directory }
    for file in written { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  private func resolve(_ pointer: String?, by choice: ConflictChoice) throws {
    try reader.write { writer in
      try writer.resolve(
        Peer.key("x"), at: pointer.flatMap { Path(pointer: $0) }, by: choice)
    }
  }

  private func deliverTheBranch() throws {
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  @Test("is listed as it is counted, and settled where what is hidden is chosen")
  func chosen() throws {
    #expect(try reader.body("x") == #"{"b":2}"#)
    #expect(
      try reader.conflicts(of: "x") == [
        #"doubtful : {"b":2}, {"a":1,"b":2}"#, "doubtful /a: absent, 1",
      ])
    #expect(try reader.device.database.counts().conflicts == 2)
    try resolve("/a", by: .listed(2))
    #expect(try reader.body("x") == #"{"a":1,"b":2}"#)
    try resolve("", by: .listed(1))
    #expect(try reader.body("x") == #"{"a":1,"b":2}"#)
    #expect(try reader.conflicts(of: "x") == [])
    try deliverTheBranch()
    #expect(try reader.body("x") == #"{"a":1,"b":2}"#)
    #expect(try reader.conflicts(of: "x") == [])
  }

  @Test("is settled by what shows, which is written although it is the same")
  func shown() throws {
    try resolve("/a", by: .listed(1))
    #expect(try reader.conflicts(of: "x") == [#"doubtful : {"b":2}, {"b":2}"#])
    try resolve(nil, by: .listed(1))
    #expect(try reader.conflicts(of: "x") == [])
    #expect(try reader.body("x") == #"{"b":2}"#)
    #expect(try reader.device.database.counts().conflicts == 0)
    try deliverTheBranch()
    #expect(try reader.body("x") == #"{"b":2}"#)
  }
}
