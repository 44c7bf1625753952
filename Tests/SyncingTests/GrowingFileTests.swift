import Syncing
import SystemFiles
import Testing

@Suite("A file that grows") struct GrowingFileTests {
  @Test("while it is read is looked at again")
  func growsDuringRead() throws {
    let scene = try TwoAuthors()
    let file = scene.bobFile
    let path = file.path(in: scene.reader.folder)
    try scene.world.place(Array(file.bytes.prefix(20)), at: path)
    scene.world.fake?.appendDuringNextRead(Array(file.bytes.dropFirst(20)), to: path)
    #expect(try scene.reader.importAll().setAside.map(\.reason) == [.incomplete])
    let report = try scene.reader.importAll()
    #expect(report.restored == [file.key])
    #expect(report.setAside.isEmpty)
  }

  @Test(
    "in place and gets its last bytes within a tick of the clock is looked at again",
    arguments: [0, 1000, 3000, 500_000])
  func filledInPlace(after delay: Int64) throws {
    let scene = try TwoAuthors()
    let fake = try #require(scene.world.fake)
    let file = scene.bobFile
    let path = file.path(in: scene.reader.folder)
    // All of its length is there, and not all of its bytes.
    let half = file.bytes.count / 2
    fake.put(path, Array(file.bytes.prefix(half)) + Array(repeating: 0, count: half + 1))
    fake.fill(path, with: Array(file.bytes.prefix(half)) + Array(repeating: 0, count: half))
    let importer = Importer(device: scene.reader.device)
    let first = try importer.importAll()
    #expect(first.setAside.count == 1)
    let before = try fake.contents(of: path, limit: 1 << 20).status
    fake.fill(path, with: file.bytes)
    let after = try fake.contents(of: path, limit: 1 << 20).status
    #expect(before.modified == after.modified && before.changed == after.changed)
    scene.world.advance(milliseconds: delay)
    #expect(try importer.importAll().restored == [file.key])
  }

  @Test("no more is read no more, neither by who goes on nor by a new process")
  func settled() throws {
    let scene = try TwoAuthors()
    let fake = try #require(scene.world.fake)
    try scene.world.place([1, 2, 3], at: scene.bobFile.path(in: scene.reader.folder))
    func opened(_ importer: Importer) throws -> Int {
      let before = fake.callCount(.open)
      #expect(try importer.importAll().setAside.count == 1)
      return fake.callCount(.open) - before
    }
    let importer = Importer(device: scene.reader.device)
    let read = [try opened(importer), try opened(importer)]
    scene.world.advance(milliseconds: 3000)
    let last = try opened(importer)
    let settled = try opened(importer)
    #expect(read + [last] == Array(repeating: settled + 1, count: 3))
    let next = Importer(device: scene.reader.device)
    #expect(try opened(next) == settled)
  }
}
