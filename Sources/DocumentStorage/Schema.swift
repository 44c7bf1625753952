import GRDB

/// The tables of the local database, and the steps from each older version to this one.
enum Schema {
  /// The version that this program reads and writes, kept in SQLite's `user_version`.
  static let version = steps.count

  /// Brings the database up to date; must run in a write transaction.
  ///
  /// - returns: the version found where it is newer than this program knows; else nil.
  static func migrate(_ db: Database, for use: StoreDatabase.Use) throws -> Int? {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard found <= version else { return found }
    guard found < version else { return nil }
    for step in steps[found...] { try step.perform(in: db) }
    try db.execute(sql: "PRAGMA user_version = \(version)")
    guard use == .device else { return nil }
    // What an older program could not read, this one may: look at it again.
    try db.execute(
      sql: """
        DELETE FROM files
        WHERE reason IN ('newer', 'damaged', 'branch') OR tried IS NOT NULL
        """)
    return nil
  }

  /// Step n makes version n + 1 out of version n.
  ///
  /// A step that has been released never changes; and it reads nothing that may be damaged, if that
  /// can be helped.
  private static let steps: [Step] = [
    .statements(firstTables), .statements(changesAndIndexes),
    .statements(archiveOfSegments + newerKinds + clockReadings + branches + holes),
    .columns(lateColumns), .statements(compaction), .statements(statements),
    .statements(heedingInParts), .statements(spentSegments), .statements(looks),
    .columns(openRuns), .columns(lastMarks),
  ]

  private enum Step {
    case statements(String)
    /// Each where its table lacks it.
    case columns([Column])

    func perform(in db: Database) throws {
      switch self {
      case .statements(let text): try db.execute(sql: text)
      case .columns(let columns):
        for column in columns
        where try !db.columns(in: column.table).contains(where: { $0.name == column.name }) {
          try db.execute(
            sql: "ALTER TABLE \(column.table) ADD COLUMN \(column.name) \(column.type)")
        }
      }
    }
  }

  private struct Column {
    let table: String
    let name: String
    let type: String
  }

  /// Version 3 was changed after programs had gone out that make it: theirs lack the first two.
  private static let lateColumns = [
    // The inserts that it edits and that are not here, as a context without fingerprints.
    Column(table: "open_transactions", name: "inserts", type: "BLOB"),
    // The time of the first transaction of the file that gave a stream its name.
    Column(table: "streams", name: "named_at", type: "INTEGER NOT NULL DEFAULT 0"),
    // Which other streams its device had written when the borders were fixed, 16 bytes each.
    Column(table: "batches", name: "former_streams", type: "BLOB"),
  ]

  private static let openRuns = [
    // The last of several transactions that follow one another and wait for the same; `sequence` is
    // the first, and `fingerprint` the last one's. NULL for one alone.
    Column(table: "open_transactions", name: "last", type: "INTEGER")
  ]

  /// Version 11, from which on the device's clock may be behind what it has written itself
  /// (`DeviceRecord.clock`).
  private static let lastMarks = [
    // The marks behind the last whole row of `marks`, of the first line, 8 bytes each: so that not
    // each transaction changes a page for its own.
    Column(table: "streams", name: "last_marks", type: "BLOB")
  ]

  private static let newerKinds = """
    -- One row: which kinds of operations the program knew that wrote here last, a bit for each.
    CREATE TABLE program(id INTEGER PRIMARY KEY CHECK (id = 1), kinds INTEGER NOT NULL);
    INSERT INTO program VALUES (1, 15);

    -- Transactions that are applied, with operations of kinds that it did not know.
    CREATE TABLE newer_transactions(
      stream INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      kinds INTEGER NOT NULL,
      PRIMARY KEY (stream, sequence, fingerprint)) WITHOUT ROWID;

    -- The kinds in a document's state that it did not know.
    ALTER TABLE documents ADD COLUMN newer INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX newer ON documents(newer) WHERE newer > 0;
    """

  private static let archiveOfSegments = """
    -- The segments whose content is in this database, as their files are in the folder. Small and
    -- large ones: a rowid table, since blobs make a poor B-tree of their own.
    CREATE TABLE archive(
      id INTEGER PRIMARY KEY,
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      content BLOB NOT NULL,
      UNIQUE (stream, first, last, digest));

    -- What was applied or published before there was an archive: to be taken from the folder.
    CREATE TABLE unarchived(
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      PRIMARY KEY (stream, first, last, digest)) WITHOUT ROWID;
    INSERT INTO unarchived SELECT stream, first, last, digest FROM segments;
    """

  private static let clockReadings = """
    -- How far the last times of other devices were ahead of this machine's clock when they arrived,
    -- in milliseconds; `borrowed` ones were not read off their author's own clock.
    CREATE TABLE clock_readings(
      stream INTEGER NOT NULL,
      arrived INTEGER NOT NULL,
      ahead INTEGER NOT NULL,
      borrowed INTEGER NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (stream, arrived)) WITHOUT ROWID;
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
