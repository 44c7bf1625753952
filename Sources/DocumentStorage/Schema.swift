import GRDB

/// The tables of the local database, and the steps from each older version to this one.
enum Schema {
  /// The version that this program reads and writes, kept in SQLite's `user_version`.
  static let version = steps.count

  /// Brings the database up to date; must run in a write transaction.
  ///
  /// - returns: the version found where it is newer than this program knows; else nil.
  static func migrate(_ db: Database) throws -> Int? {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard found <= version else { return found }
    guard found < version else { return nil }
    for step in steps[found...] { try db.execute(sql: step) }
    // What an older program could not read, this one may: look at it again.
    try db.execute(sql: "DELETE FROM files WHERE reason IN ('newer', 'damaged')")
    try db.execute(sql: "PRAGMA user_version = \(version)")
    return nil
  }

  /// Step n makes version n + 1 out of version n; a step that has been released never changes.
  private static let steps = [firstTables, changesAndIndexes, branches]

  private static let branches = """
    -- Whether a stream is judged by fingerprint, since it has, or somebody has seen, several
    -- branches; whether it is or was this device's; and up to where no marks were kept.
    ALTER TABLE streams ADD COLUMN branching INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN unmarked INTEGER NOT NULL DEFAULT 0;
    UPDATE streams SET unmarked = applied;
    UPDATE streams SET own = 1 WHERE id IN (SELECT stream FROM device);

    -- The lines of a stream but the first, which is in its row in `streams`: where each leaves
    -- which other, and how far it is applied and closed. Their numbers never leave this database.
    CREATE TABLE lines(
      stream INTEGER NOT NULL,
      line INTEGER NOT NULL,
      parent INTEGER,
      base INTEGER NOT NULL,
      applied INTEGER NOT NULL,
      applied_fingerprint BLOB NOT NULL,
      context BLOB NOT NULL,
      time INTEGER NOT NULL,
      nonce INTEGER,
      closed INTEGER NOT NULL,
      closed_fingerprint BLOB,
      PRIMARY KEY (stream, line)) WITHOUT ROWID;

    -- The first eight bytes of each applied transaction's fingerprint, 64 in a row.
    CREATE TABLE marks(
      stream INTEGER NOT NULL,
      line INTEGER NOT NULL,
      chunk INTEGER NOT NULL,
      marks BLOB NOT NULL,
      PRIMARY KEY (stream, line, chunk)) WITHOUT ROWID;

    -- Two lines may have an open transaction of one sequence.
    ALTER TABLE open_transactions RENAME TO old_open_transactions;
    CREATE TABLE open_transactions(
      stream INTEGER NOT NULL,
      line INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      context BLOB NOT NULL,
      PRIMARY KEY (stream, line, sequence)) WITHOUT ROWID;
    INSERT INTO open_transactions
      SELECT stream, 0, sequence, fingerprint, context FROM old_open_transactions;
    DROP TABLE old_open_transactions;

    -- Documents that show what may have to be judged again when a stream branches.
    ALTER TABLE documents ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX provisional ON documents(provisional) WHERE provisional > 0;

    -- What a former stream of this device has not published waits under that stream.
    ALTER TABLE outbox RENAME TO old_outbox;
    CREATE TABLE outbox(
      stream INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      previous_context BLOB NOT NULL,
      previous_time INTEGER NOT NULL,
      previous_nonce INTEGER,
      content BLOB NOT NULL,
      PRIMARY KEY (stream, sequence));
    INSERT INTO outbox
      SELECT device.stream, sequence, bytes, previous_context, previous_time, previous_nonce,
        content
      FROM old_outbox, device;
    DROP TABLE old_outbox;
    ALTER TABLE batches RENAME TO old_batches;
    CREATE TABLE batches(
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      device_name TEXT,
      PRIMARY KEY (stream, first)) WITHOUT ROWID;
    INSERT INTO batches SELECT device.stream, first, last, device_name FROM old_batches, device;
    DROP TABLE old_batches;

    -- Where the database lay when it last wrote: elsewhere, it is a copy.
    ALTER TABLE device ADD COLUMN environment BLOB;
    """

  private static let changesAndIndexes = """
    -- What the last commits changed, for processes that follow the store; old rows are dropped.
    CREATE TABLE changes(id INTEGER PRIMARY KEY, content BLOB NOT NULL);

    -- The indexes that the user has declared; path is a JSON Pointer.
    CREATE TABLE indexes(
      id INTEGER PRIMARY KEY,
      collection TEXT NOT NULL,
      path TEXT NOT NULL,
      UNIQUE (collection, path));

    -- When the device left its container; the rest is kept for its return.
    ALTER TABLE device ADD COLUMN left_at INTEGER;
    """

  private static let firstTables = """
    -- One row: what this device is. The marker is kept so that it can be restored.
    CREATE TABLE device(
      id INTEGER PRIMARY KEY CHECK (id = 1),
      container BLOB NOT NULL,
      marker BLOB NOT NULL,
      path BLOB NOT NULL,
      stream INTEGER NOT NULL,
      name TEXT NOT NULL,
      published_name TEXT,
      clock INTEGER NOT NULL);

    -- Every stream met: how far it is applied, and how far that may be claimed as seen.
    CREATE TABLE streams(
      id INTEGER PRIMARY KEY,
      stream BLOB NOT NULL UNIQUE,
      name TEXT,
      applied INTEGER NOT NULL DEFAULT 0,
      applied_fingerprint BLOB,
      context BLOB,
      time INTEGER NOT NULL DEFAULT 0,
      nonce INTEGER,
      closed INTEGER NOT NULL DEFAULT 0,
      closed_fingerprint BLOB,
      gap_since INTEGER);

    -- Transactions that are applied, but whose context has not wholly arrived.
    CREATE TABLE open_transactions(
      stream INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      context BLOB NOT NULL,
      PRIMARY KEY (stream, sequence)) WITHOUT ROWID;

    -- The segments imported, or published by this device; only with `named` does the name under
    -- logs/ count as imported, so that files under other names are looked at.
    CREATE TABLE segments(
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      named INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      PRIMARY KEY (stream, first, last, digest)) WITHOUT ROWID;
    CREATE INDEX segment_ends ON segments(stream, last);

    -- Local transactions that are not known to be in the folder yet.
    CREATE TABLE outbox(
      sequence INTEGER PRIMARY KEY,
      bytes INTEGER NOT NULL,
      previous_context BLOB NOT NULL,
      previous_time INTEGER NOT NULL,
      previous_nonce INTEGER,
      content BLOB NOT NULL);

    -- The borders of the segments to be published, fixed before a file is written.
    CREATE TABLE batches(
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      device_name TEXT);

    -- Files looked at that are no imported segment under its own name.
    CREATE TABLE files(
      directory BLOB NOT NULL,
      name BLOB NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      reason TEXT NOT NULL,
      detail TEXT,
      stream BLOB,
      first INTEGER,
      last INTEGER,
      PRIMARY KEY (directory, name)) WITHOUT ROWID;

    CREATE TABLE collections(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

    -- One row per document, body and merge state together.
    CREATE TABLE documents(
      collection INTEGER NOT NULL,
      id TEXT NOT NULL,
      visible INTEGER NOT NULL,
      conflicts INTEGER NOT NULL,
      pending INTEGER NOT NULL,
      state BLOB NOT NULL,
      PRIMARY KEY (collection, id)) WITHOUT ROWID;
    CREATE INDEX conflicted ON documents(conflicts) WHERE conflicts > 0;
    CREATE INDEX waiting ON documents(pending) WHERE pending > 0;
    """
}
