import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("What an undo is to do") struct UndoReadingTests {
  let world: World
  let ann: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("folder"))
    try ann.put("x", #"{"a":1}"#)
    try ann.put("x", #"{"a":2}"#)
  }

  private func undo(
    _ sequence: UInt64, onReading: () throws -> Void
  ) throws -> (result: StoreWriter.Result, left: [StoreWriter.LeftAlone]) {
    try ann.device.database.undo(
      "\(ann.stream):\(sequence)", now: ann.device.ambient.time, nonce: ann.device.nonce,
      onReading: onReading)
  }

  /// Cem's edit of `x` comes, whose author had seen what dora wrote and has not come.
  private func receiveOpenEdit() throws {
    let cem = try world.peer("cem", in: try world.folder("cem"))
    let dora = try world.peer("dora", in: try world.folder("dora"))
    try dora.put("d", "{}")
    for peer in [ann, dora] {
      try peer.publish()
      for file in try world.logs(in: peer.folder) { try world.deliver(file, to: cem.folder) }
    }
    try cem.importAll()
    try cem.put("x", #"{"a":2,"b":1}"#)
    try cem.publish()
    try world.give(cem, to: ann)
  }

  @Test("is decided while others may write, and anew if that has come to matter")
  func changedMeanwhile() throws {
    var readings = 0
    let (result, left) = try undo(2) {
      readings += 1
      if readings == 1 { try ann.put("x", #"{"a":3}"#) }
    }
    #expect(readings == 2)
    #expect(left.map(\.document) == [Peer.key("x")] && left.map(\.path.pointer) == ["/a"])
    #expect(result.sequence == nil)
    #expect(try ann.body("x") == #"{"a":3}"#)
  }

  @Test("is decided once where nobody writes")
  func undisturbed() throws {
    var readings = 0
    let (result, left) = try undo(2) { readings += 1 }
    #expect(readings == 1 && left.isEmpty && result.sequence == 3)
    #expect(try ann.body("x") == #"{"a":1}"#)
  }

  @Test("is decided in the end where others write all the time")
  func writtenAllTheTime() throws {
    var readings = 0
    let (_, left) = try undo(2) {
      readings += 1
      try ann.put("y", #"{"n":\#(readings)}"#)
    }
    #expect(readings == 3 && left.isEmpty)
    #expect(try ann.body("x") == #"{"a":1}"#)
    #expect(try ann.body("y") == #"{"n":3}"#)
  }

  @Test("is decided anew after a delete that waits, which moves no stream on")
  func pendingRemoval() throws {
    var readings = 0
    try receiveOpenEdit()
    let (_, left) = try undo(2) {
      readings += 1
      if readings == 1 { try ann.delete("x") }
    }
    #expect(try ann.device.database.counts().pendingRemovals == 1)
    #expect(readings == 2)
    #expect(left.map(\.path) == [.root])
  }
}
