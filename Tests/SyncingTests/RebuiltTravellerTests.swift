import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 24 and 25.
@Suite("Who comes back with an edit of a document that was forgotten, and rebuilds")
struct RebuiltTravellerTests {
  @Test(
    "has it everywhere, whole, also where others had forgotten something before that",
    arguments: [false, true])
  func whole(hasHeededBefore: Bool) throws {
    let scene = try TravellerScene()
    if hasHeededBefore {
      try scene.write("gone")
      try scene.forget("gone")
    }
    let seen = try scene.edit("late")
    try scene.send()
    let recovery = try scene.house.directory.rebuild(
      container: scene.away, fallbackName: "dan", process: "1")
    #expect(recovery.imported?.revived == 1)
    #expect(try scene.house.open().body("late") == seen)
    try scene.bring()
    try scene.expect(seen, of: "late")
  }

  /// Dan's machine while the disk is full that his folder is on.
  private static func full(_ scene: TravellerScene) -> DeviceDirectory {
    let (directory, logs) = (scene.house.directory, scene.away.appending("logs"))
    return DeviceDirectory(
      root: directory.root,
      files: InterruptedFileSystem(
        directory.files,
        beforeChange: { (path) throws(FileError) in
          if path.starts(with: logs) { throw FileError(.write, path, .noSpace) }
        }), ambient: directory.ambient)
  }

  @Test("has it everywhere also where the folder was full, and was read before there was room")
  func readMeanwhile() throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    try scene.send()
    #expect(throws: SalvageError.self) {
      try Self.full(scene).rebuild(container: scene.away, fallbackName: "dan", process: "1")
    }
    // As the command does at once, lest it look empty, and a watch later.
    for _ in 1...2 { try scene.house.open().importAll() }
    let done = try scene.house.initialise(scene.away)
    #expect(done.salvageFailure == nil)
    #expect(done.imported?.revived == 1)
    #expect(try scene.house.open().body("late") == seen)
    try scene.bring()
    try scene.expect(seen, of: "late")
  }

  /// Dan's machine while too many files are open for the old database to be opened, too.
  private static func short(_ scene: TravellerScene) -> DeviceDirectory {
    let directory = scene.house.directory
    return DeviceDirectory(
      root: directory.root,
      files: InterruptedFileSystem(
        directory.files,
        beforeLooking: { (path) throws(FileError) in
          guard path.lastComponent == "store.sqlite", path.string.contains(".old-") else { return }
          throw FileError(.status, path, .tooManyOpenFiles)
        }), ambient: directory.ambient)
  }

  @Test("has it everywhere also where the old database could not be opened for a moment")
  func cannotBeAsked() throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    try scene.send()
    #expect(throws: SalvageError.self) {
      try Self.full(scene).rebuild(container: scene.away, fallbackName: "dan", process: "1")
    }
    #expect(throws: FileError.self) {
      try Peer(device: Self.short(scene).open(container: nil)).importAll()
    }
    #expect(try scene.house.initialise(scene.away).imported?.revived == 1)
    #expect(try scene.house.open().body("late") == seen)
    try scene.bring()
    try scene.expect(seen, of: "late")
  }
}
