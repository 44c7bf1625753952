import Syncing
import SystemFiles
import Testing

@Suite("A file that could not be read") struct TransientFailureTests {
  @Test("is looked at again though nothing about it has changed")
  func transientFailure() throws {
    let scene = try TwoAuthors()
    let file = scene.bobFile
    try scene.deliver([file])
    // Two reads come first, of the marker: before all, and before what waits is published.
    scene.world.fake?.fail(.read, at: 3, with: .ioError)
    let first = try scene.reader.importAll()
    #expect(first.setAside.map(\.reason) == [.unreadable])
    let second = try scene.reader.importAll()
    #expect(second.restored == [file.key])
    #expect(second.setAside.isEmpty)
  }
}
