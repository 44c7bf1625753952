import GRDB

/// How much of the database SQLite keeps in memory.
struct PageCache {
  private let kibibytes: Int

  /// Who writes documents in no order comes to the same pages again and again: to load 126,331 of
  /// them took a twelfth less time than with that of an import.
  static let standard = Self(kibibytes: 16 << 10)
  /// An import writes them in the order of their keys, and comes back to none: more took as long,
  /// and what is in the log before the commit is written while others are at work, too.
  static let importing = Self(kibibytes: 2 << 10)

  /// So many operations are worth another cache.
  static let many = 10_000

  /// Holds for a connection from now on; what it has beyond that it lets go of.
  func use(_ db: Database) throws {
    try db.execute(sql: "PRAGMA cache_size = \(-kibibytes)")
  }
}
