extension Schema {
  /// Version 9: when this device looked after its files, in milliseconds since 1970.
  static let looks = """
    CREATE TABLE looks(at INTEGER PRIMARY KEY);
    INSERT INTO looks SELECT looked_after_at FROM device
      WHERE typeof(looked_after_at) = 'integer' AND looked_after_at > 0;
    """

  /// Version 8: segments that were let go, since a statement leaves out something that they have
  /// (``SpentSegments``), and what did not pay.
  static let spentSegments = """
    CREATE TABLE spent(
      id INTEGER PRIMARY KEY,
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      spent_at INTEGER NOT NULL,
      content BLOB NOT NULL,
      UNIQUE (stream, first, last, digest));

    -- How many were dead when it did not pay to write the segment anew.
    ALTER TABLE dead ADD COLUMN unpaid INTEGER NOT NULL DEFAULT 0;
    """

  /// Version 7: how far a statement is heeded (`HeedingMark`); NULL if nothing of it is done, or
  /// all.
  static let heedingInParts = "ALTER TABLE statements ADD COLUMN heeding BLOB;"

  /// Version 6: segments of which operations were dropped.
  static let statements = """
    -- The kept segments that lack something which their transactions had (protocol.md 22), by their
    -- numbers in the archive: how far that is heeded here (`StatementTable.Progress`), and what has
    -- to be applied before it is; and from when on history is whole without what they lack.
    CREATE TABLE statements(
      segment INTEGER PRIMARY KEY,
      progress INTEGER NOT NULL,
      applied BLOB NOT NULL,
      history_start BLOB NOT NULL);

    -- What has been found dead of this device's kept segments: a bit for each operation, how many
    -- those are, of how many, since when, and what had been applied then, up to which stamp: that
    -- covers them.
    CREATE TABLE dead(
      segment INTEGER PRIMARY KEY,
      operations BLOB NOT NULL,
      count INTEGER NOT NULL,
      total INTEGER NOT NULL,
      found_at INTEGER NOT NULL,
      covered BLOB NOT NULL,
      clock INTEGER NOT NULL);

    CREATE TRIGGER forget_segment AFTER DELETE ON archive BEGIN
      DELETE FROM statements WHERE segment = old.id;
      DELETE FROM dead WHERE segment = old.id;
    END;

    -- When something new of a stream arrived last, in milliseconds since 1970; and its last applied
    -- transaction with operations, on its first line. Null where an older program knew.
    ALTER TABLE streams ADD COLUMN arrived_at INTEGER;
    ALTER TABLE streams ADD COLUMN written INTEGER;

    -- Since when something is applied of which this device has not said that it has it, and when it
    -- last looked after its files, in milliseconds since 1970.
    ALTER TABLE device ADD COLUMN unsaid_since INTEGER;
    ALTER TABLE device ADD COLUMN looked_after_at INTEGER;
    """
}
