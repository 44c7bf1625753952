extension Schema {
  /// Version 5: segments that were joined.
  static let compaction = """
    -- Kept segments that took the place of others: how often their transactions have been written
    -- into a larger file, and when that was last done. Beside the archive, where whoever lists it
    -- would read all content to get at a column behind it.
    CREATE TABLE joined(
      stream INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      level INTEGER NOT NULL,
      joined_at INTEGER NOT NULL,
      PRIMARY KEY (stream, first, last, digest)) WITHOUT ROWID;
    """
}
