import DocumentStorage
import GRDB
import Syncing
import SystemPackage
import TestSupport
import Testing

private let count = 120

/// A device with many writes that wait to be published.
private struct Waiting {
  let scene: RecoveryScene

  /// - parameter isPublishedAtOnce: whether each write is alone in its batch, whose borders are
  ///   fixed.
  /// - parameter more: how many more there are, without text.
  init(isPublishedAtOnce: Bool, more: Int = 0) throws {
    scene = try RecoveryScene()
    try scene.restore()
    let before = try scene.house.open()
    for number in 0..<count {
      let body = #"{"text":"\#(String(repeating: "\(number) ", count: 60))"}"#
      try before.put("x\(number)", body, isPublishedAtOnce: isPublishedAtOnce)
    }
    for number in 0..<more {
      try before.put("m\(number)", "{}", isPublishedAtOnce: isPublishedAtOnce)
    }
  }

  /// Rebuilds, and tells how many of the waiting writes the new device has.
  ///
  /// - parameter hasWaiting: whether what was written before them is not damaged.
  func rebuild(
    hasWaiting: Bool = true
  ) throws -> (recovery: DeviceDirectory.Recovery, found: Int) {
    let former = try scene.house.open()
    let recovery = try scene.rebuild()
    let peer = try scene.house.open()
    try peer.importAll()
    // What lies behind what is lost is read once that is given up.
    if recovery.isIncomplete { _ = try? peer.skip(former) }
    if hasWaiting { #expect(try peer.body("waiting") == #"{"n":1}"#) }
    #expect(try peer.device.database.counts().pendingRemovals == 1)
    let found = try (0..<count).count { try peer.body("x\($0)") != nil }
    return (recovery, found)
  }
}

/// A disk damages sectors, and a file system loses blocks: pages, not values.
@Suite("A rebuild of a database whose pages are damaged") struct RecoveryPageTests {
  @Test("publishes what the other pages of its outbox hold", arguments: [true, false])
  func outbox(isPublishedAtOnce: Bool) throws {
    let test = try Waiting(isPublishedAtOnce: isPublishedAtOnce)
    let lost = try test.scene.damagePage(of: "outbox")
    let (recovery, found) = try test.rebuild()
    #expect(recovery.isIncomplete)
    #expect(lost > 0)
    #expect(found == count - lost)
  }

  @Test(
    "publishes all of its outbox where it cannot be told whose it was, or how the streams stand",
    arguments: ["device", "streams"])
  func unknownDevice(name: String) throws {
    let test = try Waiting(isPublishedAtOnce: true)
    _ = try test.scene.damagePage(of: name)
    let recovery = try test.scene.rebuild()
    #expect(recovery.isIncomplete)
    let peer = try test.scene.house.open()
    try peer.importAll()
    #expect(try (0..<count).count { try peer.body("x\($0)") != nil } == count)
    #expect(try peer.body("lost") == #"{"n":1}"#)
  }

  @Test(
    "publishes all of its outbox where only what leads to that is damaged",
    arguments: ["batches", "sqlite_autoindex_outbox_1"])
  func ways(name: String) throws {
    let test = try Waiting(isPublishedAtOnce: true)
    _ = try test.scene.damagePage(of: name)
    #expect(try test.rebuild().found == count)
  }

  @Test("publishes all of its outbox where one leaf of many of its index is damaged")
  func leaf() throws {
    let test = try Waiting(isPublishedAtOnce: true, more: 900)
    _ = try test.scene.damagePage(of: "sqlite_autoindex_outbox_1")
    let (recovery, found) = try test.rebuild()
    #expect(found == count)
    #expect(recovery.unreadable == 0)
  }

  @Test(
    "publishes what no batch tells of",
    arguments: [
      "UPDATE batches SET last = first WHERE first = (SELECT max(first) FROM batches)",
      "DELETE FROM batches WHERE first = (SELECT max(first) - 1 FROM batches)",
    ])
  func untold(damage: String) throws {
    let test = try Waiting(isPublishedAtOnce: true)
    let before = try test.scene.house.open()
    try before.put("y", "{}", isPublishedAtOnce: false)
    try before.put("z", "{}", isPublishedAtOnce: false)
    try before.device.database.fixBatches()
    // So that what follows is no open rest.
    try before.put("w", "{}")
    try test.scene.damage(damage)
    #expect(try test.rebuild().found == count)
    let peer = try test.scene.house.open()
    for id in ["y", "z", "w"] { #expect(try peer.body(id) == "{}", "\(id)") }
  }

  @Test("publishes what the rows of its outbox hold behind a damaged first page")
  func high() throws {
    let test = try Waiting(isPublishedAtOnce: true)
    try test.scene.damage(
      "UPDATE outbox SET rowid = -rowid; UPDATE outbox SET rowid = 3000000 - rowid")
    let lost = try test.scene.damagePage(of: "outbox", first: true)
    #expect(try test.rebuild(hasWaiting: false).found >= count - lost)
  }

  @Test("takes over its removals where only their index is damaged")
  func removals() throws {
    let test = try Waiting(isPublishedAtOnce: true)
    _ = try test.scene.damagePage(of: "waiting")
    #expect(try test.rebuild().recovery.removals == 1)
  }

  @Test(
    "takes over, and publishes, what an index does not lead to that is older than its table",
    arguments: ["waiting", "sqlite_autoindex_archive_1"])
  func olderIndex(name: String) throws {
    let test = try Waiting(isPublishedAtOnce: true)
    try test.scene.emptyPage(of: name)
    let recovery = try test.rebuild().recovery
    #expect(recovery.removals == 1)
    #expect(try test.scene.house.open().body("lost") == #"{"n":1}"#)
  }
}

extension RecoveryScene {
  /// Takes all entries out of the pages of an index, as a write that was lost leaves them.
  func emptyPage(of name: String) throws {
    let file = state.appending("store.sqlite")
    let pages = try DatabaseQueue(path: file.string).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      let sql = "SELECT pageno, pgsize FROM dbstat WHERE name = ?"
      return try Row.fetchAll(db, sql: sql, arguments: [name]).map { ($0[0] as Int, $0[1] as Int) }
    }
    // A small index is one leaf, whose third byte is the first of its number of cells.
    let (page, size) = try #require(pages.count == 1 ? pages[0] : nil)
    let handle = try FileDescriptor.open(file, .readWrite)
    defer { try? handle.close() }
    try handle.writeAll(toAbsoluteOffset: Int64(page - 1) * Int64(size) + 3, [0, 0])
  }

  /// Overwrites a page of a table or an index with zeros: one in the midst, or the first.
  ///
  /// - returns: how many rows it held.
  func damagePage(of name: String, first: Bool = false) throws -> Int {
    let file = state.appending("store.sqlite")
    let (page, size, cells) = try DatabaseQueue(path: file.string).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      let sql = """
        SELECT pageno, pgsize, ncell FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path
        """
      let rows = try Row.fetchAll(db, sql: sql, arguments: [name])
      let row = try #require(rows.isEmpty ? nil : rows[first ? 0 : rows.count / 2])
      return (row[0] as Int, row[1] as Int, row[2] as Int)
    }
    let handle = try FileDescriptor.open(file, .readWrite)
    defer { try? handle.close() }
    try handle.writeAll(
      toAbsoluteOffset: Int64(page - 1) * Int64(size), [UInt8](repeating: 0, count: size))
    return cells
  }
}
