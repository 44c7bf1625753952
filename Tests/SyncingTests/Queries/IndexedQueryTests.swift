import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import TestSupport
import Testing

/// Devices that edit the same documents, partly without knowing of one another; one has indexes.
private struct IndexedHistory {
  let world: World
  let peers: [Peer]
  /// Of the first device, whose database is a file, so that its queries keep their connection.
  private let directory: TemporaryDirectory
  var generator: SeededGenerator

  static let paths = ["a", "$.o.p", "é"]

  init(seed: UInt64) throws {
    let world = try World(seed: seed)
    self.world = world
    directory = try TemporaryDirectory()
    let database = try StoreDatabase(directory: directory.path)
    peers = [
      try world.peer("ann", in: try world.folder("ann"), database: database),
      try world.peer("bob", in: try world.folder("bob")),
      try world.peer("cem", in: try world.folder("cem")),
    ]
    generator = SeededGenerator(seed: seed)
  }

  mutating func run(rounds: Int) throws {
    let declaredIn = generator.below(rounds)
    for round in 0..<rounds {
      if round == declaredIn {
        for path in Self.paths { try peers[0].createIndex(path) }
      }
      for peer in peers {
        for _ in 0..<generator.below(4) { try edit(peer) }
        world.advance(milliseconds: Int64(generator.below(3)))
        try peer.publish()
      }
      try exchange()
      if round >= declaredIn, round % 3 == 2 { try check(peers[0]) }
    }
  }

  private mutating func edit(_ peer: Peer) throws {
    let id = "\(generator.below(6))"
    switch generator.below(6) {
    case 0: try peer.delete(id)
    case 1:
      let patch = try JSONText.parse(#"{"a":\#(value()),"o":{"p":\#(value())}}"#)
      try peer.write { _ = try $0.patch(patch, at: Peer.key(id)) }
    case 2: try peer.put(id, #"{"o":\#(value())}"#)
    default: try peer.put(id, #"{"a":\#(value()),"o":{"p":\#(value()),"q":1},"é":\#(value())}"#)
    }
  }

  private mutating func value() -> String {
    let values = [
      "0", "1", "2", "1.5", #""1""#, #""x""#, "null", "true", "[1,2]", #"{"k":1}"#, "{}",
      "18446744073709551615",
    ]
    return values[generator.below(values.count)]
  }

  private mutating func exchange() throws {
    for source in peers {
      for target in peers where target.stream != source.stream && generator.below(2) == 0 {
        let here = Set(try world.logs(in: target.folder).map(\.key))
        for file in try world.logs(in: source.folder) where !here.contains(file.key) {
          try world.deliver(file, to: target.folder)
        }
        try target.importAll()
      }
    }
  }

  /// Compares what indexes answer with what a scan does, and the view with the documents.
  private func check(_ peer: Peer) throws {
    var documents: [String] = []
    try peer.device.database.forEachDocument { key, body in
      documents.append("\(key.collection)|\(key.id)|\(String(decoding: body, as: UTF8.self))")
    }
    #expect(
      try peer.rows("SELECT collection, id, body FROM documents ORDER BY 1, 2") == documents)
    for path in Self.paths {
      let member = try MemberPath(path)
      for expression in member.expressions { try check(expression, peer) }
    }
  }

  private static let conditions = [
    "# = 1", "# IN (0, 'x')", "# > 0", "# < 'x'", "# BETWEEN 1 AND 2", "# IS NULL",
    "# IS NOT NULL", "# = '[1,2]'",
  ]

  private func check(_ expression: String, _ peer: Peer) throws {
    // No index is of this, which has the same value.
    let unindexed = expression.replacing("body", with: "(body || '')")
    let base = "SELECT id, # FROM documents WHERE collection = 'notes'"
    let statements =
      Self.conditions.map { "\(base) AND \($0) ORDER BY id" } + ["\(base) ORDER BY #, id"]
    for statement in statements {
      let fast = statement.replacing("#", with: expression)
      let slow = statement.replacing("#", with: unindexed)
      #expect(try peer.rows(fast) == peer.rows(slow), "\(fast)")
    }
  }
}

extension IndexedHistory {
  /// That one kind of query is answered by index, the other by scan.
  func checkPlans() throws {
    let base = "SELECT id FROM documents WHERE collection = 'notes' AND"
    #expect(try peers[0].explain("\(base) body ->> '$.a' = 1").plan.verdict == .index)
    #expect(try peers[0].explain("\(base) (body || '') ->> '$.a' = 1").plan.verdict == .scan)
  }
}

@Suite("Queries by index and by scan") struct IndexedQueryTests {
  @Test("agree after any history", arguments: 1...4)
  func agree(seed: UInt64) throws {
    var history = try IndexedHistory(seed: seed)
    try history.run(rounds: 9)
    try history.checkPlans()
  }
}
