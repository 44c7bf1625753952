import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Recovery, of what not all can be handed over") struct RecoveryLimitsTests {
  @Test("publishes all but the files of a directory that it may not write")
  func refusedDirectory() throws {
    let (world, house, folder) = try RecoveryScene.newcomer()
    let authors = try ["ann", "bob"].map { name in
      try world.peer(name, in: try world.folder(FilePath.Component(name) ?? "other"))
    }
    for author in authors {
      try author.put(author.device.record.name, "{}")
      try author.publish()
      for file in try world.logs(in: author.folder) { try world.deliver(file, to: folder) }
    }
    try house.open().importAll()
    for refused in authors {
      try house.removeTree(folder.appending("logs"))
      let directory = folder.appending("logs").appending(refused.directory)
      let hindered = DeviceDirectory(
        root: house.directory.root,
        files: InterruptedFileSystem(
          house.files,
          beforeChange: { (path) throws(FileError) in
            if path.starts(with: directory) { throw FileError(.write, path, .permissionDenied) }
          }), ambient: house.directory.ambient)
      #expect(throws: SalvageError.self) {
        try hindered.rebuild(container: folder, fallbackName: "me", process: "1")
      }
      let there = Set(try world.logs(in: folder).map(\.directory))
      #expect(there == Set(authors.map(\.directory)).subtracting([refused.directory]))
      _ = try house.directory.rebuild(container: folder, fallbackName: "me", process: "1")
      #expect(try house.directory.olderDatabases().allSatisfy(\.isSalvaged))
      for author in authors { #expect(try house.open().body(author.device.record.name) == "{}") }
    }
  }

  @Test("goes on where another container's files can be looked at, which it could not be before")
  func unlistedDirectory() throws {
    try adoptLater { files, directory in
      InterruptedFileSystem(
        files,
        beforeListing: { (path) throws(FileError) in
          if path == directory { throw FileError(.list, path, .ioError) }
        })
    }
  }

  @Test("goes on where another container's file can be read, which it could not be before")
  func unreadFile() throws {
    try adoptLater { files, directory in
      InterruptedFileSystem(
        files,
        beforeReading: { (path) throws(FileError) in
          if path.removingLastComponent() == directory { throw FileError(.read, path, .ioError) }
        })
    }
  }

  /// Adopts a folder with Ann's files in it, of which something cannot be had at first.
  private func adoptLater(
    hinderedBy hinder: (any FileSystem, FilePath) -> InterruptedFileSystem
  ) throws {
    let (world, house, folder) = try RecoveryScene.newcomer()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("ann", "{}")
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: folder) }
    let theirs = try house.makeFolder("theirs")
    let other = try house.initialise(theirs, name: "theirs", in: house.other("other")).device
    try world.place(other.record.marker, at: folder.appending(Marker.name))
    let directory = folder.appending("logs").appending(ann.directory)
    let hindered = DeviceDirectory(
      root: house.directory.root, files: hinder(house.files, directory),
      ambient: house.directory.ambient)
    let request = DeviceDirectory.Request(
      folder: folder, identifier: nil, deviceName: nil, joinsOnly: true)
    #expect(throws: SalvageError.self) { try hindered.adopt(request, process: "1") }
    #expect(try !house.directory.olderDatabases().contains(where: \.isSalvaged))
    try house.initialise(folder)
    #expect(try house.directory.olderDatabases().map(\.isSalvaged) == [true])
    #expect(try house.open().body("ann") == "{}")
  }

  @Test("keeps the device from leaving until the folder takes all, also where some is damaged")
  func refusedAndDamaged() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.damage(
      "UPDATE archive SET content = zeroblob(9) WHERE id = (SELECT min(id) FROM archive)")
    let directory = scene.folder.appending("logs").appending(scene.streams[0].description)
    let hindered = DeviceDirectory(
      root: scene.house.directory.root,
      files: InterruptedFileSystem(
        scene.house.files,
        beforeChange: { (path) throws(FileError) in
          if path.starts(with: directory) { throw FileError(.write, path, .permissionDenied) }
        }), ambient: scene.house.directory.ambient)
    #expect(throws: SalvageError.self) { try scene.rebuild(hindered) }
    let refused = try scene.house.open()
    let error = #expect(throws: LeaveError.self) {
      try scene.house.directory.leave(refused.device, .published, process: "1")
    }
    guard case .recoveryUnfinished? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let done = try scene.house.initialise(scene.folder)
    #expect(done.salvaged.map(\.report.unreadable) == [1])
    // What cannot be read keeps nobody.
    let peer = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try peer.importAll() }
    _ = try scene.house.directory.leave(peer.device, .published, process: "1")
  }

  @Test("is over where the container is in use elsewhere which another one was to adopt")
  func usedElsewhere() throws {
    let world = try World(.real)
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder, name: "me")
    try house.open().put("before", "{}")
    try house.open().publish()
    let elsewhere = house.root.appending("elsewhere")
    try house.copy(folder, to: elsewhere)
    let theirs = try house.makeFolder("theirs")
    let other = try house.initialise(theirs, name: "theirs", in: house.other("other")).device
    try world.place(other.record.marker, at: folder.appending(Marker.name))
    // It fails after that was noted which was meant.
    let failing = house.unable(toJoin: other.record.container)
    #expect(throws: FileError.self) {
      try failing.adopt(
        DeviceDirectory.Request(
          folder: folder, identifier: nil, deviceName: nil, joinsOnly: true), process: "1")
    }
    #expect(try house.directory.olderDatabases().count == 1)
    let me = try house.open(elsewhere)
    #expect(try me.put("since", "{}") == .changed)
    try me.publish()
    #expect(try house.initialise(folder).salvaged.isEmpty)
    #expect(try house.directory.olderDatabases().isEmpty)
    #expect(try house.open(elsewhere).put("after", "{}") == .changed)
  }

  @Test("knows that a stream branches, though what told of it was in no transaction")
  func forked() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    let bob = try world.peer("bob", in: try world.folder("bob"))
    for id in ["x", "y"] {
      try twin.put(id, #"{"n":1}"#)
      try twin.publish()
    }
    try world.give(twin, to: bob)
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"n":2}"#)
    try bob.publish()
    try ann.put("x", #"{"n":3}"#)
    try ann.publish()
    try world.give(bob, to: ann)
    let listed = try ann.conflicts(of: "x")
    #expect(listed.count == 1)
    // The same device with a new database, and so a new stream.
    let anew = try world.peer("anew", in: ann.folder)
    for _ in 1...2 { try anew.device.database.answer(for: ann.device.database.knownStreams()) }
    try anew.importAll()
    #expect(try anew.conflicts(of: "x") == listed)
    try world.give(twin, to: anew)
    try world.give(twin, to: ann)
    #expect(try anew.dump() == ann.dump())
    #expect(try anew.conflicts(of: "x") == ann.conflicts(of: "x"))
  }
}
