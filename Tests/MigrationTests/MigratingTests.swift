import DocumentStorage
import Foundation
import GRDB
import Syncing
import SystemPackage
import TestSupport
import Testing

@Suite("Migrating a database") struct MigratingTests {
  @Test("that fails in its midst leaves the old version as it was", arguments: OldStore.versions)
  func failure(version: Int) throws {
    let store = try OldStore(version: version)
    // The last thing to be done cannot be: all before it must be taken back.
    let sql = "CREATE TRIGGER no BEFORE DELETE ON files BEGIN SELECT RAISE(ABORT, 'no'); END"
    try store.raw { db in try db.execute(sql: sql) }
    let before = try (store.tables(), store.rawVersion(), Self.rows(store))
    #expect(throws: StorageError.self) { try store.open() }
    #expect(try store.tables() == before.0)
    #expect(try store.rawVersion() == before.1)
    #expect(try Self.rows(store) == before.2)
    try store.raw { db in try db.execute(sql: "DROP TRIGGER no") }
    #expect(try store.open().dump() == store.expected("dump.jsonl"))
  }

  @Test("is done once by many that open it at the same time", arguments: OldStore.versions)
  func concurrently(version: Int) async throws {
    let store = try OldStore(version: version)
    let dumps = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try store.open().dump() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(dumps.count == 8)
    #expect(try Set(dumps) == [store.expected("dump.jsonl")])
    #expect(
      try store.tables() == StoreDatabase.inMemory().read { db in try Structure.of(db) })
  }

  @Test("waits for a process of the old version that is writing", arguments: OldStore.versions)
  func busy(version: Int) async throws {
    let store = try OldStore(version: version)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let old = try DatabaseQueue(path: store.database.string, configuration: configuration)
    try await old.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM files")
    }
    let opening = try OpeningSignal(of: store.database)
    async let opened = Self.onItsOwnThread { try store.open().dump() }
    // Whether it has come to wait by then decides nothing that is expected.
    #expect(await opening.arrives())
    #expect(try Self.committedVersion(store) == version)
    try await old.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
    #expect(try await opened == store.expected("dump.jsonl"))
    #expect(try store.raw { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM files") } == 0)
  }

  /// Blocks a thread of its own: there may be no more of the shared ones than there are cases.
  private static func onItsOwnThread(
    _ work: @escaping @Sendable () throws -> String
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
  }

  /// The version that a reader sees.
  private static func committedVersion(_ store: OldStore) throws -> Int? {
    try DatabaseQueue(path: store.database.string).read { db in
      try Int.fetchOne(db, sql: "PRAGMA user_version")
    }
  }

  private static func rows(_ store: OldStore) throws -> [Row] {
    try store.raw { db in try Row.fetchAll(db, sql: "SELECT * FROM files") }
  }
}
