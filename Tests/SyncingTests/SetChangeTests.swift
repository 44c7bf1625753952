import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

@Suite("A change of a set") struct SetChangeTests {
  private static func fields(_ peer: Peer, after position: Int64) throws -> [String] {
    guard case .commits(let commits) = try peer.device.database.changes(after: position) else {
      return ["missed"]
    }
    return commits.flatMap(\.origins).flatMap(\.documents).flatMap(\.paths).map(\.pointer)
  }

  @Test("is told as one of the set, not of its elements' paths, here and elsewhere")
  func told() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("doc", #"{"1":true}"#)
    let steps: [(Set<SetElement>, Set<SetElement>)] = [
      ([SetElement("a"), SetElement(1)], []), ([SetElement("b")], []), ([], [SetElement("a")]),
    ]
    for (adding, removing) in steps {
      let positions = try [ann, bob].map { try $0.device.database.changePosition() }
      try ann.write {
        _ = try $0.edit(
          .elements(adding: adding, removing: removing), at: Path(keys: ["s"]),
          of: Peer.key("doc")
        ) { _ in }
      }
      #expect(try Self.fields(ann, after: positions[0]) == ["/s"])
      try ann.publish()
      for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
      try bob.importAll()
      let expected = positions[1] == 0 ? ["/1", "/s"] : ["/s"]
      #expect(try Self.fields(bob, after: positions[1]) == expected)
    }
    // A member of an object may be called as an element is.
    let position = try ann.device.database.changePosition()
    try ann.put("doc", #"{"s":["b",1]}"#)
    #expect(try Self.fields(ann, after: position) == ["/1"])
  }
}
