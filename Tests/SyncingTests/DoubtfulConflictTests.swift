import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

@Suite("What a branch that nobody has leaves in doubt") struct DoubtfulConflictTests {
  private let scene: DoubtfulScene
  private var world: World { scene.world }
  private var twin: Peer { scene.twin }
  private var reader: Peer { scene.reader }

  init() throws {
    scene = try DoubtfulScene { ann, twin in
      try ann.put("x", #"{"a":1}"#)
      try ann.put("y", "{}")
      for id in ["z", "z2"] { try twin.put(id, "{}") }
    }
  }

  private func resolve(_ pointer: String?, by choice: ConflictChoice) throws {
    try reader.write { writer in
      try writer.resolve(
        Peer.key("x"), at: pointer.flatMap { Path(pointer: $0) }, by: choice)
    }
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
    try scene.deliverTheBranch()
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
    try scene.deliverTheBranch()
    #expect(try reader.body("x") == #"{"b":2}"#)
  }
}
