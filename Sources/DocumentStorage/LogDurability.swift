import GRDB
import GRDBSQLite
import Synchronization

/// Whether a database's log is on the disk as far as SQLite believes.
///
/// Some commits do not wait for the disk (`StoreDatabase.writeRepeatable`): the next sync of the
/// log brings them there. If that one fails, Linux takes their pages for written, and the next sync
/// succeeds without them. A log is read up to its first gap, so a loss of power would take what was
/// acknowledged after it, too. Hence, once the disk has failed, the log is written into the
/// database and begun anew before anything else is acknowledged.
final class LogDurability: Sendable {
  private struct State {
    var failed = false
    /// How many imports are under way.
    var imports = 0
    /// Whether they have left more in the log than others would.
    var isDeferred = false
  }

  private let state = Mutex(State())
  /// Whether the disk has failed since the log was last begun anew.
  var isDoubtful: Bool { state.withLock(\.failed) }
  /// As SQLite's own: it writes the log into the database from so many pages on.
  private static let pages = 1000
  /// The parts of an import write the same pages again: the log may have some 100 MB before.
  private static let pagesOfImport = 25_000

  /// Checkpoints the log after commits as SQLite does by itself, which tells nobody if the disk
  /// fails at it.
  ///
  /// - parameter connection: one that this object outlives.
  func watch(_ connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { context, connection, _, pages in
        guard let context, let connection else { return SQLITE_OK }
        let log = Unmanaged<LogDurability>.fromOpaque(context).takeUnretainedValue()
        if log.isEnough(Int(pages)) { log.checkpoint(connection) }
        // The commit itself has succeeded.
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func isEnough(_ pages: Int) -> Bool {
    state.withLock { state in
      let isEnough = pages >= (state.imports > 0 ? Self.pagesOfImport : Self.pages)
      state.isDeferred = !isEnough && pages >= Self.pages
      return isEnough
    }
  }

  /// Writes the log into the database: what others still read stays for the next commit.
  private func checkpoint(_ connection: OpaquePointer) {
    note(sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil))
  }

  /// Lets the log grow for longer, until the import ends.
  func beginImport() { state.withLock { $0.imports += 1 } }

  /// - returns: whether that has left something to be written into the database.
  func endImport() -> Bool {
    state.withLock { state in
      state.imports -= 1
      return state.imports == 0 && state.isDeferred
    }
  }

  /// Writes into the database what an import has left in the log, lest the next commit have to.
  func settle(_ db: Database) {
    state.withLock { $0.isDeferred = false }
    if let connection = db.sqliteConnection { checkpoint(connection) }
  }

  /// Takes notice of how a transaction failed.
  ///
  /// - returns: whether the disk did.
  func note(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return note(error.extendedResultCode.rawValue)
  }

  @discardableResult
  private func note(_ code: CInt) -> Bool {
    guard ResultCode(rawValue: code).primaryResultCode == .SQLITE_IOERR else { return false }
    state.withLock { $0.failed = true }
    return true
  }

  /// Writes the log into the database and begins it anew.
  ///
  /// - throws: if the disk fails at that, too, or others read from the log for too long.
  func beginAnew(_ db: Database) throws {
    _ = try db.checkpoint(.truncate)
    state.withLock { $0.failed = false }
  }
}
