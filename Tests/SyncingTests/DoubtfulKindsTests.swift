import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("A counter or a set that a branch which nobody has leaves in doubt")
struct DoubtfulKindsTests {
  private let scene: DoubtfulScene
  private var world: World { scene.world }
  private var twin: Peer { scene.twin }
  private var reader: Peer { scene.reader }

  init() throws {
    scene = try DoubtfulScene { ann, twin in
      try ann.put("x", "{}")
      for amount in [2, 3] { try ann.increment("/n", of: "x", by: Int64(amount)) }
      for element in ["p", "q"] { try ann.add(element, to: "/s", of: "x") }
      try ann.put("y", "{}")
      for id in 1...6 { try twin.put("z\(id)", "{}") }
    }
  }

  private func resolve(_ pointer: String, by choice: ConflictChoice) throws {
    let path = try #require(Path(pointer: pointer))
    try reader.write { try $0.resolve(Peer.key("x"), at: path, by: choice) }
  }

  @Test("is listed as what all of it comes to")
  func listed() throws {
    #expect(try reader.body("x") == #"{"b":2}"#)
    #expect(
      try reader.conflicts(of: "x") == [
        #"doubtful : {"b":2}, {"b":2,"n":5,"s":["p","q"]}"#, "doubtful /n: absent, 5",
        #"doubtful /s: absent, ["p","q"]"#,
      ])
    #expect(try reader.device.database.counts().conflicts == 3)
  }

  @Test("stays one, whole, where it is chosen")
  func chosen() throws {
    try resolve("/n", by: .listed(2))
    try resolve("/s", by: .listed(2))
    #expect(try reader.body("x") == #"{"b":2,"n":5,"s":["p","q"]}"#)
    try resolve("", by: .listed(1))
    #expect(try reader.conflicts(of: "x") == [])
    try reader.increment("/n", of: "x", by: 1)
    try reader.add("r", to: "/s", of: "x")
    try scene.deliverTheBranch()
    #expect(try reader.body("x") == #"{"b":2,"n":6,"s":["p","q","r"]}"#)
    #expect(try reader.conflicts(of: "x") == [])
  }

  @Test("stays one where the document is chosen that it stood in")
  func chosenWithTheDocument() throws {
    try resolve("", by: .listed(2))
    #expect(try reader.conflicts(of: "x") == [])
    try reader.increment("/n", of: "x", by: 1)
    try reader.add("r", to: "/s", of: "x")
    try scene.deliverTheBranch()
    #expect(try reader.body("x") == #"{"b":2,"n":6,"s":["p","q","r"]}"#)
  }
}
