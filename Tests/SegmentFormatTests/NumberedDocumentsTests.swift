import CanonicalJSON
import Replication
import TestSupport
import Testing

@Suite("Documents that operations of several tables are on") struct NumberedDocumentsTests {
  private func table(of keys: [DocumentKey]) -> OperationTable {
    let insert = Dot(stream: StreamID(rawValue: 7), sequence: 1, index: 0)
    let operations = keys.map {
      Operation(document: $0, insert: insert, path: .root, kind: .clear, payload: [])
    }
    return OperationList(operations).table
  }

  @Test("have a number each, in the order in which they were first named", arguments: 0..<20)
  func numbers(seed: Int) {
    var chance = SeededGenerator(seed: UInt64(seed))
    var numbered = NumberedDocuments()
    var expected: [DocumentKey: Int] = [:]
    for _ in 0..<6 {
      // The same id in two collections is two documents.
      let keys = (0..<1 + chance.below(400)).map { _ in
        DocumentKey(
          collection: ["a", "aa", "b"][chance.below(3)],
          id: ByteString("\(["", "a", "aa"][chance.below(3)])\(chance.below(300))"))
      }
      let table = table(of: keys)
      for (place, key) in keys.enumerated() where place == 0 || keys[place - 1] != key {
        let document = keys[...place].indices.reduce(into: -1) { count, index in
          if index == 0 || keys[index - 1] != keys[index] { count += 1 }
        }
        let number = expected[key] ?? expected.count
        expected[key] = number
        #expect(numbered.number(of: document, in: table) == number, "seed \(seed)")
        #expect(numbered.keys[number] == key, "seed \(seed)")
      }
    }
    #expect(numbered.count == expected.count, "seed \(seed)")
  }

  @Test("are what they are, whether what they need was fetched or not")
  func fetching() {
    var (fetched, plain) = (NumberedDocuments(), NumberedDocuments())
    for round in 0..<4 {
      let ids = (0..<3000).map { ByteString("\($0 * (round + 1))") }
      let table = table(of: ids.map { DocumentKey(collection: "a", id: $0) })
      for start in stride(from: 0, to: 3000, by: 64) {
        fetched.fetch(start..<min(start + 64, 3000), of: table)
        for document in start..<min(start + 64, 3000) {
          #expect(
            fetched.number(of: document, in: table) == plain.number(of: document, in: table))
        }
      }
    }
    #expect(fetched.count == plain.count)
  }
}
