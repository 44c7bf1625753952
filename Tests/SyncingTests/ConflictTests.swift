import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Settling conflicts") struct ConflictTests {
  let world: World
  let peers: [Peer]
  private var ann: Peer { peers[0] }
  private var bob: Peer { peers[1] }
  private var eve: Peer { peers[2] }

  init() throws {
    let world = try World()
    self.world = world
    peers = try ["ann", "bob", "eve"].map { name in
      try world.peer(name, in: try world.folder(try #require(FilePath.Component(name))))
    }
  }

  /// Everybody gets everything, and shows the same then.
  private func exchange() throws {
    try deliverAll()
    for peer in peers { #expect(try peer.dump() == ann.dump()) }
    for peer in peers { #expect(try Self.lines(peer) == Self.lines(ann)) }
  }

  private func deliverAll() throws {
    for peer in peers { try peer.publish() }
    for source in peers {
      for target in peers where target.stream != source.stream {
        for file in try world.logs(in: source.folder) {
          try world.deliver(file, to: target.folder)
        }
      }
    }
    for peer in peers { try peer.importAll() }
  }

  /// The document `x`, known to all, before they go apart.
  private func begin(_ json: String) throws {
    try ann.put("x", json)
    try exchange()
  }

  /// Later than all that was written, so that it shows.
  private func put(_ peer: Peer, _ json: String) throws {
    world.advance(milliseconds: 10)
    try peer.put("x", json)
  }

  /// The conflicts of `x`, a line each, as `kind path: shown, lost…`.
  private static func lines(_ peer: Peer) throws -> [String] {
    try peer.device.database.readSnapshot { try $0.conflicts(of: Peer.key("x")) }.map { conflict in
      let values = conflict.values.map { value in
        value.content.map { String(decoding: $0, as: UTF8.self) } ?? "absent"
      }
      return "\(conflict.kind.rawValue) \(conflict.path): \(values.joined(separator: ", "))"
    }
  }

  private func resolve(
    _ peer: Peer, _ path: String? = nil, by choice: ConflictChoice
  ) throws {
    try peer.write { writer in
      try writer.resolve(Peer.key("x"), at: path.flatMap { Path(pointer: $0) }, by: choice)
    }
  }

  @Test("by any of its values, or another, settles it everywhere", arguments: 0..<4)
  func value(index: Int) throws {
    try begin(#"{"a":0,"b":0}"#)
    for (number, peer) in peers.enumerated() { try put(peer, #"{"a":\#(number + 1),"b":0}"#) }
    try exchange()
    #expect(try Self.lines(bob) == ["value /a: 3, 2, 1"])
    let choices: [(ConflictChoice, String)] = [
      (.listed(1), "3"), (.listed(2), "2"), (.listed(3), "1"),
      (.value(.object(["n": 9])), #"{"n":9}"#),
    ]
    let (choice, expected) = choices[index]
    try resolve(bob, by: choice)
    try exchange()
    #expect(try eve.dump() == "notes/x {\"a\":\(expected),\"b\":0}\nconflicts: 0")
  }

  @Test("by a counter that lost leaves it one, on which others go on counting")
  func counter() throws {
    func count(_ peer: Peer) throws {
      world.advance(milliseconds: 10)
      try peer.write { writer in
        _ = try writer.edit(
          .increment(1), at: try #require(Path(pointer: "/n")), of: Peer.key("x")
        ) { _ in }
      }
    }
    try begin("{}")
    try count(ann)
    try exchange()
    try count(ann)
    try put(bob, #"{"n":"x"}"#)
    for peer in [ann, bob] {
      try peer.publish()
      try world.give(peer, to: eve)
    }
    #expect(try Self.lines(eve) == [#"structure /n: "x", 1"#])
    try resolve(eve, by: .listed(2))
    // Ann knows of neither.
    try count(ann)
    try exchange()
    #expect(try eve.dump() == "notes/x {\"n\":2}\nconflicts: 0")
  }

  @Test("says who wrote each value, and which document has conflicts")
  func authors() throws {
    try begin(#"{"a":0}"#)
    try put(ann, #"{"a":1}"#)
    try put(eve, #"{"a":2}"#)
    try exchange()
    var found: [DocumentKey: [DocumentConflict]] = [:]
    try bob.device.database.readSnapshot { try $0.forEachConflicted { found[$0] = $1 } }
    #expect(found.keys.map(\.id) == ["x"])
    let values = try #require(found[Peer.key("x")]?.first).values
    #expect(values.map(\.stamp?.dot.stream) == [eve.stream, ann.stream])
    #expect(values.map(\.stamp?.dot.sequence) == [1, 2])
  }

  @Test("two devices at once, alike: settled; differently: their two values are the conflict")
  func concurrently() throws {
    for (choice, expected) in [(1, []), (2, ["value /a: 1, 2"])] {
      try begin(#"{"a":0,"round":\#(choice)}"#)
      try put(ann, #"{"a":1,"round":\#(choice)}"#)
      try put(eve, #"{"a":2,"round":\#(choice)}"#)
      try exchange()
      #expect(try Self.lines(bob) == ["value /a: 2, 1"])
      try resolve(eve, by: .listed(1))
      world.advance(milliseconds: 10)
      try resolve(ann, by: .listed(choice))
      try exchange()
      #expect(try Self.lines(bob) == expected)
    }
    try resolve(bob, by: .listed(1))
    try exchange()
    #expect(try Self.lines(eve) == [])
    #expect(try eve.body("x") == #"{"a":1,"round":2}"#)
  }

  @Test("of an object against a plain value, to either", arguments: [1, 2])
  func structure(choice: Int) throws {
    try begin(#"{"a":0}"#)
    try put(ann, #"{"a":{"b":{"c":1}}}"#)
    try put(bob, #"{"a":5}"#)
    try exchange()
    #expect(try Self.lines(eve) == [#"structure /a: 5, {"b":{"c":1}}"#])
    try resolve(eve, "/a", by: .listed(choice))
    try exchange()
    #expect(try ann.body("x") == (choice == 1 ? #"{"a":5}"# : #"{"a":{"b":{"c":1}}}"#))
    #expect(try Self.lines(ann) == [])
  }

  @Test("of a delete beside an edit, to the document or its absence", arguments: [1, 2])
  func delete(choice: Int) throws {
    try begin(#"{"a":0}"#)
    try put(ann, #"{"a":1}"#)
    try bob.delete("x")
    try exchange()
    #expect(try Self.lines(eve) == [#"delete : {"a":1}, absent"#])
    try resolve(eve, by: .listed(choice))
    try exchange()
    #expect(try ann.body("x") == (choice == 1 ? #"{"a":1}"# : nil))
    #expect(try Self.lines(ann) == [])
  }

  @Test("of edits without their insert, to the document or its absence", arguments: [1, 2])
  func missingInsert(choice: Int) throws {
    try ann.put("x", #"{"a":0,"m":{}}"#)
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    try bob.put("x", #"{"a":0,"m":{"k":1}}"#)
    try bob.publish()
    for file in try world.logs(in: bob.folder) where file.directory == bob.directory {
      try world.deliver(file, to: eve.folder)
    }
    try eve.importAll()
    #expect(try Self.lines(eve) == [#"missing-insert : absent, {"m":{"k":1}}"#])
    #expect(try eve.body("x") == nil)
    try resolve(eve, by: .listed(choice))
    #expect(try eve.body("x") == (choice == 1 ? nil : #"{"m":{"k":1}}"#))
    #expect(try Self.lines(eve) == [])
    // What eve took away waits for what its author had seen, and is published once that is here.
    try deliverAll()
    try exchange()
  }

  @Test("of a member by what shows settles it also beside a delete that an edit has undone")
  func besideUndoneDelete() throws {
    try put(ann, #"{"a":1}"#)
    try put(bob, #"{"a":2,"b":{}}"#)
    try bob.delete("x")
    try exchange()
    #expect(try Self.lines(eve).contains { $0.hasPrefix("value /a: ") })
    let shown = try eve.body("x")
    try resolve(eve, "/a", by: .listed(1))
    try exchange()
    #expect(try bob.body("x") == shown)
    #expect(try Self.lines(bob) == [])
  }

  @Test("of several members takes the one that is named, or all that shows")
  func several() throws {
    try begin(#"{"a":0,"b":0,"c":0}"#)
    try put(ann, #"{"a":1,"b":1,"c":0}"#)
    try put(bob, #"{"a":2,"b":2,"c":0}"#)
    try exchange()
    #expect(
      throws: ConflictError.several(Peer.key("x"), ["/a", "/b"].compactMap { Path(pointer: $0) })
    ) {
      try resolve(eve, by: .listed(2))
    }
    #expect(throws: ConflictError.none(Peer.key("x"), Path(pointer: "/c"))) {
      try resolve(eve, "/c", by: .listed(1))
    }
    #expect(throws: ConflictError.noSuchValue(3, of: 2)) {
      try resolve(eve, "/b", by: .listed(3))
    }
    try resolve(eve, "/b", by: .listed(2))
    #expect(try Self.lines(eve) == ["value /a: 2, 1"])
    try exchange()
    try resolve(ann, by: .listed(1))
    try exchange()
    #expect(try bob.body("x") == #"{"a":2,"b":1,"c":0}"#)
    #expect(try Self.lines(bob) == [])
    #expect(throws: ConflictError.none(Peer.key("x"), nil)) { try resolve(bob, by: .listed(1)) }
  }

  @Test("of a member is refused where it would settle another member's, which nobody chose")
  func settlesMore() throws {
    try put(ann, #"{"a":1,"b":1}"#)
    try put(bob, #"{"a":2,"b":2}"#)
    try bob.delete("x")
    try exchange()
    let before = try Self.lines(eve)
    #expect(before.count == 3)
    let paths = ["/a", "/b"].compactMap { Path(pointer: $0) }
    #expect(throws: ConflictError.settlesMore(Peer.key("x"), paths[0], [paths[1]])) {
      try resolve(eve, "/a", by: .listed(2))
    }
    #expect(try Self.lines(eve) == before)
    try resolve(eve, by: .listed(1))
    #expect(try Self.lines(eve) == [])
  }

  @Test("of a member is refused where something else competes with the object that it is in")
  func settlesAbove() throws {
    try begin(#"{"o":{"a":0},"z":0}"#)
    try put(ann, #"{"o":5,"z":0}"#)
    try put(bob, #"{"o":{"a":1},"z":1}"#)
    try put(eve, #"{"o":{"a":2},"z":2}"#)
    try exchange()
    let before = try Self.lines(ann)
    #expect(before.count == 3)
    let paths = ["/o/a", "/o"].compactMap { Path(pointer: $0) }
    #expect(throws: ConflictError.settlesMore(Peer.key("x"), paths[0], [paths[1]])) {
      try resolve(ann, "/o/a", by: .listed(2))
    }
    #expect(try Self.lines(ann) == before)
    try resolve(ann, "/o", by: .value(try JSON(parsing: Array(#"{"a":1}"#.utf8))))
    #expect(try Self.lines(ann) == ["value /z: 2, 1"])
    #expect(try ann.body("x") == #"{"o":{"a":1},"z":2}"#)
  }

  @Test("of a member is refused so in an object that somebody has taken away")
  func settlesMoreInAnObject() throws {
    try begin(#"{"o":{"a":0,"b":0}}"#)
    try put(ann, #"{}"#)
    try put(bob, #"{"o":{"a":1,"b":1}}"#)
    try put(eve, #"{"o":{"a":2,"b":2}}"#)
    try exchange()
    #expect(try Self.lines(ann) == ["value /o/a: 2, 1", "value /o/b: 2, 1"])
    let paths = ["/o/a", "/o/b"].compactMap { Path(pointer: $0) }
    #expect(throws: ConflictError.settlesMore(Peer.key("x"), paths[0], [paths[1]])) {
      try resolve(ann, "/o/a", by: .listed(2))
    }
    // What shows there needs no rewriting.
    try resolve(ann, "/o/a", by: .listed(1))
    #expect(try Self.lines(ann) == ["value /o/b: 2, 1"])
  }
}
