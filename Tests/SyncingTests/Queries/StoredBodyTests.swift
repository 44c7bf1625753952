import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import TestSupport
import Testing

@Suite("The body of a stored document") struct StoredBodyTests {
  private static let stream = StreamID(rawValue: 7)

  /// A stored state with a value of each type and objects in objects.
  private static func state() throws -> [UInt8] {
    var state = DocumentState()
    func add(_ keys: [ByteString], _ value: JSON?) {
      let dot = Dot(stream: stream, sequence: 1, index: UInt32(state.entries.count))
      let insert = Dot(stream: stream, sequence: 1, index: 0)
      let effect = DocumentState.Effect(
        path: Path(keys: keys), kind: value == nil ? .clear : .set,
        payload: SmallBytes(value.flatMap { Leaf($0)?.bytes } ?? []), insert: insert)
      let stamp = Stamp(time: HybridTime(rawValue: 5), dot: dot, fingerprint: .origin)
      state.apply(effect, stamp: stamp, context: Context())
    }
    add([], nil)
    add(["a"], .string("text \"x\""))
    add(["b"], nil)
    add(["b", "c\u{0}"], .array([.integer(1), .double(1.5)]))
    // An object that only its member tells of.
    add(["b", "d", "e", "f"], .null)
    add(["z"], .unsigned(.max))
    return try StateCoding.encode(state) { _ in 1 }
  }

  private static func render(_ bytes: [UInt8]) throws -> String? {
    try bytes.withUnsafeBufferPointer { try StoredBody.render($0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("is rendered without the merge where nothing competes")
  func plain() throws {
    let expected =
      #"{"a":"text \"x\"","b":{"c\u0000":[1,1.5],"d":{"e":{"f":null}}},"z":18446744073709551615}"#
    #expect(try Self.render(Self.state()) == expected)
  }

  /// A state of operations of all kinds, which have not seen one another.
  private static func randomState(_ generator: inout SeededGenerator) -> DocumentState {
    var state = DocumentState()
    let kinds = OperationKind.known + [OperationKind(code: 9, cover: .path, carriesValue: true)]
    let insert = Dot(stream: stream, sequence: 1, index: 0)
    for index in 0...generator.below(7) {
      var path = Path(
        keys: (0...generator.below(2)).map { _ in ["a", "b", "0"][generator.below(3)] })
      var kind = kinds[generator.below(kinds.count)]
      if index == 0 { (kind, path) = (.clear, .root) }
      if kind == .delete, generator.below(4) > 0 { kind = .increment }
      if kind == .add { path = path.appending(SetElement(.integer(Int64(generator.below(3)))).key) }
      var payload: [UInt8] = []
      if kind == .set || kind == .counter { payload = Leaf(.integer(-4))?.bytes ?? [] }
      if kind == .counter { payload += counted(generator.below(8)) }
      if kind == .increment { payload = [UInt8(generator.below(9))] }
      let dot = Dot(stream: stream, sequence: UInt64(index + 1), index: 0)
      let effect = DocumentState.Effect(
        path: path, kind: kind, payload: SmallBytes(payload), insert: insert)
      state.apply(
        effect,
        stamp: Stamp(time: HybridTime(rawValue: 5), dot: dot, fingerprint: .origin),
        context: Context())
    }
    return state
  }

  /// What a start may have behind its number: nothing, a mark, or that and an increment, which may
  /// stand there.
  private static func counted(_ number: Int) -> [UInt8] {
    guard number < 4 else { return [] }
    let mark = [UInt8](repeating: 0, count: 7) + [UInt8(number + 1)]
    guard number > 0 else { return mark }
    let sequence = [UInt8](repeating: 0, count: 7) + [UInt8(number + 1)]
    return mark + stream.bytes + sequence + [UInt8](repeating: 0, count: 8)
      + Fingerprint.origin.bytes
  }

  @Test("is what the merge shows, or left to the merge")
  func agreement() throws {
    var generator = SeededGenerator(seed: 11)
    var rendered = 0
    for _ in 0..<20_000 {
      let state = Self.randomState(&generator)
      guard let body = try Self.render(StateCoding.encode(state) { _ in 1 }) else { continue }
      rendered += 1
      let shown = state.view().body.map { String(decoding: $0, as: UTF8.self) }
      #expect(
        body == shown, "\(state.entries.map { ($0.effect.path.pointer, $0.effect.kind.name) })")
    }
    #expect(rendered > 1000)
  }

  @Test("with a counter and a set is rendered without the merge")
  func countersAndSets() throws {
    let ann = try World().loner()
    let key = Peer.key("doc")
    try ann.write { writer in
      _ = try writer.put(["s": ["x"], "t": "y"], at: key)
      for amount in [5, -7] as [Int64] {
        _ = try writer.edit(.increment(amount), at: Path(keys: ["n"]), of: key) { _ in }
      }
      let elements: Set<SetElement> = [SetElement("é\u{0}"), SetElement(1.0)]
      _ = try writer.edit(
        .elements(adding: elements, removing: []), at: Path(keys: ["s"]), of: key
      ) { _ in }
    }
    let state = try ann.device.database.read { db in
      try DocumentTable(db).state(of: key, streams: StreamDirectory(db))
    }
    let expected = #"{"n":-2,"s":["x","é\u0000",1.0],"t":"y"}"#
    #expect(try Self.render(StateCoding.encode(state) { _ in 1 }) == expected)
    #expect(try ann.body("doc") == expected)
  }

  @Test("is refused or something else if it is damaged, never the end of the program")
  func damaged() throws {
    let whole = try Self.state()
    // The last two bytes are a count and what says that it is exact, which older programs did not
    // write.
    for length in 0..<whole.count - 2 {
      #expect(throws: (any Error).self) { try Self.render(Array(whole[..<length])) }
    }
    let database = try StoreDatabase.inMemory()
    var generator = SeededGenerator(seed: 3)
    let damaged = (0..<2000).map { _ in
      var bytes = whole
      for _ in 0...generator.below(3) {
        bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
      }
      return bytes
    }
    try Self.place(damaged + [Array(whole.dropLast())], in: database)
    // Both ways of rendering, in the function that SQLite calls.
    var answered = 0
    for id in stride(from: 0, through: damaged.count, by: 4) {
      let sql = "SELECT body FROM documents WHERE id = '\(id)'"
      if (try? database.rows(sql)) != nil { answered += 1 }
    }
    #expect(answered > 0)
    #expect(throws: StorageError.self) { try database.rows("SELECT body FROM documents") }
  }

  private static func place(_ states: [[UInt8]], in database: StoreDatabase) throws {
    try database.write { db in
      try db.execute(sql: "INSERT INTO collections VALUES (1, 'notes')")
      for (id, state) in states.enumerated() {
        try db.execute(
          sql: """
            INSERT INTO documents(collection, id, visible, conflicts, pending, state)
            VALUES (1, '\(id)', 1, 0, 0, \(literal(state)))
            """)
      }
    }
  }

  private static func literal(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }
}
