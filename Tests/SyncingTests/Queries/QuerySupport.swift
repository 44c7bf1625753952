import CanonicalJSON
import DocumentStorage
import Replication

extension Peer {
  /// A query's rows, their values joined by `|`, as text.
  func rows(_ sql: String, _ arguments: QueryValue...) throws -> [String] {
    try device.database.rows(sql, arguments: arguments).map { row in
      row.values.map(\.words).joined(separator: "|")
    }
  }

  func createIndex(_ path: String, in collection: ByteString = "notes") throws {
    try device.database.createIndex(
      DeclaredIndex(collection: collection, member: try MemberPath(path)))
  }

  func explain(_ sql: String) throws -> QueryExplanation {
    try device.database.explain(sql)
  }
}

extension QueryValue {
  /// The value and, where it is not text, its type.
  var words: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number) real"
    case .text(let text): text.description
    case .blob(let bytes): "\(bytes) blob"
    }
  }
}

extension World {
  /// A device alone, with a database in memory.
  func loner() throws -> Peer { try peer("ann", in: try folder("ann")) }
}
