import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A folder that is not what it was") struct AbsentFolderTests {
  // Lesson 6.
  @Test(
    "without its marker imports nothing, and local writes still work",
    arguments: World.Kind.allCases)
  func markerGone(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles)
    let folder = scene.reader.folder
    try scene.world.remove(folder.appending(Marker.name))
    #expect(throws: ContainerError.markerMissing(folder)) { try scene.reader.importAll() }
    #expect(try scene.reader.device.absence() == .markerMissing(folder))
    try scene.reader.put("mine", #"{"n":1}"#)
    #expect(try scene.reader.body("mine") == #"{"n":1}"#)
    #expect(try scene.reader.device.database.unpublishedCount() == 1)
    #expect(try scene.reader.body("a1") == nil)

    try scene.world.place(scene.world.marker.bytes, at: folder.appending(Marker.name))
    let report = try scene.reader.importAll()
    #expect(report.published == 1)
    #expect(report.segments == 3)
  }

  @Test("is refused under another marker, and nothing is written", arguments: World.Kind.allCases)
  func otherMarker(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    let folder = scene.reader.folder
    try scene.reader.put("mine", #"{"n":1}"#)
    let other = Marker(container: ContainerID(rawValue: 99), identifier: "other")
    try scene.world.place(other.bytes, at: folder.appending(Marker.name))
    try scene.deliver(scene.annFiles)
    let before = try scene.world.logs(in: folder)
    let expected = ContainerError.otherContainer(
      folder, expected: scene.world.marker.container, found: other.container)
    #expect(throws: expected) { try scene.reader.importAll() }
    #expect(throws: expected) { _ = try scene.reader.device.absence() }
    #expect(try scene.world.logs(in: folder) == before)
    #expect(try scene.reader.body("a1") == nil)
  }

  @Test("is known by a link that leads to it, also while that leads nowhere")
  func behindLink() throws {
    let house = try Household()
    let disk = try house.makeFolder("disk")
    let folder = disk.appending("notes")
    try house.files.makeDirectory(folder, mode: 0o755)
    try house.initialise(folder)
    let (above, whole) = (house.root.appending("above"), house.root.appending("whole"))
    try house.files.makeSymbolicLink(above, to: "disk")
    try house.files.makeSymbolicLink(whole, to: above.appending("notes"))
    try house.move(disk, to: house.root.appending("unplugged"))
    for path in [above.appending("notes"), whole] {
      let known = try house.open(path)
      #expect(try known.device.absence() == .folderMissing(folder))
      #expect(try known.put("mine", "{}") == .changed)
      #expect(try known.delete("mine") == .changed)
    }
    let loop = house.root.appending("loop")
    try house.files.makeSymbolicLink(loop, to: loop)
    #expect(throws: (any Error).self) { try house.open(loop) }
  }

  @Test("is missing, not empty, when its root has gone", arguments: World.Kind.allCases)
  func rootGone(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver([scene.bobFile])
    try scene.reader.importAll()
    let files = scene.world.files
    try files.rename(scene.reader.folder, to: scene.world.root.appending("parked"))
    let never = try scene.world.peer("away", in: scene.world.root.appending("nowhere"))
    for peer in [scene.reader, never] {
      let expected = ContainerError.folderMissing(peer.folder)
      #expect(throws: expected) { try peer.importAll() }
      #expect(try peer.device.absence() == expected)
      #expect((try? files.status(of: peer.folder)) == nil)
    }
    #expect(try scene.reader.body("b") == #"{"from":"bob"}"#)
  }

  // Lesson 6.
  @Test("loses no document when its logs vanish", arguments: World.Kind.allCases)
  func logsVanish(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles + [scene.bobFile])
    try scene.reader.importAll()
    for file in scene.annFiles + [scene.bobFile] {
      try scene.world.remove(file.path(in: scene.reader.folder))
    }
    let report = try scene.reader.importAll()
    #expect(report.setAside.isEmpty)
    #expect(try scene.reader.dump() == scene.complete)
  }

  @Test("is refused if its marker is damaged or of a newer format")
  func badMarker() throws {
    let scene = try TwoAuthors()
    let file = scene.reader.folder.appending(Marker.name)
    for text in ["", "{", "[]", "{}", #"{"format":1}"#, #"{"container":"x","format":1}"#] {
      try scene.world.place(Array(text.utf8), at: file)
      #expect(throws: ContainerError.self) { try scene.reader.importAll() }
    }
    try scene.world.place(Array(#"{"format":2}"#.utf8), at: file)
    #expect(throws: ContainerError.newerFormat(file, found: 2)) { try scene.reader.importAll() }
  }

  @Test(
    "is away as long as its marker is no file, or larger than any: local writes still work",
    arguments: [FileKind.directory, .fifo, .symbolicLink, .regular])
  func strangeMarker(kind: FileKind) throws {
    let scene = try TwoAuthors()
    let file = scene.reader.folder.appending(Marker.name)
    try scene.world.remove(file)
    let fake = try #require(scene.world.fake)
    switch kind {
    case .directory: fake.putDirectory(file)
    case .symbolicLink: fake.putLink(file, to: "elsewhere")
    case .regular: fake.put(file, [UInt8](repeating: 0, count: 1 << 17))
    default: fake.putSpecial(file, kind: kind)
    }
    let absence = try #require(try scene.reader.device.absence())
    #expect(absence.isAbsence)
    try scene.reader.put("mine", #"{"n":1}"#)
    #expect(throws: absence) { try scene.reader.importAll() }
    try scene.world.remove(file)
    try scene.world.place(scene.world.marker.bytes, at: file)
    #expect(try scene.reader.importAll().published == 1)
  }

  @Test("is away as long as its marker is damaged: local writes still work")
  func damagedMarker() throws {
    let scene = try TwoAuthors()
    let file = scene.reader.folder.appending(Marker.name)
    try scene.world.place(Array(scene.world.marker.bytes.prefix(9)), at: file)
    let absence = try #require(try scene.reader.device.absence())
    #expect(absence.isAbsence)
    try scene.reader.put("mine", #"{"n":1}"#)
    #expect(throws: absence) { try scene.reader.importAll() }
    try scene.world.place(scene.world.marker.bytes, at: file)
    #expect(try scene.reader.device.absence() == nil)
    #expect(try scene.reader.importAll().published == 1)
  }

  @Test("keeps a marker with members of a later version")
  func laterMarker() throws {
    let scene = try TwoAuthors()
    let text =
      #"{"container":"\#(scene.world.marker.container)","format":1,"#
      + #""identifier":"x","zukunft":[1]}"#
    try scene.world.place(Array(text.utf8), at: scene.reader.folder.appending(Marker.name))
    try scene.deliver([scene.bobFile])
    #expect(try scene.reader.importAll().segments == 1)
  }
}
