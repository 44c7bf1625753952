import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

/// protocol.md 25 and 26: what a device wrote before it found out that another writes its stream.
@Suite("What a device wrote under a stream that goes on elsewhere") struct OwnBranchTests {
  private let world: World
  private let ann: Peer
  private let twin: Peer
  private let bob: Peer

  /// Bob has written what he had read of the twin; ann knows of nothing.
  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    bob = try world.peer("bob", in: try world.folder("bob"))
    for id in ["x", "y"] {
      try twin.put(id, #"{"n":1}"#)
      try twin.publish()
    }
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"n":2}"#)
    try bob.publish()
    try ann.put("x", #"{"n":3}"#)
  }

  private func deliver(_ source: Peer, _ files: (LogFile) -> Bool = { _ in true }) throws {
    for file in try world.logs(in: source.folder)
    where file.directory == source.directory && files(file) {
      try world.deliver(file, to: ann.folder)
    }
  }

  private func listed() throws -> Set<String> {
    let conflicts = try ann.device.database.readSnapshot { try $0.conflicts(of: Peer.key("x")) }
    return Set(
      conflicts.flatMap(\.values).compactMap { value in
        value.content.map { String(decoding: $0, as: UTF8.self) }
      })
  }

  @Test("is listed where somebody hides it who had seen more of the stream than it wrote")
  func seenFurther() throws {
    try deliver(bob)
    #expect(try ann.importAll().hasNewStream)
    #expect(try listed().contains("3"))
    // Once the rest is here, it can be told.
    try deliver(twin)
    try ann.importAll()
    #expect(try listed() == ["2", "3"])
  }

  @Test("is listed, too, where a file in the folder tells that, which cannot be read yet")
  func foreignFile() throws {
    try deliver(bob)
    // The second one of the twin's, whose first is missing.
    try deliver(twin) { $0.name.string.hasPrefix("0000000000000002") }
    try ann.importAll()
    #expect(try listed().contains("3"))
  }
}
