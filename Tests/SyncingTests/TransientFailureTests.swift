import Syncing
import SystemFiles
import Testing

@Suite("A file that could not be read") struct TransientFailureTests {
  @Test("is looked at again though nothing about it has changed")
  func transientFailure() throws {
    let scene = try TwoAuthors()
    let file = scene.bobFile
    try scene.deliver([file])
    // Three reads come first, of the marker: before all, before what waits is published, and behind
    // the listing.
    scene.world.fake?.fail(.read, at: 4, with: .ioError)
    let first = try scene.reader.importAll()
    #expect(first.setAside.map(\.reason) == [.unreadable])
    let second = try scene.reader.importAll()
    #expect(second.restored == [file.key])
    #expect(second.setAside.isEmpty)
  }
}
