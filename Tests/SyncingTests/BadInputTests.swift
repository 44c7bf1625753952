import DocumentStorage
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A bad file among segments") struct BadInputTests {
  // Lesson 4.
  @Test(
    "is named with its reason, the rest is imported, and it is imported once it is whole",
    arguments: BadFile.everywhere)
  func setAsideAndRestored(kind: World.Kind, bad: BadFile) throws {
    let scene = try TwoAuthors(kind)
    let file = scene.annFiles[1]
    try scene.deliver([scene.annFiles[0], scene.annFiles[2], scene.bobFile])
    try bad.place(file, in: scene.reader.folder, of: scene.world)
    for round in 1...2 {
      let report = try scene.reader.importAll()
      #expect(report.setAside.map(\.key) == [file.key])
      #expect(report.setAside.map(\.reason) == [bad.reason])
      #expect(report.segments == (round == 1 ? 2 : 0))
      #expect(report.missing == [Missing(stream: scene.ann.stream, range: 2...2)])
      #expect(report.restored.isEmpty)
    }
    #expect(try scene.reader.body("b") == #"{"from":"bob"}"#)
    #expect(try scene.reader.body("a1") == #"{"n":1}"#)
    #expect(try scene.reader.body("a3") == nil)

    try bad.heal(file, in: scene.reader.folder, of: scene.world)
    let report = try scene.reader.importAll()
    #expect(report.setAside.isEmpty)
    #expect(report.restored == [file.key])
    #expect(report.segments == 2)
    #expect(report.gaps.isEmpty)
    #expect(try scene.reader.dump() == scene.complete)
    #expect(try scene.reader.importAll().segments == 0)
  }

  @Test("that grows byte by byte is imported with its last byte", arguments: World.Kind.allCases)
  func growing(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    let file = scene.bobFile
    let importer = Importer(device: scene.reader.device)
    for count in stride(from: 0, to: file.bytes.count, by: 7) {
      try scene.world.place(
        Array(file.bytes.prefix(count)), at: file.path(in: scene.reader.folder))
      let report = try importer.importAll()
      #expect(report.setAside.map(\.reason) == [.incomplete])
      #expect(report.segments == 0)
    }
    try scene.deliver([file])
    let report = try importer.importAll()
    #expect(report.restored == [file.key])
    #expect(report.setAside.isEmpty)
    #expect(try scene.reader.body("b") != nil)
  }

  @Test("that goes away is not named any more", arguments: World.Kind.allCases)
  func goesAway(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try BadFile.cut.place(scene.bobFile, in: scene.reader.folder, of: scene.world)
    #expect(try scene.reader.importAll().setAside.count == 1)
    try scene.world.remove(scene.bobFile.path(in: scene.reader.folder))
    #expect(try scene.reader.importAll().setAside.isEmpty)
  }

  @Test("in its hundreds holds up nothing")
  func many() throws {
    let scene = try TwoAuthors()
    for number in 0..<300 {
      let name = try #require(FilePath.Component("\(number).log"))
      try scene.world.place(
        [UInt8(truncatingIfNeeded: number)],
        at: scene.reader.folder.appending("logs").appending("junk").appending(name))
    }
    try scene.deliver(scene.annFiles + [scene.bobFile])
    let report = try scene.reader.importAll()
    #expect(report.segments == 4)
    #expect(report.setAside.count == 300)
    #expect(try scene.reader.dump() == scene.complete)
  }

  @Test("directory that cannot be listed is named, and its files are imported later")
  func refusedDirectory() throws {
    let scene = try TwoAuthors()
    try scene.deliver(scene.annFiles + [scene.bobFile])
    let path = scene.reader.folder.appending("logs").appending(scene.bob.directory)
    scene.world.fake?.setRefused(true, path)
    let report = try scene.reader.importAll()
    #expect(report.segments == 3)
    #expect(report.setAside.map(\.reason) == [.unreadable])
    #expect(report.setAside.map(\.key.directory) == [scene.bob.directory.bytes])
    scene.world.fake?.setRefused(false, path)
    let later = try scene.reader.importAll()
    #expect(later.setAside.isEmpty)
    #expect(try scene.reader.dump() == scene.complete)
  }
}
