import CanonicalJSON
import GRDB

/// The collections' names and local numbers, as one transaction sees them.
struct CollectionNames {
  private var numbers: [ByteString: Int64] = [:]
  private(set) var sorted: [(name: ByteString, number: Int64)] = []

  init(_ db: Database) throws {
    for row in try Row.fetchAll(db.prepared("SELECT id, name FROM collections")) {
      numbers[ByteString(try row.value("name") as String)] = try row.value("id")
    }
    sorted = numbers.map { (name: $0.key, number: $0.value) }.sorted { $0.name < $1.name }
  }

  /// The number of a collection; nil if no document was ever in it.
  func number(of name: ByteString) -> Int64? { numbers[name] }

  mutating func makeNumber(of name: ByteString, _ db: Database) throws -> Int64 {
    if let number = numbers[name] { return number }
    try db.run("INSERT INTO collections(name) VALUES (?)", [name.description])
    numbers[name] = db.lastInsertedRowID
    return db.lastInsertedRowID
  }
}
