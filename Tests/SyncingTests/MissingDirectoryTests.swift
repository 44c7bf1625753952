import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What is missing, or cannot be read, is not empty.
@Suite("A directory of the folder that is not there for a moment") struct MissingDirectoryTests {
  @Test("is no reason to forget since when something is missing, where it is `logs/` itself")
  func logs() throws {
    let scene = try TwoAuthors()
    try scene.deliver([scene.annFiles[1]])
    let first = try scene.reader.importAll()
    #expect(first.gaps.count == 1)
    scene.world.advance(milliseconds: 60_000)
    let folder = scene.reader.folder
    let (logs, aside) = (folder.appending("logs"), folder.appending("aside"))
    try scene.world.files.rename(logs, to: aside)
    #expect(try scene.reader.importAll().gaps == first.gaps)
    try scene.world.files.rename(aside, to: logs)
    #expect(try scene.reader.importAll().gaps == first.gaps)
    // A file that is gone from a directory that is there does not wait any more.
    try scene.world.remove(scene.annFiles[1].path(in: folder))
    #expect(try scene.reader.importAll().gaps.isEmpty)
  }

  @Test("counts as one that cannot be listed where its file system says what it says of links")
  func loops() throws {
    let scene = try TwoAuthors()
    try scene.deliver([scene.annFiles[0]])
    let fake = try #require(scene.world.fake)
    let container = scene.reader.device.container
    for errno in [Errno.tooManySymbolicLinkLevels, .notDirectory] {
      fake.fail(.list, at: 2, with: errno)
      let listing = try container.list()
      #expect(listing.unreadable.map(\.errno) == [errno])
      #expect(listing.foreign.isEmpty)
    }
    fake.putLink(container.logs.appending("link"), to: scene.ann.folder)
    let listing = try container.list()
    #expect(listing.unreadable.isEmpty)
    #expect(listing.foreign.map(\.name) == ["link"])
  }
}
