import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A gap in a stream") struct GapTests {
  // Lesson 12.
  @Test(
    "is reported with its range and since when, and other streams go on",
    arguments: World.Kind.allCases)
  func reported(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    let start = scene.world.ambient.now()
    try scene.deliver([scene.annFiles[1], scene.bobFile])
    let first = try scene.reader.importAll()
    #expect(first.missing == [Missing(stream: scene.ann.stream, range: 1...1)])
    #expect(first.gaps.map(\.since) == [start])
    #expect(first.setAside.isEmpty)
    #expect(first.segments == 1)
    #expect(try scene.reader.body("b") != nil)
    #expect(try scene.reader.body("a2") == nil)

    scene.world.advance(milliseconds: 60_000)
    let second = try scene.reader.importAll()
    #expect(second.gaps == first.gaps)

    try scene.deliver([scene.annFiles[0]])
    let third = try scene.reader.importAll()
    #expect(third.gaps.isEmpty)
    #expect(third.segments == 2)
    #expect(try scene.reader.body("a1") == #"{"n":1}"#)
    #expect(try scene.reader.body("a2") == #"{"n":2}"#)
  }

  @Test("is filled in one import by files that come in any order")
  func chain() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.publish(1...8, to: "a")
    let files = try world.logs(in: ann.folder)
    let reader = try world.peer("reader", in: try world.folder("reader"))
    let importer = Importer(device: reader.device)
    for index in [7, 5, 3, 1] {
      try world.deliver(files[index], to: reader.folder)
      #expect(try importer.importAll().segments == 0)
    }
    let ranges = try importer.importAll().gaps.map { $0.first...$0.last }
    #expect(ranges == [1...1, 3...3, 5...5, 7...7])
    for index in [6, 4, 2, 0] { try world.deliver(files[index], to: reader.folder) }
    let report = try importer.importAll()
    #expect(report.segments == 8)
    #expect(report.gaps.isEmpty)
    #expect(try reader.body("a") == #"{"n":8}"#)
  }

  /// What is in such a file is seen only when its turn comes, after those behind it were taken.
  @Test("is one, however many files stand behind one that is damaged inside")
  func malformed() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.publish(1...4, to: "a")
    let files = try world.logs(in: ann.folder)
    let reader = try world.peer("reader", in: try world.folder("reader"))
    for file in files.dropFirst() { try world.deliver(file, to: reader.folder) }
    try BadFile.malformed.place(files[0], in: reader.folder, of: world)
    let importer = Importer(device: reader.device)
    let report = try importer.importAll()
    #expect(report.setAside.map(\.reason) == [.damaged])
    #expect(report.gaps.map { $0.first...$0.last } == [1...1])
    try world.deliver(files[0], to: reader.folder)
    #expect(try importer.importAll().segments == 4)
    #expect(try reader.body("a") == #"{"n":4}"#)
  }

  /// Each file is a part of its own, and those behind it are opened while it is committed.
  @Test("holds up what was opened ahead of it, and nothing of other devices")
  func openedAhead() throws {
    let scene = try TwoAuthors()
    let reader = scene.reader
    try scene.deliver(Array(scene.annFiles.dropFirst()) + [scene.bobFile])
    try BadFile.malformed.place(scene.annFiles[0], in: reader.folder, of: scene.world)
    let importer = Importer(
      device: reader.device, limits: ImportPart.Limits(operations: 1, bytes: 1, foldBytes: 1))
    var parts = 0
    importer.onPart = { parts += $0.applied.count }
    let report = try importer.importAll()
    #expect(report.setAside.map(\.reason) == [.damaged])
    #expect(report.segments == 1 && parts == 1)
    try scene.deliver([scene.annFiles[0]])
    #expect(try importer.importAll().segments == scene.annFiles.count)
    #expect(parts == 1 + scene.annFiles.count)
  }

  @Test("names the device, once its name is known")
  func names() throws {
    let scene = try TwoAuthors()
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]])
    let gap = try #require(try scene.reader.importAll().gaps.first)
    #expect(gap.name == "ann")
    #expect(gap.first == 2)
    #expect(gap.last == 2)
  }

  @Test("ends when the files behind it go away again")
  func vanished() throws {
    let scene = try TwoAuthors()
    try scene.deliver([scene.annFiles[2]])
    #expect(try scene.reader.importAll().gaps.count == 1)
    try scene.world.remove(scene.annFiles[2].path(in: scene.reader.folder))
    #expect(try scene.reader.importAll().gaps.isEmpty)
  }

  @Test("is closed by another process without this one reading anything twice")
  func otherProcess() throws {
    let scene = try TwoAuthors()
    let importer = Importer(device: scene.reader.device)
    try scene.deliver([scene.annFiles[1], scene.annFiles[2]])
    #expect(try importer.importAll().gaps.count == 1)
    try scene.deliver([scene.annFiles[0]])
    try scene.reader.importAll()
    let report = try importer.importAll()
    #expect(report.gaps.isEmpty)
    #expect(report.segments == 0)
    #expect(try scene.reader.body("a3") == #"{"n":3}"#)
  }

  // The order of reading is by name: what is in a strange folder comes after the rest.
  @Test("that a copy fills is none, whatever else of the stream came twice")
  func copies() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.publish(1...4, to: "a")
    let files = try world.logs(in: ann.folder)
    let bob = try world.peer("bob", in: try world.folder("bob"))
    for index in [1, 3] { try world.deliver(files[index], to: bob.folder) }
    let copies = FilePath.Component("\(ann.directory.string) (1)")
    for index in [0, 1, 2] {
      try world.deliver(files[index], to: bob.folder, directory: copies)
    }
    let report = try bob.importAll()
    #expect(report.gaps.isEmpty)
    #expect(report.segments == 4)
    #expect(try bob.dump() == ann.dump())
  }
}
