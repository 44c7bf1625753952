import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import TestSupport
import Testing

@Suite("Undoing a transaction") struct UndoTests {
  let world: World
  let ann: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("folder"))
  }

  /// Undoes a transaction; returns what was left alone, as `id/path`.
  @discardableResult
  private func undo(
    _ sequence: UInt64, of author: Peer? = nil, by peer: Peer? = nil, isForced: Bool = false
  ) throws -> [String] {
    var left: [StoreWriter.LeftAlone] = []
    try (peer ?? ann).write { writer in
      left = try writer.undo("\((author ?? ann).stream):\(sequence)", isForced: isForced)
    }
    return left.map { "\($0.document.id)\($0.path)" }
  }

  @Test("brings back what showed before it, and leaves what it did not touch")
  func edit() throws {
    try ann.put("x", #"{"a":1,"b":1,"c":1}"#)
    try ann.put("x", #"{"a":2,"b":1,"d":4}"#)
    try ann.put("x", #"{"a":2,"b":5,"d":4}"#)
    #expect(try undo(2) == [])
    #expect(try ann.body("x") == #"{"a":1,"b":5,"c":1}"#)
  }

  @Test("leaves alone what has been changed since, and names it; force takes it back, too")
  func changedSince() throws {
    try ann.put("x", #"{"a":1,"b":1}"#)
    try ann.put("x", #"{"a":2,"b":2}"#)
    try ann.put("x", #"{"a":2,"b":3}"#)
    #expect(try undo(2) == ["x/b"])
    #expect(try ann.body("x") == #"{"a":1,"b":3}"#)
    #expect(try undo(2, isForced: true) == [])
    #expect(try ann.body("x") == #"{"a":1,"b":1}"#)
  }

  @Test("leaves alone what somebody has changed and changed back")
  func changedBack() throws {
    for value in [1, 2, 3, 2] { try ann.put("x", #"{"a":\#(value)}"#) }
    #expect(try undo(2) == ["x/a"])
    #expect(try ann.body("x") == #"{"a":2}"#)
  }

  @Test("deletes a document that it made, unless that has been touched")
  func insert() throws {
    try ann.put("x", #"{"a":1}"#)
    try ann.put("y", #"{"a":1}"#)
    try ann.put("y", #"{"a":2}"#)
    #expect(try undo(1) == [])
    #expect(try ann.body("x") == nil)
    #expect(try undo(2) == ["y"])
    #expect(try ann.body("y") == #"{"a":2}"#)
    #expect(try undo(2, isForced: true) == [])
    #expect(try ann.body("y") == nil)
  }

  @Test("brings a deleted document back as it was, unless there is a new one")
  func delete() throws {
    let body = #"{"a":{"b":{}},"c":[1,{"d":null}],"e":-0.0}"#
    try ann.put("x", body)
    try ann.delete("x")
    #expect(try undo(2) == [])
    #expect(try ann.body("x") == body)
    try ann.delete("x")
    try ann.put("x", #"{"new":true}"#)
    #expect(try undo(4) == ["x"])
    #expect(try ann.body("x") == #"{"new":true}"#)
  }

  @Test("takes back all documents of a transaction, and leaves each one's later changes")
  func many() throws {
    try ann.write { writer in
      for id in ["p", "q", "r"] {
        _ = try writer.put(try JSONText.parse(#"{"a":1}"#), at: Peer.key(id))
      }
    }
    try ann.put("q", #"{"a":2}"#)
    #expect(try undo(1) == ["q"])
    #expect(try ann.dump() == "notes/q {\"a\":2}\nconflicts: 0")
  }

  @Test("can be undone itself, and settles nothing that it does not touch")
  func undoneAgain() throws {
    try ann.put("x", #"{"a":1}"#)
    try ann.put("x", #"{"a":{"b":2}}"#)
    try undo(2)
    #expect(try ann.body("x") == #"{"a":1}"#)
    try undo(3)
    #expect(try ann.body("x") == #"{"a":{"b":2}}"#)
  }

  @Test("takes objects away that it made, and not those that were there")
  func objects() throws {
    try ann.put("x", #"{"was":{}}"#)
    try ann.put("x", #"{"made":{"deep":{"k":1}},"was":{"k":1}}"#)
    try undo(2)
    #expect(try ann.body("x") == #"{"was":{}}"#)
  }

  @Test("of another device's transaction reaches that device as any write does")
  func otherDevice() throws {
    let bob = try world.peer("bob", in: ann.folder)
    try ann.put("x", #"{"a":1,"b":1}"#)
    try ann.put("x", #"{"a":2,"b":1}"#)
    try ann.publish()
    try bob.importAll()
    #expect(try undo(2, of: ann, by: bob) == [])
    try bob.publish()
    try ann.importAll()
    #expect(try ann.dump() == "notes/x {\"a\":1,\"b\":1}\nconflicts: 0")
    #expect(try bob.dump() == ann.dump())
  }

  @Test("of what lost against a concurrent value leaves that value")
  func lostValue() throws {
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("x", #"{"a":1}"#)
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    try ann.put("x", #"{"a":2}"#)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"a":3}"#)
    try bob.publish()
    for file in try world.logs(in: bob.folder) { try world.deliver(file, to: ann.folder) }
    try ann.importAll()
    #expect(try undo(2) == ["x/a"])
    #expect(try ann.body("x") == #"{"a":3}"#)
    // The other's, which shows, gives way to what it had won against.
    #expect(try undo(1, of: bob) == [])
    #expect(try ann.dump() == "notes/x {\"a\":2}\nconflicts: 0")
  }

  @Test("of one that is not here, or is named ambiguously, is refused")
  func unknown() throws {
    try ann.put("x", "{}")
    let before = try ann.device.database.ownSequence()
    for name in ["\(ann.stream):2", "\(ann.stream)", "x:1", ":1", "\(ann.stream):-1", ""] {
      #expect(throws: HistoryError.unknownTransaction(name)) {
        try ann.write { _ = try $0.undo(name) }
      }
    }
    let prefix = ann.stream.description.prefix(6)
    #expect(try ann.device.database.ownSequence() == before)
    try ann.write { _ = try $0.undo("\(prefix):1") }
    #expect(try ann.body("x") == nil)
  }

  @Test("of the last transaction always gives what was there before", arguments: 1...20)
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func value(_ depth: Int) -> JSON {
      switch generator.below(depth > 2 ? 4 : 6) {
      case 0: return .null
      case 1: return .integer(Int64(generator.below(3)))
      case 2: return .string("s")
      case 3: return .array([.integer(Int64(generator.below(2)))])
      default: return object(depth + 1)
      }
    }
    func object(_ depth: Int) -> JSON {
      var object = JSONObject()
      for key in ["a", "b", "c"] where generator.below(2) == 0 {
        object[ByteString(key)] = value(depth)
      }
      return .object(object)
    }
    for _ in 0..<20 {
      let before = try ann.body("x")
      let result = try ann.write { writer in
        if generator.below(5) == 0 {
          _ = try writer.delete(Peer.key("x"))
        } else {
          _ = try writer.put(object(0), at: Peer.key("x"))
        }
      }
      guard let sequence = result.sequence else { continue }
      guard generator.below(2) == 0 else { continue }
      #expect(try undo(sequence) == [])
      #expect(try ann.body("x") == before)
    }
  }
}
