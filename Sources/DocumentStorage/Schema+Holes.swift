extension Schema {
  /// Version 3: streams in whose midst something is missing that the user has given up.
  static let holes = """
    -- Up to where what is missing of a stream is given up, and since when; whether it is known to
    -- have several branches (`branching` says that it is judged by fingerprint).
    ALTER TABLE streams ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN given_up_at INTEGER;
    ALTER TABLE streams ADD COLUMN forked INTEGER NOT NULL DEFAULT 0;
    UPDATE streams SET forked = branching;

    -- The first line, too, may begin behind something missing. Of each line: the fingerprint before
    -- its first transaction, and what is given up of that which its closed transactions had seen.
    ALTER TABLE streams ADD COLUMN base INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE streams ADD COLUMN parent INTEGER;
    ALTER TABLE streams ADD COLUMN predecessor BLOB;
    ALTER TABLE streams ADD COLUMN lost BLOB;
    ALTER TABLE lines ADD COLUMN predecessor BLOB;
    ALTER TABLE lines ADD COLUMN lost BLOB;

    -- What somebody has seen that is missing and given up: another branch may come in its place.
    CREATE TABLE given_up_names(
      stream INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      PRIMARY KEY (stream, sequence, fingerprint)) WITHOUT ROWID;

    -- How much was known of its stream when a file that waits for another branch of it was read.
    ALTER TABLE files ADD COLUMN tried INTEGER;

    -- The waiting removals that were taken over from databases whose place this one has taken, lest
    -- they be taken over again when that is repeated (`WaitingRemoval.bytes`).
    CREATE TABLE taken_removals(removal BLOB PRIMARY KEY) WITHOUT ROWID;
    """
}
