import GRDB
import SystemPackage

/// The SQLite database of one device, opened so that what is committed is on disk.
///
/// WAL, `synchronous = FULL`: a commit that returned survives a loss of power (protocol.md 31).
package final class StoreDatabase: Sendable {
  package let file: FilePath
  private let queue: DatabaseQueue

  /// How long a command waits for another process before ``StorageError/busy(_:)``.
  package static let busySeconds = 30.0

  /// Opens the database in `directory`, creating it if it is not there.
  package init(directory: FilePath) throws {
    file = directory.appending("store.sqlite")
    Self.createForOwner(file)
    do {
      queue = try DatabaseQueue(path: file.string, configuration: Self.configuration)
      try Self.prepare(queue, file: file)
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  private init(queue: DatabaseQueue) throws {
    file = ":memory:"
    self.queue = queue
    try Self.prepare(queue, file: file)
  }

  /// Creates the file for its owner alone, where SQLite would let all read it; the files beside it
  /// take over its mode.
  ///
  /// One that exists is not opened: closing it would drop this process's locks on it.
  private static func createForOwner(_ file: FilePath) {
    // Whatever fails, SQLite will say so, too.
    let descriptor = try? FileDescriptor.open(
      file, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try? descriptor?.close()
  }

  /// A database that lives as long as the value: for tests and the simulator.
  package static func inMemory() throws -> StoreDatabase {
    try StoreDatabase(queue: DatabaseQueue(configuration: configuration))
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busySeconds)
    configuration.journalMode = .wal
    configuration.maximumReaderCount = 1
    return configuration
  }

  private static func prepare(_ queue: DatabaseQueue, file: FilePath) throws {
    try queue.inDatabase { db in
      // GRDB asks for NORMAL when it opens a database in WAL mode, which may lose the last commits
      // when power fails.
      try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY")
      // A large import leaves a large log, which a process that goes on would keep.
      try db.execute(sql: "PRAGMA journal_size_limit = 33554432")
      let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
      guard synchronous == 2 else {
        throw StorageError.failed(file, detail: "SQLite does not take synchronous = FULL")
      }
      if try Int.fetchOne(db, sql: "PRAGMA user_version") == Schema.version { return }
      var newer: Int?
      try db.inTransaction(.immediate) {
        newer = try Schema.migrate(db)
        return newer == nil ? .commit : .rollback
      }
      if let newer {
        throw StorageError.newerSchema(file, found: newer, known: Schema.version)
      }
    }
  }

  /// Reads one consistent state.
  package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try queue.read(body)
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  /// Writes in one transaction that excludes other writers from its start, and is durable when this
  /// returns.
  package func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try queue.write(body)
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  /// Moves the write-ahead log into the database, if nobody reads it now.
  package func checkpoint() throws {
    do {
      try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
    } catch {
      throw StorageError.from(error, file: file)
    }
  }
}

extension StoreDatabase {
  /// A number that differs after another process has changed the database.
  package func changeCount() throws -> Int {
    try read { db in try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }
  }
}
