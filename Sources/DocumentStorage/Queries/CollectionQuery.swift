import CanonicalJSON
import Foundation
import GRDB
import Replication

/// A query for documents of one collection: its condition, order and limit.
package struct CollectionQuery: Sendable {
  /// A member that gives the order.
  package struct Key: Hashable, Sendable {
    package let member: MemberPath
    package let isDescending: Bool

    package init(member: MemberPath, isDescending: Bool) {
      self.member = member
      self.isDescending = isDescending
    }
  }

  /// A document that matches, with the values that give it its place.
  package struct Match: Hashable, Sendable {
    package let id: ByteString
    /// The canonical body.
    package let body: [UInt8]
    package let keys: [QueryValue]

    package init(id: ByteString, body: [UInt8], keys: [QueryValue]) {
      self.id = id
      self.body = body
      self.keys = keys
    }
  }

  package let collection: ByteString
  package let condition: QueryCondition?
  package let arguments: [QueryValue]
  package let order: [Key]
  package let limit: Int?

  package init(
    collection: ByteString, condition: QueryCondition?, arguments: [QueryValue], order: [Key],
    limit: Int?
  ) {
    self.collection = collection
    self.condition = condition
    self.arguments = arguments
    self.order = order
    self.limit = limit
  }
}

// MARK: - Statements

extension CollectionQuery {
  private var columns: String {
    (["id", "body"] + order.map { Self.sql($0) }).joined(separator: ", ")
  }

  private var conditionSQL: String { condition.map { "(\n\($0.text)\n)" } ?? "TRUE" }

  private static func sql(_ key: Key) -> String { key.member.expressions[0] }

  /// Ids decide last, in the direction of the last member: so an index gives the whole order.
  private var orderSQL: String {
    let terms = order.map { (Self.sql($0), $0.isDescending) }
    let all = terms + [("id", order.last?.isDescending ?? false)]
    return all.map { $0 + ($1 ? " DESC" : "") }.joined(separator: ", ")
  }

  /// The statement over the view `documents`, which declared indexes serve.
  package var statement: String {
    "SELECT \(columns) FROM documents WHERE collection = ? AND \(conditionSQL)"
      + " ORDER BY \(orderSQL) LIMIT ?"
  }

  /// The same of the documents with some ids: they are found before the condition is looked at, or
  /// SQLite might go through an index of the condition's instead.
  fileprivate func statement(among ids: [ByteString]) -> String {
    let places = Array(repeating: "?", count: ids.count).joined(separator: ", ")
    return "WITH every AS (\(DocumentsView.select)), documents AS MATERIALIZED ("
      + "SELECT collection, id, body FROM every WHERE collection = ? AND id IN (\(places))) "
      + "SELECT \(columns) FROM documents WHERE \(conditionSQL)"
  }
}

// MARK: - Reading

extension StoreDatabase {
  /// Refuses what is no query of documents, without looking for any.
  ///
  /// - throws: ``QueryError``. What passes may be run on the store's own connections.
  package func check(_ query: CollectionQuery) throws {
    let arguments = [.text(query.collection)] + query.arguments + [.integer(0)]
    do {
      try self.query(query.statement, arguments: arguments) { _ in }
    } catch QueryError.arguments(let expected, let given) {
      // Of the two that are not the condition's nobody knows who wrote that.
      throw QueryError.arguments(expected: expected - 2, given: given - 2)
    }
  }
}

extension StoreSnapshot {
  /// The position after the last commit that this state has.
  package func changePosition() throws -> Int64 {
    try Int64.fetchOne(db.prepared("SELECT max(id) FROM changes")) ?? 0
  }

  /// All documents that match, in their order, as far as the limit goes.
  package func matches(_ query: CollectionQuery) throws -> [CollectionQuery.Match] {
    let sql = "WITH documents AS (\(DocumentsView.select)) " + query.statement
    return try matches(
      sql, [.text(query.collection)] + query.arguments + [.integer(Int64(query.limit ?? -1))])
  }

  /// Those of the documents with some ids that match, in no order, whatever the limit.
  package func matches(
    _ query: CollectionQuery, among ids: [ByteString]
  ) throws -> [CollectionQuery.Match] {
    guard !ids.isEmpty else { return [] }
    let names = ids.map { QueryValue.text($0) }
    return try matches(
      query.statement(among: ids), [.text(query.collection)] + names + query.arguments)
  }

  private func matches(
    _ sql: String, _ arguments: [QueryValue]
  ) throws -> [CollectionQuery.Match] {
    do {
      let values = StatementArguments(arguments.map(\.databaseValue))
      let rows = try Row.fetchCursor(db, sql: sql, arguments: values)
      var found: [CollectionQuery.Match] = []
      while let row = try rows.next() {
        // A reader that was cancelled need not go through the rest.
        try Task.checkCancellation()
        let keys: [QueryValue] = row.databaseValues.dropFirst(2).map { QueryValue($0) }
        found.append(
          CollectionQuery.Match(
            id: ByteString(try row.value("id") as String),
            body: Array((try row.value("body") as String).utf8), keys: keys))
      }
      return found
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The condition fails on a document, as JSON functions do on malformed paths.
      throw QueryError.failed(error.message ?? "the condition fails")
    }
  }
}

extension QueryValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.description.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }

  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(ByteString(text))
      case .blob(let data): .blob([UInt8](data))
      }
  }
}
