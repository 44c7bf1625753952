import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import SystemFiles
import SystemPackage

/// A transaction of a database begins or ends: others wait for it meanwhile.
package enum StoreTurn: Sendable {
  /// - parameter step: the function whose transaction it is.
  case began(_ step: StaticString, isWriting: Bool)
  case ended
}

/// The SQLite database of one device, opened so that what is committed is on disk.
///
/// WAL, `synchronous = FULL`: a commit that returned survives a loss of power (protocol.md 31), but
/// for the note that something was published, which is found in the folder again.
package final class StoreDatabase: Sendable {
  package let file: FilePath
  /// Before the queue, since SQLite clears up when the last connection closes, if that may write.
  let queries: QueryPool
  /// What tells whether this is the database that it was.
  let identity: DeviceIdentity
  private let queue: DatabaseQueue
  let readCache = ReadCache()
  private let turn = TransactionTurn()
  /// How often what is known of streams was changed here, which SQLite does not tell this process.
  private let streamChanges = Mutex(0)
  private let function: BodyFunction
  private let log = LogDurability()
  private let use: Use
  /// Whether a commit may not wait for the disk, though it should: see `writeRepeatable`.
  private let isClosedToWrites = Mutex(false)
  /// Whether the process that writes is still alive, where one is pretended.
  private let beforeWriting: (@Sendable () throws -> Void)?
  /// Told of each transaction, where somebody measures how long others wait for one.
  private let onTurn: (@Sendable (StoreTurn) -> Void)?
  /// Which file it is; nil in memory, or if nobody can say.
  private let opened: FileStatus?

  /// How long a command waits for another process before ``StorageError/busy(_:)``.
  package static let busySeconds = 30.0

  /// What a database is opened for.
  package enum Use: Sendable {
    /// To be a device's.
    case device
    /// To give what it has to another that has taken its place: part of it may be damaged.
    case salvage
  }

  /// Opens the database in `directory`, creating it if it is not there.
  ///
  /// - parameter use: for ``Use/salvage``, one of an older version gets the tables that this one
  ///   has, and nothing in it is read for that.
  /// - parameter beforeWriting: as for ``inMemory(copying:identity:beforeWriting:)``.
  /// - parameter onTurn: called as each transaction begins and ends, by its thread.
  package init(
    directory: FilePath, identity: DeviceIdentity = DeviceIdentity(), for use: Use = .device,
    beforeWriting: (@Sendable () throws -> Void)? = nil,
    onTurn: (@Sendable (StoreTurn) -> Void)? = nil
  ) throws {
    self.onTurn = onTurn
    self.identity = identity
    file = directory.appending("store.sqlite")
    guard !Self.isEmptied(file) else {
      throw StorageError.damaged(file, detail: "the file is empty or gone, and its log is not")
    }
    Self.createForOwner(file)
    let function = BodyFunction()
    self.function = function
    self.use = use
    self.beforeWriting = beforeWriting
    queries = QueryPool(keeps: true)
    do {
      queue = try DatabaseQueue(
        path: file.string, configuration: Self.configuration(function, log, file: file))
      try Self.prepare(queue, file: file, for: use)
    } catch {
      throw StorageError.from(error, file: file)
    }
    opened = try? LinuxFileSystem().status(of: file)
  }

  private init(
    copying original: StoreDatabase?, identity: DeviceIdentity,
    beforeWriting: (@Sendable () throws -> Void)?
  ) throws {
    self.identity = identity
    file = Self.memory
    function = BodyFunction()
    use = .device
    self.beforeWriting = beforeWriting
    onTurn = nil
    opened = nil
    queries = QueryPool(keeps: false)
    queue = try DatabaseQueue(configuration: Self.configuration(function, log))
    if let original { try original.queue.backup(to: queue) }
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
  ///
  /// - parameter original: a database to begin as a copy of; nil for an empty one.
  /// - parameter identity: what the device is known by.
  /// - parameter beforeWriting: called before each transaction that writes; what it throws, that
  ///   write throws, and does nothing: so a process dies or a disk is full between two commits.
  package static func inMemory(
    copying original: StoreDatabase? = nil, identity: DeviceIdentity = DeviceIdentity(),
    beforeWriting: (@Sendable () throws -> Void)? = nil
  ) throws -> StoreDatabase {
    try StoreDatabase(copying: original, identity: identity, beforeWriting: beforeWriting)
  }

  /// Whether somebody has emptied or removed the database: opening it, SQLite would throw away its
  /// log.
  private static func isEmptied(_ file: FilePath) -> Bool {
    func size(_ path: FilePath) -> Int64 {
      (try? LinuxFileSystem().status(of: path).size) ?? 0
    }
    return size(file) == 0 && size(FilePath(file.string + "-wal")) > 0
  }

  private static func configuration(
    _ function: BodyFunction, _ log: LogDurability, file: FilePath = memory
  ) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busySeconds)
    // Not by GRDB, which makes a log where there is none by writing to it: each command that only
    // reads would write, and wait for the disk at its end.
    configuration.journalMode = .default
    configuration.maximumReaderCount = 1
    // Before anything is written, be it the journal mode.
    configuration.prepareDatabase { db in
      if let connection = db.sqliteConnection {
        try function.define(on: connection)
        log.watch(connection)
      }
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      guard found <= Schema.version else {
        throw StorageError.newerSchema(file, found: found, known: Schema.version)
      }
    }
    return configuration
  }

  private static func prepare(
    _ queue: DatabaseQueue, file: FilePath, for use: Use = .device
  ) throws {
    try queue.inDatabase { db in
      // A database stays in that mode.
      if file != memory, try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal",
        try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") != "wal"
      {
        throw StorageError.failed(file, detail: "SQLite does not take journal_mode = WAL")
      }
      // NORMAL, which a SQLite may have been built with, loses the last commits when power fails.
      //
      // The schema is trusted, as SQLite does by default: some versions take their own JSON
      // functions, which declared indexes consist of, for unsafe else.
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      try PageCache.standard.use(db)
      // A large import leaves a large log, which a process that goes on would keep.
      try db.execute(sql: "PRAGMA journal_size_limit = 33554432")
      let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
      guard synchronous == 2 else {
        throw StorageError.failed(file, detail: "SQLite does not take synchronous = FULL")
      }
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
      if version == Schema.version, try use == .salvage || !KindUpgrade.isNeeded(db) { return }
      var newer: Int?
      var isUpgraded = false
      try db.inTransaction(.immediate) {
        newer = try Schema.migrate(db, for: use)
        guard newer == nil else { return .rollback }
        isUpgraded = try use == .salvage || KindUpgrade.run(db)
        return isUpgraded ? .commit : .rollback
      }
      guard newer != nil || isUpgraded else { throw StorageError.newerProgram(file) }
      if let newer {
        throw StorageError.newerSchema(file, found: newer, known: Schema.version)
      }
    }
  }

  /// Reads one consistent state.
  ///
  /// Not by GRDB's `read`: it forbids writing by a pragma, upon which SQLite compiles every
  /// statement anew.
  ///
  /// - parameter step: what it is for, to whoever measures.
  package func read<Result>(
    step: StaticString = #function, _ body: (Database) throws -> Result
  ) throws -> Result {
    do {
      return try turn.taking {
        onTurn?(.began(step, isWriting: false))
        defer { onTurn?(.ended) }
        return try queue.inDatabase { db in
          try transact("BEGIN DEFERRED TRANSACTION", db) { try turn.own { try body(db) } }
        }
      }
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  /// Writes in one transaction that excludes other writers from its start, and is durable when this
  /// returns.
  ///
  /// - parameter step: what it is for, to whoever measures.
  package func write<Result>(
    step: StaticString = #function, _ body: (Database) throws -> Result
  ) throws -> Result {
    try writing(step) { try queue.inDatabase { db in try commit(db, body) } }
  }

  /// Writes what the next who looks would find out again: it does not wait for the disk, which may
  /// have it only with what is written later, in order.
  func writeRepeatable<Result>(
    step: StaticString = #function, _ body: (Database) throws -> Result
  ) throws -> Result {
    try writing(step) {
      try queue.inDatabase { db in
        // SQLite takes it as it compiles it, and not in a transaction.
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
        let outcome = Swift.Result { try commit(db, body) }
        do {
          try db.execute(sql: "PRAGMA synchronous = FULL")
        } catch {
          // What is acknowledged from now on might not be on the disk.
          isClosedToWrites.withLock { $0 = true }
          throw error
        }
        return try outcome.get()
      }
    }
  }

  /// Imports in several transactions, between which the log is not written into the database as
  /// often: each of them writes many of the same pages again.
  package func importing<Result>(_ body: () throws -> Result) rethrows -> Result {
    log.beginImport()
    defer { if log.endImport() { settle() } }
    return try body()
  }

  private func settle() {
    // If another thread's transaction forbids it, the next commit does it.
    try? turn.taking {
      onTurn?(.began("settle", isWriting: true))
      defer { onTurn?(.ended) }
      queue.inDatabase(log.settle)
    }
  }

  private func commit<Result>(
    _ db: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try transact("BEGIN IMMEDIATE TRANSACTION", db) { try own(db, body) }
  }

  /// By statements that are kept: GRDB's `inTransaction` compiles its own each time.
  private func transact<Result>(
    _ begin: String, _ db: Database, _ body: () throws -> Result
  ) throws -> Result {
    try db.run(begin)
    do {
      let result = try body()
      try db.run("COMMIT TRANSACTION")
      return result
    } catch {
      // What went wrong first is what is told.
      try? db.rollback()
      throw error
    }
  }

  private func writing<Result>(
    _ step: StaticString, _ transact: () throws -> Result
  ) throws -> Result {
    do {
      return try turn.taking { try logging(step, transact) }
    } catch {
      // The numbers that it gave to streams may be given to others.
      function.forgetStreams()
      throw StorageError.from(error, file: file)
    }
  }

  private func logging<Result>(
    _ step: StaticString, _ transact: () throws -> Result
  ) throws -> Result {
    do {
      guard !isClosedToWrites.withLock({ $0 }) else {
        throw DatabaseError(
          resultCode: .SQLITE_READONLY, message: "writes would not wait for the disk any more")
      }
      try beforeWriting?()
      onTurn?(.began(step, isWriting: true))
      defer { onTurn?(.ended) }
      if log.isDoubtful { try queue.inDatabase(log.beginAnew) }
      return try transact()
    } catch {
      // At once, since other processes go on in the same log; if that fails, with the next write.
      if log.note(error) { try? queue.inDatabase(log.beginAnew) }
      throw error
    }
  }

  private func own<Result>(
    _ db: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try requireCurrent(db)
    let result: Result
    do {
      result = try turn.own { try body(db) }
    } catch StorageError.left {
      // As `rebuild` has it, of the database whose place another one takes.
      try requireInPlace()
      throw StorageError.left
    }
    try requireInPlace()
    return result
  }

  /// Whoever puts back a backup puts another file in its place: what is written to this one from
  /// then on is read by nobody, and gone with this process.
  private func requireInPlace() throws(StorageError) {
    guard use == .device, let opened else { return }
    let isInPlace: Bool
    do {
      isInPlace = try LinuxFileSystem().status(of: file).isSameFile(as: opened)
    } catch {
      // What cannot be looked at may be there.
      isInPlace = error.errno != .noSuchFileOrDirectory
    }
    guard isInPlace else { throw .replaced(file) }
  }

  /// A newer program may have brought the database up to date since this process opened it: what
  /// this one does not know, it would leave undone.
  private func requireCurrent(_ db: Database) throws {
    guard use == .device else { return }
    let found = Int(try db.integer("PRAGMA user_version") ?? 0)
    guard found == Schema.version else {
      throw StorageError.newerSchema(file, found: found, known: Schema.version)
    }
  }

  /// A copy of the whole database, as the bytes of a file.
  func image() throws -> [UInt8] {
    try queue.inDatabase { db in
      var count: Int64 = 0
      guard let bytes = sqlite3_serialize(db.sqliteConnection, "main", &count, 0) else {
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      defer { sqlite3_free(bytes) }
      return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
  }

  var isInMemory: Bool { file == Self.memory }
  /// The directory that it is in; nil for one in memory.
  package var directory: FilePath? { isInMemory ? nil : file.removingLastComponent() }
  private static let memory: FilePath = ":memory:"
}

extension StoreDatabase {
  /// A number that grows when another process changes the database, and by one with each
  /// ``apply(_:now:nonce:foldBytes:onProgress:)``, ``giveUp(_:upTo:now:nonce:)`` or
  /// ``markPublished(_:file:hasOwnName:home:)`` of this one, and with each step in which it heeds
  /// what others have dropped.
  package func changeCount() throws -> Int {
    let version = try read { db in try db.integer("PRAGMA data_version") ?? 0 }
    return Int(version) + streamChanges.withLock(\.self)
  }

  func countStreamChange() { streamChanges.withLock { $0 += 1 } }
}
