import GRDB

/// The tables of the cache.
///
/// They are strict, so a column holds what it is declared to hold, or nothing at all.
enum CacheSchema {
  static let version = 2

  static func version(of db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  static func prepare(_ db: Database) throws {
    let found = try version(of: db)
    guard found <= version else {
      throw LibraryError(.newerCache, operation: "open the cache")
    }
    guard found < version else { return }
    if found == 0 {
      try db.execute(sql: tables)
      try db.execute(sql: searching)
    }
    try db.execute(sql: marks)
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  private static let tables = """
    -- What this cache has taken in of the store: one row.
    CREATE TABLE progress(
      id INTEGER PRIMARY KEY CHECK (id = 1), device TEXT NOT NULL, position TEXT NOT NULL
    ) STRICT;
    CREATE TABLE feed(
      key TEXT PRIMARY KEY, subscription TEXT NOT NULL, channel TEXT, fetched INTEGER,
      fetch_state BLOB
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE item(
      id INTEGER PRIMARY KEY AUTOINCREMENT, feed TEXT NOT NULL, key TEXT NOT NULL,
      date INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_offered INTEGER NOT NULL,
      is_offered INTEGER NOT NULL, is_read INTEGER NOT NULL, is_starred INTEGER NOT NULL,
      title TEXT, link TEXT, body TEXT NOT NULL, text TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX item_key ON item(feed, key);
    -- With the feed, so that items of tagged feeds are found without a look at the others.
    CREATE INDEX item_date ON item(date, id, feed);
    CREATE INDEX item_feed ON item(feed, date, id, is_read);
    CREATE INDEX item_unread ON item(date, id, feed) WHERE is_read = 0;
    CREATE INDEX item_unread_feed ON item(feed, date, id) WHERE is_read = 0;
    CREATE INDEX item_starred ON item(date, id) WHERE is_starred = 1;
    CREATE TABLE item_tag(
      tag TEXT NOT NULL, item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
      PRIMARY KEY (tag, item)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX item_tag_item ON item_tag(item);
    -- Items that were let go of: when they come again they are not new.
    CREATE TABLE remembered(
      feed TEXT NOT NULL, key TEXT NOT NULL, is_read INTEGER NOT NULL, since INTEGER NOT NULL,
      PRIMARY KEY (feed, key)
    ) STRICT, WITHOUT ROWID;
    """

  /// Version 2: the shard by which an item is read, or was; null where that is not known.
  private static let marks = """
    ALTER TABLE item ADD COLUMN mark TEXT;
    ALTER TABLE remembered ADD COLUMN mark TEXT;
    -- All marks are taken in once more, so that it is known of those that are there.
    DELETE FROM progress;
    """

  private static let searching = """
    CREATE VIRTUAL TABLE item_text USING fts5(
      title, text, content='item', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
    CREATE TRIGGER item_inserted AFTER INSERT ON item BEGIN
      INSERT INTO item_text(rowid, title, text) VALUES (new.id, new.title, new.text);
    END;
    CREATE TRIGGER item_deleted AFTER DELETE ON item BEGIN
      INSERT INTO item_text(item_text, rowid, title, text)
      VALUES ('delete', old.id, old.title, old.text);
    END;
    CREATE TRIGGER item_edited AFTER UPDATE OF title, text ON item BEGIN
      INSERT INTO item_text(item_text, rowid, title, text)
      VALUES ('delete', old.id, old.title, old.text);
      INSERT INTO item_text(rowid, title, text) VALUES (new.id, new.title, new.text);
    END;
    """
}
