import GRDB

/// Keeps the rows of streams in SQLite's page cache while an import writes much else.
///
/// They get their numbers as it begins, and are told where they stand as it ends. Were their page
/// written to the log in between, as one is that nobody has used for long, it would be written
/// there twice; and whoever commits reads all of the log behind the first of the two once more
/// then, since a frame's checksum is one of all frames before it.
struct StreamPages {
  /// How much was written since they were used.
  private var bytes = 0
  /// A fourth of what an import keeps (``PageCache/importing``).
  private static let most = 512 << 10

  /// Uses them, if that is long ago.
  ///
  /// - parameter written: so many bytes are written beside them.
  mutating func keep(_ db: Database, beside written: Int) throws {
    bytes += written
    guard bytes > Self.most else { return }
    bytes = 0
    _ = try db.integer("SELECT sum(id) FROM streams NOT INDEXED")
  }
}
