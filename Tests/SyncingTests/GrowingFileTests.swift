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
}
