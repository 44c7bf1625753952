import CanonicalJSON
import Foundation
import GRDB
import GRDBSQLite
import Replication

/// A connection of its own for statements that users wrote: it can only read, and only documents.
///
/// The file is opened for reading, and ``QueryRules`` judge every statement. GRDB keeps its own
/// authorizer on its connections, therefore this one is SQLite's C interface alone.
// Sendable: nothing changes it after `init` but calls through `handle`, and `QueryPool` hands it to
// one caller at a time, under its lock; SQLite's own mutex (serialized mode) holds beyond that.
final class QueryConnection: @unchecked Sendable {
  private let handle: OpaquePointer
  private let authorizer: QueryAuthorizer
  /// What plans call the view where it is gathered whole.
  let innerView: String

  /// Opens the database in `file`, or a copy of the one in `image`.
  init(file: String, image: [UInt8]? = nil) throws {
    var handle: OpaquePointer?
    let path = image == nil ? file : ":memory:"
    let flags = image == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard let handle else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    do {
      try Self.check(code, handle)
      if let image { try Self.load(image, into: handle) }
      let function = BodyFunction()
      try function.define(on: handle)
      let rules = try Self.prepare(handle)
      innerView = rules.innerView
      authorizer = QueryAuthorizer(rules: rules, function: function)
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    authorizer.authorize(handle)
  }

  deinit { sqlite3_close_v2(handle) }

  private static func load(_ image: [UInt8], into handle: OpaquePointer) throws {
    let copy = sqlite3_malloc64(UInt64(image.count))?.assumingMemoryBound(to: UInt8.self)
    guard let copy else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    image.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { copy.update(from: start, count: bytes.count) }
    }
    let flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY
    let code = sqlite3_deserialize(
      handle, "main", copy, Int64(image.count), Int64(image.count), UInt32(flags))
    try check(code, handle)
  }

  /// How long a pattern of `LIKE` or `GLOB` may be, in bytes.
  ///
  /// SQLite compares what follows a wildcard one call deeper, and takes 50,000: of a stack of two
  /// megabytes, as threads have on which tasks wait, that leaves nothing, and the process ends.
  private static let longestPattern: Int32 = 10_000

  /// Makes the view, before the rules are in force.
  private static func prepare(_ handle: OpaquePointer) throws -> QueryRules {
    sqlite3_busy_timeout(handle, Int32(StoreDatabase.busySeconds * 1000))
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, longestPattern)
    let inner = "documents_\(StreamID.random())"
    let sql = """
      PRAGMA cache_size = -16384;
      CREATE TEMP VIEW \(inner) AS \(DocumentsView.select);
      CREATE TEMP VIEW \(QueryRules.view) AS SELECT collection, id, body FROM temp.\(inner);
      -- SQLite makes these tables on their first use, which the rules would refuse.
      SELECT 1 FROM json_each('[]'), json_tree('[]');
      """
    try check(sqlite3_exec(handle, sql, nil, nil, nil), handle)
    return QueryRules(innerView: inner, functions: try harmlessFunctions(handle))
  }

  /// What SQLite itself calls innocuous, with its JSON functions, which some versions forgot.
  private static func harmlessFunctions(_ handle: OpaquePointer) throws -> Set<String> {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = """
      SELECT name FROM pragma_function_list WHERE builtin AND NOT flags & 0x80000
        AND (flags & 0x200000 OR name GLOB 'json*' OR name IN ('->', '->>'))
        AND name NOT IN ('sqlite_log', 'load_extension')
      """
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), handle)
    var names: Set<String> = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let name = sqlite3_column_text(statement, 0) { names.insert(String(cString: name)) }
    }
    return names
  }

  private static func check(_ code: Int32, _ handle: OpaquePointer) throws {
    guard code != SQLITE_OK else { return }
    throw DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(handle)))
  }
}

// MARK: - Statements

extension QueryConnection {
  /// Prepares the one statement in `sql`, if it only reads documents.
  func prepare(_ sql: String) throws -> QueryStatement {
    guard !sql.utf8.contains(0) else { throw QueryError.failed("the text has a zero byte") }
    var rest = Array(sql.utf8CString)[...]
    var found: QueryStatement?
    while rest.count > 1 {
      let (statement, tail) = try compile(rest)
      if let statement {
        guard found == nil else { throw QueryError.several }
        found = statement
      }
      rest = tail
    }
    guard let found else { throw QueryError.empty }
    return found
  }

  private func compile(
    _ text: ArraySlice<CChar>
  ) throws -> (QueryStatement?, rest: ArraySlice<CChar>) {
    var commonTables: Set<String> = []
    while true {
      do {
        return try compile(text, with: commonTables)
      } catch QueryError.reads(let name)
        where !commonTables.contains(name) && CommonTables.has(name, in: text)
      {
        commonTables.insert(name)
      }
    }
  }

  private func compile(
    _ text: ArraySlice<CChar>, with commonTables: Set<String>
  ) throws -> (QueryStatement?, rest: ArraySlice<CChar>) {
    _ = authorizer.takeRefusal()
    authorizer.permit(commonTables: commonTables)
    var statement: OpaquePointer?
    var used = 0
    let code = text.withUnsafeBufferPointer { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, text.baseAddress, Int32(text.count), &statement, &tail)
      if let start = text.baseAddress, let tail { used = tail - start }
      return code
    }
    if let refusal = authorizer.takeRefusal() { throw refusal }
    guard code == SQLITE_OK else { throw failure(code) }
    guard let statement else { return (nil, text.dropFirst(max(used, 1))) }
    let made = QueryStatement(statement, connection: self)
    // What the compiler announces to nobody, such as VACUUM, gives no columns, or is no reading.
    guard sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else {
      throw QueryError.writes(nil)
    }
    return (made, text.dropFirst(used))
  }

  /// What went wrong last: the statement's fault, or the database's.
  func failure(_ code: Int32) -> any Error {
    if let refusal = authorizer.takeRefusal() { return refusal }
    let message = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_ERROR, SQLITE_AUTH, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE:
      return QueryError.failed(message)
    case SQLITE_INTERRUPT: return CancellationError()
    default: return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
  }

  /// Runs `body`, and ends what it steps through when the task is cancelled.
  func watchingForCancellation<Result>(_ body: () throws -> Result) rethrows -> Result {
    let instructions: Int32 = 20_000
    sqlite3_progress_handler(handle, instructions, { _ in Task.isCancelled ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    return try body()
  }
}
