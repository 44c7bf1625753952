import CanonicalJSON
import GRDB
import GRDBSQLite
import Replication

extension StoreDatabase {
  /// Answers one read-only statement over the view `documents(collection, id, body)`.
  ///
  ///     try database.query(
  ///       "SELECT id FROM documents WHERE collection = ? AND body ->> '$.feed' = ?",
  ///       arguments: [.text("articles"), .text(feed)]) { row in … }
  ///
  /// Rows come as they are found, out of one consistent state. A cancelled task ends it, with
  /// `CancellationError`.
  ///
  /// - throws: ``QueryError`` where the statement is at fault; what `row` throws ends the query.
  package func query(
    _ sql: String, arguments: [QueryValue] = [], row: (QueryRow) throws -> Void
  ) throws {
    try withQueryConnection { connection in
      let statement = try connection.prepare(sql)
      try statement.bind(arguments)
      try statement.forEachRow(row)
    }
  }

  /// The rows of a query that has few.
  package func rows(_ sql: String, arguments: [QueryValue] = []) throws -> [QueryRow] {
    var rows: [QueryRow] = []
    try query(sql, arguments: arguments) { rows.append($0) }
    return rows
  }

  /// How a statement would find its documents, and which index would help if it scans.
  package func explain(_ sql: String) throws -> QueryExplanation {
    let indexes = try indexes()
    let plan = try plan(of: sql, indexes: indexes)
    guard plan.verdict == .scan else {
      return QueryExplanation(plan: plan, suggestion: nil, collection: nil)
    }
    return QueryExplanation(
      plan: plan, suggestion: try IndexSuggestion.find(for: sql, plan: plan, indexes: indexes),
      collection: IndexSuggestion.collection(namedIn: sql))
  }

  /// SQLite's plan for a statement; nothing is run.
  func plan(of sql: String, indexes: [DeclaredIndex]) throws -> QueryPlan {
    var names: [String: MemberPath] = [:]
    for index in indexes {
      for spelling in index.member.spellings {
        names[index.member.indexName(of: spelling)] = index.member
      }
    }
    let details = try withQueryConnection { connection in
      guard try !connection.prepare(sql).isExplanation else {
        throw QueryError.failed("the statement is an EXPLAIN already")
      }
      // The text is known to be one statement by now.
      // A plan is made without looking whether the schema is still the one that this connection
      // knows; running a statement looks.
      try connection.prepare("SELECT 1 FROM \(QueryRules.view) LIMIT 0").forEachRow { _ in }
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
      var details: [String] = []
      try statement.forEachRow { row in
        guard case .text(let detail) = row.values.last else { return }
        details.append(
          detail.description.replacing("temp.\(connection.innerView)", with: QueryRules.view)
            .replacing(connection.innerView, with: QueryRules.view))
      }
      return details
    }
    return QueryPlan(details: details, indexes: names)
  }

  private func withQueryConnection<Result>(
    _ body: (QueryConnection) throws -> Result
  ) throws -> Result {
    do {
      let connection = try queries.take() ?? makeQueryConnection()
      // Only after success: what failed may have left the connection in a bad way.
      let result = try body(connection)
      queries.putBack(connection)
      return result
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  private func makeQueryConnection() throws -> QueryConnection {
    guard isInMemory else { return try QueryConnection(file: file.string) }
    // Nobody else can open it: the query sees a copy.
    return try QueryConnection(file: file.string, image: try image())
  }
}

/// An index that would spare a statement its scan, found by trying.
private enum IndexSuggestion {
  private static let mostTrials = 8

  /// Declares each member that the text may name in an empty database, and looks at the plan there.
  static func find(
    for sql: String, plan: QueryPlan, indexes: [DeclaredIndex]
  ) throws -> MemberPath? {
    let declared = Set(indexes.map(\.member))
    let candidates = literals(in: sql).compactMap { try? MemberPath($0) }
      .filter { !declared.contains($0) }
    guard !candidates.isEmpty else { return nil }
    let trial = try StoreDatabase.inMemory()
    for index in indexes { try trial.createIndex(index) }
    var best: (member: MemberPath, rank: Int)?
    for candidate in candidates.prefix(mostTrials) {
      let wanted = DeclaredIndex(collection: "trial", member: candidate)
      try trial.createIndex(wanted)
      let other = try trial.plan(of: sql, indexes: indexes + [wanted])
      let rank = other.rank(of: candidate)
      if other.scans < plan.scans, rank < best?.rank ?? .max { best = (candidate, rank) }
      try trial.removeIndex(wanted)
    }
    return best?.member
  }

  /// The one collection whose documents a statement asks for, if that can be told.
  static func collection(namedIn sql: String) -> ByteString? {
    let names = sql.matches(of: /\bcollection\s*=\s*'([^']*)'/.ignoresCase()).map {
      ByteString(String($0.1))
    }
    guard let name = names.first, Set(names).count == 1,
      DocumentKey.problem(ofCollection: name) == nil
    else { return nil }
    return name
  }

  /// The string literals of a statement, paths before others.
  ///
  /// What is no literal, such as a part of a comment, costs a trial and leads to nothing.
  private static func literals(in sql: String) -> [String] {
    let parts = sql.split(separator: "'", omittingEmptySubsequences: false)
    let texts = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    return texts.filter { $0.hasPrefix("$") } + texts.filter { !$0.hasPrefix("$") }
  }
}

extension QueryPlan {
  fileprivate var scans: Int { steps.count { $0 == .scan } }

  /// How much an index spares: finding a value most, giving an order least.
  fileprivate func rank(of member: MemberPath) -> Int {
    steps.map { step in
      switch step {
      case .index(member, .value): 0
      case .index(member, .range): 1
      case .index(member, .order): 2
      default: 3
      }
    }.min() ?? 3
  }
}
