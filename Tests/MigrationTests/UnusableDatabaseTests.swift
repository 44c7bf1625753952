import DocumentStorage
import Foundation
import GRDB
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A database that cannot be used") struct UnusableDatabaseTests {
  /// The version after today's.
  private static func nextVersion() throws -> Int {
    let version = try StoreDatabase.inMemory().read { db in
      try Int.fetchOne(db, sql: "PRAGMA user_version")
    }
    return try #require(version) + 1
  }

  @Test(
    "since a newer version made it is named with both versions, and not written",
    arguments: ["wal", "delete"])
  func newer(journal: String) throws {
    let store = try OldStore(version: 1)
    let next = try Self.nextVersion()
    try store.raw { db in
      try db.execute(sql: "PRAGMA journal_mode = \(journal)")
      try db.execute(sql: "CREATE TABLE of_the_future(x); DROP TABLE outbox")
      try db.execute(sql: "PRAGMA user_version = \(next)")
    }
    let before = try Data(contentsOf: URL(filePath: store.database.string))
    let expected = StorageError.newerSchema(store.database, found: next, known: next - 1)
    #expect(throws: expected) { try store.open() }
    #expect(throws: expected) { try StoreDatabase(directory: store.directory) }
    #expect(try Data(contentsOf: URL(filePath: store.database.string)) == before)
    #expect(try Self.names(store) == ["store.sqlite"])
  }

  /// What befell the file.
  enum Damage: String, CaseIterable, Sendable {
    case garbage
    case short
    case cut
    case overwritten

    func inflict(on bytes: Data) -> Data {
      switch self {
      case .garbage: Data("this is no database, but some other file entirely\n".utf8)
      case .short: bytes.prefix(50)
      case .cut: bytes.prefix(bytes.count / 2)
      case .overwritten: bytes.prefix(4096) + Data(repeating: 0xA5, count: bytes.count - 4096)
      }
    }
  }

  @Test("since it is damaged is refused and left alone", arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    let store = try OldStore(version: 1)
    let url = URL(filePath: store.database.string)
    let bytes = damage.inflict(on: try Data(contentsOf: url))
    try bytes.write(to: url)
    let error = #expect(throws: StorageError.self) { _ = try store.open().dump() }
    guard case .damaged(store.database, _) = error else {
      Issue.record("\(damage): \(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test("since it is empty is none; with a log beside it, it is damaged and the log stays")
  func empty() throws {
    let store = try OldStore(version: 1)
    let url = URL(filePath: store.database.string)
    try Data().write(to: url)
    #expect(throws: DeviceError.notInitialised(store.folder, state: store.state)) {
      try store.open()
    }
    #expect(try Data(contentsOf: url).isEmpty)
    let log = Data("what was committed last".utf8)
    let logURL = URL(filePath: store.database.string + "-wal")
    try log.write(to: logURL)
    #expect(throws: StorageError.self) { try StoreDatabase(directory: store.directory) }
    #expect(try Data(contentsOf: url).isEmpty)
    #expect(try Data(contentsOf: logURL) == log)
  }

  @Test("since it is gone, and its log is not, is refused by init and put aside by rebuild")
  func gone() throws {
    let store = try OldStore(version: 1)
    try FileManager.default.removeItem(atPath: store.database.string)
    let log = Data("what was committed last".utf8)
    try log.write(to: URL(filePath: store.database.string + "-wal"))
    let state = DeviceDirectory(root: store.state, files: LinuxFileSystem(), ambient: .fixed)
    let error = #expect(throws: StorageError.self) {
      try state.initialise(
        DeviceDirectory.Request(
          folder: store.folder, identifier: nil, deviceName: nil, joinsOnly: false))
    }
    guard case .damaged(store.database, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try !Self.names(store).contains("store.sqlite"))
    #expect(try Data(contentsOf: URL(filePath: store.database.string + "-wal")) == log)
    let recovery = try state.rebuild(container: store.folder, fallbackName: "me", process: "1")
    let kept = try #require(recovery.kept)
    #expect(recovery.isIncomplete)
    let aside = URL(filePath: kept.appending("store.sqlite-wal").string)
    #expect(try Data(contentsOf: aside) == log)
    #expect(try state.open(container: store.folder).record.stream == recovery.device.record.stream)
  }

  private static func names(_ store: OldStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.directory.string).sorted()
  }
}
