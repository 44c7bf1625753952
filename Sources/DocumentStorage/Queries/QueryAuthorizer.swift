import GRDBSQLite
import Synchronization

/// Holds the rules on a connection, and what was refused of the statement that is being prepared.
final class QueryAuthorizer: Sendable {
  private let rules: Mutex<QueryRules>
  private let refusal = Mutex<QueryError?>(nil)
  private let function: BodyFunction

  init(rules: QueryRules, function: BodyFunction) {
    self.rules = Mutex(rules)
    self.function = function
  }

  /// Puts the rules in force; this object must outlive the connection.
  func authorize(_ connection: OpaquePointer) {
    sqlite3_set_authorizer(
      connection,
      { data, code, first, second, database, view in
        guard let data else { return SQLITE_DENY }
        let action = QueryRules.Action(
          code: code, first: first.map { String(cString: $0) },
          second: second.map { String(cString: $0) },
          database: database.map { String(cString: $0) }, view: view.map { String(cString: $0) })
        return Unmanaged<QueryAuthorizer>.fromOpaque(data).takeUnretainedValue().judge(action)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Lets the statement that is compiled next read its common table expressions.
  func permit(commonTables: Set<String>) { rules.withLock { $0.commonTables = commonTables } }

  /// What was refused since the last call.
  func takeRefusal() -> QueryError? {
    refusal.withLock { refusal in
      defer { refusal = nil }
      return refusal
    }
  }

  private func judge(_ action: QueryRules.Action) -> Int32 {
    if function.isReadingStreams.load(ordering: .relaxed),
      action.code == SQLITE_SELECT || action.first == "streams" && action.code == SQLITE_READ
    {
      return SQLITE_OK
    }
    guard let refused = rules.withLock({ $0.refusal(of: action) }) else { return SQLITE_OK }
    refusal.withLock { $0 = $0 ?? refused }
    return SQLITE_DENY
  }
}
