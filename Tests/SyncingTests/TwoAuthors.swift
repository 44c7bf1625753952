import SystemFiles
import Testing

/// A reader's folder, and what two other devices wrote elsewhere.
struct TwoAuthors {
  let world: World
  let ann: Peer
  let bob: Peer
  let reader: Peer
  /// Three segments, which build on one another.
  let annFiles: [LogFile]
  let bobFile: LogFile

  init(_ kind: World.Kind = .fake) throws {
    world = try World(kind)
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.publish(1...3) { "a\($0)" }
    try bob.put("b", #"{"from":"bob"}"#)
    try bob.publish()
    annFiles = try world.logs(in: ann.folder)
    bobFile = try #require(try world.logs(in: bob.folder).first)
    try #require(annFiles.count == 3)
  }

  func deliver(_ files: [LogFile]) throws {
    for file in files { try world.deliver(file, to: reader.folder) }
  }

  /// What the reader has once all has arrived.
  var complete: String {
    """
    notes/a1 {"n":1}
    notes/a2 {"n":2}
    notes/a3 {"n":3}
    notes/b {"from":"bob"}
    conflicts: 0
    """
  }
}
