import DocumentStorage
import GRDB
import Syncing
import Testing

/// What a library that reads a column without a question would do with it is to end the process.
@Suite("A database a column of which holds something else") struct DamagedColumnTests {
  private static let values = ["9223372036854775807", "-5", "'x'"]

  @Test(
    "is refused or read, and ends no process", .timeLimit(.minutes(5)),
    arguments: try RecoveryScene().tables(), values)
  func damaged(table: String, value: String) throws {
    let scene = try RecoveryScene()
    for column in try scene.columns(of: table) {
      try scene.restore()
      // What no database takes, damage brings all the same: but for that, nothing is tried.
      guard (try? scene.damage("UPDATE \"\(table)\" SET \"\(column)\" = \(value)")) != nil else {
        continue
      }
      if let peer = try? scene.house.open() {
        _ = try? peer.importAll()
        _ = try? peer.dump()
        _ = try? peer.put("mine", #"{"n":3}"#)
        _ = try? peer.device.database.keptDocuments()
      }
      _ = try? scene.rebuild()
      if let peer = try? scene.house.open() { _ = try? peer.importAll() }
    }
  }
}

extension RecoveryScene {
  fileprivate func tables() throws -> [String] {
    try names("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  }

  fileprivate func columns(of table: String) throws -> [String] {
    try names("SELECT name FROM pragma_table_info(?) ORDER BY name", [table])
  }

  private func names(_ sql: String, _ arguments: StatementArguments = []) throws -> [String] {
    try DatabaseQueue(path: state.appending("store.sqlite").string).read { db in
      try String.fetchAll(db, sql: sql, arguments: arguments)
    }
  }
}
