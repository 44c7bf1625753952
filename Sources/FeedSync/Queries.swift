import CanonicalJSON
import DocumentStorage

/// How a statement finds its documents, as <doc:Querying> explains it.
public struct QueryPlanDescription: Sendable {
  /// The answer in a word.
  public enum Verdict: String, Sendable {
    /// It reads every document of a collection, somewhere.
    case scan
    /// It uses a declared index and scans nowhere.
    case index
    /// It finds documents by their ids alone.
    case key
    /// It reads no documents.
    case nothing
  }

  /// The answer in a word.
  public let verdict: Verdict
  /// The member whose index would spare it a scan, as a JSON Pointer; nil if none would.
  public let suggestion: String?
  /// SQLite's own words.
  public let details: [String]
}

/// An index that is declared on this device; indexes are not synced.
public struct StoreIndex: Hashable, Sendable {
  /// The collection's name.
  public let collection: String
  /// The member, as a JSON Pointer such as `/author/name`.
  public let path: String
}

extension DocumentStore {
  /// Answers one read-only SQL statement over the view `documents(collection, id, body)`.
  ///
  ///     let feed = "https://example.org/feed"
  ///     let rows = try store.rows(
  ///       "SELECT id FROM documents WHERE collection = 'articles' AND body ->> '$.feed' = ?",
  ///       arguments: [.text(ByteString(feed))])
  ///
  /// - parameters:
  ///   - sql: The statement; SQLite's functions, JSON's included, may be used.
  ///   - arguments: The values of its `?`, so that no program pastes values into text.
  ///   - row: Called with each row as it is found; what it throws ends the query.
  /// - throws: ``FeedSyncError`` with `.usage` for a statement that writes, or is wrong;
  ///   `CancellationError` if the surrounding task was cancelled.
  public func query(
    _ sql: String, arguments: [QueryValue] = [], row: (QueryRow) throws -> Void
  ) throws {
    var failure: (any Error)?
    do {
      try database.query(sql, arguments: arguments) { found in
        do {
          try row(found)
        } catch {
          failure = error
          throw error
        }
      }
    } catch {
      // What the caller's closure throws is the caller's.
      throw failure ?? Self.described(error, operation: "query")
    }
  }

  /// The rows of a query that has few.
  ///
  /// - throws: As `query`.
  public func rows(_ sql: String, arguments: [QueryValue] = []) throws -> [QueryRow] {
    var rows: [QueryRow] = []
    try query(sql, arguments: arguments) { rows.append($0) }
    return rows
  }

  /// The rows of a query, without blocking the caller's thread.
  public func rows(_ sql: String, arguments: [QueryValue] = []) async throws -> [QueryRow] {
    try await run { try self.rows(sql, arguments: arguments) }
  }

  /// How a statement would find its documents, and which index would help if it scans.
  ///
  /// - throws: ``FeedSyncError`` with `.usage` for a statement that writes, or is wrong.
  public func explain(_ sql: String) throws -> QueryPlanDescription {
    do {
      return QueryPlanDescription(try database.explain(sql))
    } catch {
      throw Self.described(error, operation: "explain")
    }
  }

  /// Declares an index on a member, which makes queries for its values fast.
  ///
  ///     try store.createIndex(on: "/feed", of: "articles")
  ///
  /// It takes some seconds for some hundred thousand documents, and makes each later write of a
  /// document a little slower. Done again, it takes the planner's figures anew.
  /// - parameters:
  ///   - path: A JSON Pointer (`/author/name`), SQLite's form (`$.author.name`), or a name.
  ///   - collection: The collection's name.
  /// - returns: Whether it is new.
  /// - throws: ``FeedSyncError`` with `.usage` for a path that names no member.
  @discardableResult
  public func createIndex(on path: String, of collection: String) throws -> Bool {
    try index(path, collection, operation: "create an index") {
      try database.createIndex($0)
    }
  }

  /// Takes an index away.
  ///
  /// - returns: Whether there was one.
  /// - throws: ``FeedSyncError`` with `.usage` for a path that names no member.
  @discardableResult
  public func removeIndex(on path: String, of collection: String) throws -> Bool {
    try index(path, collection, operation: "remove an index") {
      try database.removeIndex($0)
    }
  }

  /// The declared indexes, sorted by collection and path.
  public func indexes() throws -> [StoreIndex] {
    do {
      return try database.indexes().map {
        StoreIndex(collection: $0.collection.description, path: $0.member.pointer)
      }
    } catch {
      throw Self.described(error, operation: "list indexes")
    }
  }

  private func index(
    _ path: String, _ collection: String, operation: String, _ body: (DeclaredIndex) throws -> Bool
  ) throws -> Bool {
    let name = try DocumentRules.collection(collection, operation: operation)
    do {
      return try body(DeclaredIndex(collection: name, member: try MemberPath(path)))
    } catch {
      throw Self.described(error, operation: operation)
    }
  }

  private static func described(_ error: any Error, operation: String) -> any Error {
    error is CancellationError ? error : FeedSyncError(error, operation: operation)
  }
}

extension QueryPlanDescription {
  init(_ explanation: QueryExplanation) {
    self.init(
      verdict: Verdict(explanation.plan.verdict), suggestion: explanation.suggestion?.pointer,
      details: explanation.plan.details)
  }
}

extension QueryPlanDescription.Verdict {
  init(_ verdict: QueryPlan.Verdict) {
    self =
      switch verdict {
      case .scan: .scan
      case .index: .index
      case .key: .key
      case .nothing: .nothing
      }
  }
}
