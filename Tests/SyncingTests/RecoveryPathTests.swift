import DocumentStorage
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A recovery that the folder did not take") struct RecoveryPathTests {
  @Test("hides what was removed as soon as the new device is there")
  func removals() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let peer = try scene.house.open()
    try peer.importAll()
    #expect(try peer.body("doc") == nil)
    #expect(try peer.device.database.counts().pendingRemovals == 1)
    _ = try scene.rebuild()
    try scene.world.deliver(scene.missing, to: scene.folder)
    let next = try scene.house.open()
    for _ in 1...2 { try next.importAll() }
    #expect(try next.dump() == scene.expected)
  }

  @Test("is gone on with where the folder has moved since, by init and by init --adopt")
  func moved() throws {
    for isAdopting in [false, true] {
      let scene = try RecoveryScene()
      try scene.replaceContainer()
      try scene.restore()
      #expect(throws: SalvageError.self) { try scene.adopt(scene.full) }
      let elsewhere = scene.house.root.appending("elsewhere")
      try scene.house.move(scene.folder, to: elsewhere)
      if isAdopting {
        try scene.adopt(at: elsewhere)
      } else {
        let done = try scene.house.initialise(elsewhere)
        #expect(done.salvaged.map(\.report.published) == [8])
      }
      let older = try scene.house.directory.olderDatabases()
      #expect(older.map(\.isSalvaged) == [true])
      let peer = try scene.house.open()
      try peer.importAll()
      #expect(try peer.body("waiting") != nil)
    }
  }

  @Test("is not gone on with once the first container stands in its place again")
  func takenBack() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.placeOther()
    let theirs = try ContainerFolder(root: scene.folder, files: scene.house.files).marker()
    // It fails after that was noted which was meant.
    let failing = scene.house.unable(toJoin: theirs.container)
    #expect(throws: FileError.self) { try scene.adopt(failing) }
    #expect(try scene.house.directory.olderDatabases().count == 1)
    try scene.world.place(scene.world.marker.bytes, at: scene.folder.appending(Marker.name))
    let elsewhere = try scene.house.makeFolder("elsewhere")
    try scene.world.place(theirs.bytes, at: elsewhere.appending(Marker.name))
    #expect(try scene.house.initialise(elsewhere).salvaged.isEmpty)
    #expect(try scene.world.logs(in: elsewhere).isEmpty)
    #expect(try scene.house.open(scene.folder).put("after", "{}") == .changed)
  }

  @Test("makes no further database each time that it is tried")
  func once() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    for _ in 1...3 {
      #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
      try scene.house.open().importAll()
    }
    #expect(try scene.house.directory.olderDatabases().count == 1)
    _ = try scene.rebuild()
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true])
  }

  @Test("reaches the container that adopts the one which it was made in")
  func chained() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    try scene.placeOther()
    try scene.adopt()
    try Self.checkAll(scene, olderCount: 2)
  }

  @Test("reaches the last of several containers that adopt one another")
  func adoptedTwice() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.placeOther()
    #expect(throws: SalvageError.self) { try scene.adopt(scene.full) }
    let third = try scene.house.makeFolder("third")
    let device = try scene.house.initialise(
      third, name: "third", in: scene.house.other("third-state")
    )
    .device
    try scene.world.place(device.record.marker, at: scene.folder.appending(Marker.name))
    try scene.adopt()
    try Self.checkAll(scene, olderCount: 2)
  }

  private static func checkAll(_ scene: RecoveryScene, olderCount: Int) throws {
    let older = try scene.house.directory.olderDatabases()
    #expect(older.map(\.isSalvaged) == Array(repeating: true, count: olderCount))
    let peer = try scene.house.open()
    for _ in 1...2 { try peer.importAll() }
    // What is late is of the first container.
    try scene.world.deliver(scene.missing, to: scene.folder)
    try scene.adopt()
    for _ in 1...2 { try peer.importAll() }
    let dump = try peer.dump().replacing("notes/theirs {\"n\":1}\n", with: "")
    #expect(dump == scene.expected)
  }
}

@Suite("A rebuild is refused") struct RebuildRefusalTests {
  @Test("of a database that a newer program wrote, or that another holds, and nothing is changed")
  func healthy() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.damage("PRAGMA user_version = 99")
    #expect {
      try scene.rebuild()
    } throws: { error in
      if case StorageError.newerSchema(_, 99, _) = error { true } else { false }
    }
    #expect(try scene.house.directory.olderDatabases().isEmpty)
    #expect(scene.house.exists(scene.state.appending("store.sqlite")))
  }

  @Test("where the folder's file system does not answer, before anything is looked up there")
  func silent() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let folder = scene.folder
    let directory = DeviceDirectory(
      root: scene.house.directory.root,
      files: InterruptedFileSystem(
        scene.house.files,
        beforeChange: { (path) throws(FileError) in
          if path.starts(with: folder) { throw FileError(.write, path, .ioError) }
        }), ambient: scene.house.directory.ambient, ask: { .silent(resolved: $0) })
    for path in [folder, nil] {
      let error = #expect(throws: ContainerError.self) {
        try directory.rebuild(container: path, fallbackName: "me", process: "1")
      }
      #expect(error == .unreachable(folder, .timedOut))
    }
    #expect(try directory.olderDatabases().isEmpty)
  }
}

@Suite("An adoption is refused") struct AdoptionRefusalTests {
  @Test("of a container with another identifier than is asked for, and no init goes on with it")
  func otherIdentifier() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.placeOther()
    let (house, folder) = (scene.house, scene.folder)
    let keys = Set(try scene.world.logs(in: folder).map(\.key))
    #expect(throws: ContainerError.self) {
      try house.directory.adopt(
        DeviceDirectory.Request(
          folder: folder, identifier: "another", deviceName: nil, joinsOnly: true), process: "1")
    }
    #expect(try house.directory.olderDatabases().isEmpty)
    #expect(throws: ContainerError.self) { try house.initialise(folder) }
    #expect(Set(try scene.world.logs(in: folder).map(\.key)) == keys)
  }

  @Test("where a damaged database may be what is meant, and says how to bring along what it has")
  func placeUnknown() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    try scene.damage("DROP TABLE device")
    try scene.placeOther()
    let (house, folder) = (scene.house, scene.folder)
    for isJoined in [false, true] {
      if isJoined { try house.initialise(folder) }
      let error = #expect(throws: DeviceError.self) { try scene.adopt() }
      guard case .placeUnknown(scene.state, let aside, folder)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try house.directory.olderDatabases().isEmpty)
      if isJoined { try house.move(scene.state, to: aside) }
    }
    #expect(try house.initialise(folder).salvaged.count == 1)
    #expect(try house.open().body("mine") == #"{"n":2}"#)
    #expect(try house.open().body("theirs") == #"{"n":1}"#)
  }
}
