import CanonicalJSON
import Replication
import Syncing
import Testing

@testable import DocumentStorage

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
        payload: value.flatMap { Leaf($0)?.bytes } ?? [], insert: insert)
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

  @Test("is refused or something else if it is damaged, never the end of the program")
  func damaged() throws {
    let whole = try Self.state()
    for length in 0..<whole.count {
      #expect(throws: (any Error).self) { try Self.render(Array(whole[..<length])) }
    }
    let directory = try TemporaryDirectory()
    let database = try StoreDatabase(directory: directory.path)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0...generator.below(3) {
        bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
      }
      // Both ways of rendering, in the function that SQLite calls.
      try Self.place(bytes, in: database)
      _ = try? database.rows("SELECT body FROM documents")
    }
    try Self.place(Array(whole.dropLast()), in: database)
    #expect(throws: StorageError.self) { try database.rows("SELECT body FROM documents") }
  }

  private static func place(_ state: [UInt8], in database: StoreDatabase) throws {
    try database.write { db in
      try db.execute(sql: "INSERT OR IGNORE INTO collections VALUES (1, 'notes')")
      try db.execute(
        sql: "INSERT OR REPLACE INTO documents VALUES (1, 'x', 1, 0, 0, \(literal(state)))")
    }
  }

  private static func literal(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }
}
