import GRDBSQLite

/// What a statement may do, decided for each action that SQLite's compiler announces.
///
/// What is not permitted here is refused, so what a later SQLite may add is refused, too.
struct QueryRules: Sendable {
  /// The view, made of the stored tables, that `documents` stands on; nobody can guess its name, so
  /// no statement can pretend to be it.
  let innerView: String
  /// The functions that neither have effects nor tell what is not in their arguments.
  let functions: Set<String>
  /// Whether the statement reads through the view.
  private var usesView = false
  /// What is a common table expression of the statement at hand (``CommonTables``).
  var commonTables: Set<String> = []

  init(innerView: String, functions: Set<String>) {
    self.innerView = innerView
    self.functions = functions
  }

  static let view = "documents"

  /// What the inner view is made of.
  private static let stored: [String: Set<String>] = [
    "documents": ["collection", "id", "visible", "state"], "collections": ["id", "name"],
  ]
  /// SQLite's tables that consist of a JSON argument.
  private static let tables: Set<String> = ["json_each", "json_tree"]

  /// An action as the compiler announces it.
  struct Action: Sendable {
    let code: Int32
    let first: String?
    let second: String?
    let database: String?
    /// The view on whose behalf it is done.
    let view: String?
  }

  /// - returns: why `action` is refused; nil if it is permitted.
  mutating func refusal(of action: Action) -> QueryError? {
    switch action.code {
    case SQLITE_SELECT, SQLITE_RECURSIVE: nil
    case SQLITE_READ: refusalToRead(action)
    case SQLITE_FUNCTION: refusalToCall(action)
    default: .writes(name(of: action))
    }
  }

  private func name(of action: Action) -> String? {
    // How the compiler announces CREATE and DROP, before their names.
    let changesSchema = action.first == "sqlite_master" || action.first == "sqlite_temp_master"
    return changesSchema ? "changing the schema" : Self.names[action.code]
  }

  private mutating func refusalToRead(_ action: Action) -> QueryError? {
    let table = action.first ?? ""
    if action.database == "temp", table == Self.view || table == innerView { return nil }
    if Self.tables.contains(table) { return nil }
    if action.database == nil, action.second?.isEmpty ?? true, commonTables.contains(table) {
      return nil
    }
    guard action.database == "main", let columns = Self.stored[table], let column = action.second
    else { return .reads(table) }
    if action.view == innerView, columns.contains(column) {
      usesView = true
      return nil
    }
    // Of a view whose rows are read without a column, the tables are announced once more like this.
    return column.isEmpty && usesView ? nil : .reads(table)
  }

  private func refusalToCall(_ action: Action) -> QueryError? {
    let name = action.second?.lowercased() ?? ""
    if name == BodyFunction.name { return action.view == innerView ? nil : .reads(name + "()") }
    return functions.contains(name) ? nil : .reads(name + "()")
  }

  private static let names: [Int32: String] = [
    SQLITE_CREATE_INDEX: "CREATE INDEX", SQLITE_CREATE_TABLE: "CREATE TABLE",
    SQLITE_CREATE_TEMP_INDEX: "CREATE INDEX", SQLITE_CREATE_TEMP_TABLE: "CREATE TABLE",
    SQLITE_CREATE_TEMP_TRIGGER: "CREATE TRIGGER", SQLITE_CREATE_TEMP_VIEW: "CREATE VIEW",
    SQLITE_CREATE_TRIGGER: "CREATE TRIGGER", SQLITE_CREATE_VIEW: "CREATE VIEW",
    SQLITE_DELETE: "DELETE", SQLITE_DROP_INDEX: "DROP INDEX", SQLITE_DROP_TABLE: "DROP TABLE",
    SQLITE_DROP_TEMP_INDEX: "DROP INDEX", SQLITE_DROP_TEMP_TABLE: "DROP TABLE",
    SQLITE_DROP_TEMP_TRIGGER: "DROP TRIGGER", SQLITE_DROP_TEMP_VIEW: "DROP VIEW",
    SQLITE_DROP_TRIGGER: "DROP TRIGGER", SQLITE_DROP_VIEW: "DROP VIEW",
    SQLITE_INSERT: "INSERT", SQLITE_PRAGMA: "PRAGMA", SQLITE_TRANSACTION: "a transaction",
    SQLITE_UPDATE: "UPDATE", SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH",
    SQLITE_ALTER_TABLE: "ALTER TABLE", SQLITE_REINDEX: "REINDEX", SQLITE_ANALYZE: "ANALYZE",
    SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE", SQLITE_DROP_VTABLE: "DROP TABLE",
    SQLITE_SAVEPOINT: "SAVEPOINT",
  ]
}
