import CanonicalJSON
import GRDB

/// The collections' names and local numbers, as one transaction sees them.
struct CollectionNames {
  private var numbers: [ByteString: Int64] = [:]
  /// That which was asked for last: documents come in the order of their keys.
  private var last: (name: ByteString, number: Int64)?
  private(set) var sorted: [(name: ByteString, number: Int64)] = []

  init(_ db: Database) throws {
    sorted = try db.read("SELECT id, name FROM collections") { row in
      (name: ByteString(try row.value(1) as String), number: try row.value(0))
    }.sorted { $0.name < $1.name }
    for (name, number) in sorted { numbers[name] = number }
  }

  /// The number of a collection; nil if no document was ever in it.
  func number(of name: ByteString) -> Int64? {
    if let last, last.name == name { return last.number }
    return numbers[name]
  }

  mutating func makeNumber(of name: ByteString, _ db: Database) throws -> Int64 {
    if let last, last.name == name { return last.number }
    let number = try numbers[name] ?? insert(name, db)
    last = (name, number)
    return number
  }

  private mutating func insert(_ name: ByteString, _ db: Database) throws -> Int64 {
    try db.run("INSERT INTO collections(name) VALUES (?)", [name.description])
    numbers[name] = db.lastInsertedRowID
    return db.lastInsertedRowID
  }
}
