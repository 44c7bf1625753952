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
  private let failed = Mutex(false)
  /// Whether the disk has failed since the log was last begun anew.
  var isDoubtful: Bool { failed.withLock(\.self) }
  /// As SQLite's own: it writes the log into the database from so many pages on.
  private static let pages = 1000

  /// Checkpoints the log after commits as SQLite does by itself, which tells nobody if the disk
  /// fails at it.
  ///
  /// - parameter connection: one that this object outlives.
  func watch(_ connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { context, connection, name, pages in
        guard let context, pages >= LogDurability.pages else { return SQLITE_OK }
        // What the others still read stays for the next commit.
        let code = sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        Unmanaged<LogDurability>.fromOpaque(context).takeUnretainedValue().note(code)
        // The commit itself has succeeded.
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
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
    failed.withLock { $0 = true }
    return true
  }

  /// Writes the log into the database and begins it anew.
  ///
  /// - throws: if the disk fails at that, too, or others read from the log for too long.
  func beginAnew(_ db: Database) throws {
    _ = try db.checkpoint(.truncate)
    failed.withLock { $0 = false }
  }
}
