import CanonicalJSON
import DocumentStorage
import Foundation
import GRDB
import Replication
import SharedFolder
import SystemPackage
import Testing

/// A database as a program would have left it that knew neither counters nor sets.
private final class OlderKinds {
  let directory: FilePath
  private let root: URL

  /// - parameter isNoted: whether that program noted what it did not know.
  init(isNoted: Bool = true) throws {
    root = FileManager.default.temporaryDirectory
      .appending(path: "feedsync-kinds-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    directory = FilePath(root.path)
    try write()
    try age()
    if !isNoted { try raw { db in try db.execute(sql: "UPDATE documents SET newer = 0") } }
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  private static let key = DocumentKey(collection: "notes", id: "a")

  /// A counter that shows 5, with an index on it.
  private func write() throws {
    let database = try StoreDatabase(directory: directory)
    let marker = Marker(container: ContainerID(rawValue: 1), identifier: "org.example")
    try database.save(
      DeviceRecord(
        container: marker.container, marker: marker.bytes, path: "/nowhere",
        stream: StreamID(rawValue: 7), name: "ann"))
    _ = try database.writeDocuments(now: HybridTime(milliseconds: 1_700_000_000_000), nonce: 1) {
      _ = try $0.edit(.increment(5), at: Path(keys: ["n"]), of: Self.key) { _ in }
    }
    try database.createIndex(
      DeclaredIndex(collection: "notes", member: try MemberPath("n")))
  }

  private func age() throws {
    try raw { db in
      // As that program rendered it: without the counter.
      db.add(
        function: DatabaseFunction("feedsync_body", argumentCount: 1, pure: true) { _ in "{}" })
      try db.execute(
        sql: """
          REINDEX;
          UPDATE program SET kinds = 15;
          UPDATE documents SET newer = 16, conflicts = 3;
          INSERT INTO newer_transactions SELECT id, 1, applied_fingerprint, 16 FROM streams;
          INSERT INTO open_transactions(stream, line, sequence, fingerprint, context, inserts)
            SELECT id, 0, 1, applied_fingerprint, X'00', NULL FROM streams;
          UPDATE streams SET closed = 0, closed_fingerprint = NULL;
          """)
    }
  }

  func raw(_ body: (Database) throws -> Void) throws {
    try DatabaseQueue(path: directory.appending("store.sqlite").string).write(body)
  }
}

@Suite("A program that knows more kinds than the one before it") struct KindUpgradeTests {
  @Test(
    "renders anew what has them, in indexes too, and claims what it understands",
    arguments: [true, false])
  func upgraded(isNoted: Bool) throws {
    let older = try OlderKinds(isNoted: isNoted)
    let database = try StoreDatabase(directory: older.directory)
    let counts = try database.counts()
    #expect(counts.conflicts == 0 && counts.newerDocuments == 0 && counts.newerTransactions == 0)
    #expect(
      try database.frontier().closed.sequence(of: StreamID(rawValue: 7)) == 1)
    let sql = "SELECT id FROM documents WHERE collection = 'notes' AND body ->> 'n' = 5"
    #expect(try database.rows(sql).count == 1)
    #expect(try database.explain(sql).plan.verdict == .index)
    let check = try database.read { db in
      try String.fetchOne(db, sql: "PRAGMA integrity_check")
    }
    #expect(check == "ok")
    guard case .commits(let commits) = try database.changes(after: 1) else {
      Issue.record("the changes are not kept")
      return
    }
    #expect(
      commits.flatMap(\.origins).flatMap(\.documents).flatMap(\.paths).map(\.pointer) == ["/n"])
  }

  @Test("does it once")
  func once() throws {
    let older = try OlderKinds()
    var positions: [Int64] = []
    for _ in 0..<2 {
      positions.append(try StoreDatabase(directory: older.directory).changePosition())
    }
    #expect(positions == [2, 2])
  }

  @Test("leaves a database alone that a program with yet more kinds has written")
  func newer() throws {
    let older = try OlderKinds()
    try older.raw { db in try db.execute(sql: "UPDATE program SET kinds = 65535") }
    let file = older.directory.appending("store.sqlite")
    let error = #expect(throws: StorageError.self) {
      try StoreDatabase(directory: older.directory)
    }
    #expect(error == .newerProgram(file))
  }
}
