import SharedFolder
import SystemFiles
import SystemPackage
import Testing

/// Names as the syncers' manuals give them (lesson 9: conflict copies appear anyway).
@Suite("A name of a conflict copy") struct ConflictCopyTests {
  @Test(
    "tells the syncer and the original",
    arguments: [
      (
        "feedsync.sync-conflict-20260131-101500-ABCDEFG.container", ConflictCopy.Syncer.syncthing,
        "feedsync.container"
      ),
      ("logs.sync-conflict-20260131-101500-ABCDEFG", .syncthing, "logs"),
      ("0001.sync-conflict-20260131-101500-ABCDEFG.log", .syncthing, "0001.log"),
      ("feedsync (Ann's conflicted copy 2026-01-31).container", .dropbox, "feedsync.container"),
      (
        "feedsync (conflicted copy 2026-01-31 101500).container", .nextcloud, "feedsync.container"
      ),
    ])
  func names(name: String, syncer: ConflictCopy.Syncer, original: String) {
    #expect(ConflictCopy(name)?.syncer == syncer)
    #expect(ConflictCopy(name)?.original.string == original)
  }

  @Test(
    "is no other name",
    arguments: [
      "feedsync.container", "0001-0002-0003.log", "conflicted copy.txt", "a (copy).log", "", "(",
      "conflicted copy)", "(conflicted copy",
    ])
  func others(name: String) { #expect(ConflictCopy(name) == nil) }

  @Test("is looked for beside the marker")
  func markers() throws {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("shared"))
    #expect(try peer.device.container.conflictCopies().isEmpty)
    let name: FilePath.Component = "feedsync.sync-conflict-20260131-101500-ABCDEFG.container"
    let other = Marker(container: .init(rawValue: 7), identifier: "other")
    try world.place(other.bytes, at: peer.folder.appending(name))
    try world.place([], at: peer.folder.appending("photo.sync-conflict-20260131-101500-AB.jpg"))
    #expect(try peer.device.container.conflictCopies() == [name])
    #expect(try peer.device.container.marker(named: name) == other)
  }
}
