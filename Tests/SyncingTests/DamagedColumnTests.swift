import DocumentStorage
import GRDB
import Syncing
import Testing

/// What a library that reads a column without a question would do with it is to end the process.
@Suite("A database a column of which holds something else") struct DamagedColumnTests {
  private static let values = ["9223372036854775807", "-5", "'x'"]

  @Test("is refused or read, and ends no process", .timeLimit(.minutes(1)), arguments: values)
  func damaged(value: String) throws {
    let scene = try RecoveryScene()
    for (table, column) in try scene.columns() {
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
  /// The columns of all tables.
  fileprivate func columns() throws -> [(table: String, column: String)] {
    try DatabaseQueue(path: state.appending("store.sqlite").string).read { db in
      let sql = """
        SELECT tables.name, columns.name FROM sqlite_schema AS tables
        JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
        ORDER BY 1, 2
        """
      return try Row.fetchAll(db, sql: sql).map { (table: $0[0], column: $0[1]) }
    }
  }
}
