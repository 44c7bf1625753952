extension Schema {
  /// Version 3: streams that branch, and devices that go on under a new stream.
  static let branches = """
    -- Whether a stream is judged by fingerprint, since it has, or somebody has seen, several
    -- branches; what it is to this device (`OwnStream`); up to where no marks were kept; and since
    -- when its device is known never to come back.
    ALTER TABLE streams ADD COLUMN branching INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN unmarked INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN retired_at INTEGER;
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
}
