import DocumentStorage
import Foundation
import GRDB
import Syncing
import SystemPackage
import Testing

@Suite("A database that is opened") struct OpenedDatabaseTests {
  private let world: TwoAuthors
  private let state: FilePath

  init() throws {
    world = try TwoAuthors(.real)
    state = world.world.root.appending("state")
    try world.world.files.makeDirectory(state, mode: 0o700)
  }

  private func peer() throws -> Peer {
    try world.world.peer(
      "dev", in: try world.world.folder("shared"), database: StoreDatabase(directory: state))
  }

  private static func isDurable(_ database: StoreDatabase) throws -> Bool {
    try database.read { db in
      try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal"
        && Int.fetchOne(db, sql: "PRAGMA synchronous") == 2
    }
  }

  private func bytes(of name: String) -> Data? {
    try? Data(contentsOf: URL(filePath: state.appending(name).string))
  }

  @Test("brings each commit to the disk, be it new or not")
  func durable() throws {
    #expect(try Self.isDurable(StoreDatabase(directory: state)))
    #expect(try Self.isDurable(StoreDatabase(directory: state)))
  }

  @Test("is not written for who only reads")
  func readOnly() throws {
    do {
      try peer().put("1", #"{"n":1}"#)
    }
    let before = try #require(bytes(of: "store.sqlite"))
    do {
      let database = try StoreDatabase(directory: state)
      #expect(try database.unpublishedCount() == 1)
      // Beside it there may be a log, with nothing in it.
      #expect(bytes(of: "store.sqlite-wal")?.isEmpty != false)
    }
    #expect(bytes(of: "store.sqlite") == before)
  }

  @Test("brings commits to the disk also after one that can be found out again")
  func afterRepeatable() throws {
    let peer = try peer()
    try peer.put("1", #"{"n":1}"#)
    try peer.publish()
    #expect(try peer.device.database.unpublishedCount() == 0)
    #expect(try Self.isDurable(peer.device.database))
  }

  @Test("brings commits to the disk also after one of those that failed")
  func afterFailedRepeatable() throws {
    let database = try StoreDatabase(directory: state)
    // A newer program comes, after which this one writes nothing.
    try DatabaseQueue(path: state.appending("store.sqlite").string).write { db in
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      try db.execute(sql: "PRAGMA user_version = \(version + 1)")
    }
    #expect(throws: StorageError.self) { try database.noteLook(now: 1) }
    #expect(try Self.isDurable(database))
  }
}
