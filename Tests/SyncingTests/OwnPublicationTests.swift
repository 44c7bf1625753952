import DocumentStorage
import Syncing
import SystemFiles
import Testing

/// One importer for the whole test, as `feedsync watch` has; lessons.md 5.
@Suite("What a process that goes on has published") struct OwnPublicationTests {
  @Test("is no gap, and no file that waits, where the folder has lost what came before it")
  func folderEmptied() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("shared"))
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    try ann.put("a", "{}")
    // As where a watcher was told of no directory.
    _ = try importer.importAll(in: [])
    for file in try world.logs(in: ann.folder) { try world.remove(file.path(in: ann.folder)) }
    for id in ["b", "c"] { try ann.put(id, "{}") }
    let report = try importer.importAll()
    #expect(report.gaps.isEmpty)
    #expect(report.putBack == 1)
    #expect(try ann.device.database.fileRecords().isEmpty)
  }

  @Test("is not read back, whether its importer wrote it or another part of the process")
  func notRead() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("shared"))
    let fake = try #require(world.fake)
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    let idle = try Self.opened(fake) { _ = try importer.importAll() }
    try ann.put("a", "{}")
    try ann.publish()
    #expect(try Self.opened(fake) { _ = try importer.importAll() } == idle)
    try ann.put("b", "{}")
    let publishing = try Self.opened(fake) { try ann.publish() }
    try ann.put("c", "{}")
    let both = try Self.opened(fake) { _ = try importer.importAll() }
    // A process that publishes alone looks at the marker once more.
    #expect(both == idle + publishing - 1)
  }

  private static func opened(
    _ files: InMemoryFileSystem, during body: () throws -> Void
  ) throws -> Int {
    let before = files.callCount(.open)
    try body()
    return files.callCount(.open) - before
  }
}
