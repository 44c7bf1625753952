import CanonicalJSON
import DocumentStorage
import GRDB
import Replication
import TestSupport
import Testing

@Suite("States of documents are read in the order of their keys") struct StatesInOrderTests {
  private static let ends = ["", "!", "a", "aa", "~", "é", "\u{10FFFF}"]

  private static func ids(_ chance: inout SeededGenerator, most: Int) -> Set<ByteString> {
    Set(
      (0..<chance.below(most)).map { _ in
        ByteString("\(chance.below(60))\(ends[chance.below(ends.count)])")
      })
  }

  /// Rows of ids in two collections, and what their states are.
  private static func filled(
    _ chance: inout SeededGenerator
  ) throws -> (queue: DatabaseQueue, states: [Int64: [ByteString: [UInt8]]]) {
    let queue = try DatabaseQueue()
    var states: [Int64: [ByteString: [UInt8]]] = [:]
    for collection in [Int64(1), 2] {
      for id in ids(&chance, most: 90) {
        states[collection, default: [:]][id] = Array("\(collection)/\(id)".utf8)
      }
    }
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE documents(
            collection INTEGER, id TEXT, state BLOB, PRIMARY KEY (collection, id)) WITHOUT ROWID
          """)
      for (collection, rows) in states {
        for (id, state) in rows {
          try db.execute(
            sql: "INSERT INTO documents VALUES (?, ?, CAST(? AS BLOB))",
            arguments: [collection, id.description, String(decoding: state, as: UTF8.self)])
        }
      }
    }
    return (queue, states)
  }

  @Test("each its own, and none where there is none, near or far", arguments: 0..<60)
  func anyRows(seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(seed))
    let (queue, states) = try Self.filled(&chance)
    let asked = [Int64(1), 2, 3].map { ($0, Self.ids(&chance, most: 120).sorted()) }
    try queue.read { db in
      var rows = StatesInOrder(try db.cachedStatement(sql: StatesInOrder.sql))
      for (collection, ids) in asked {
        for id in ids {
          var state: [UInt8] = [7]
          let isThere = try id.bytes.withUnsafeBytes {
            try rows.appendState(of: $0, in: collection, to: &state)
          }
          let expected = states[collection]?[id]
          #expect(isThere == (expected != nil), "\(collection)/\(id), seed \(seed)")
          #expect(state == [7] + (expected ?? []), "\(collection)/\(id), seed \(seed)")
        }
      }
    }
  }
}
