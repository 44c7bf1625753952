import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A recovery") struct RecoveryTests {
  private static func rebuild(
    _ directory: DeviceDirectory, _ folder: FilePath? = nil
  ) throws -> DeviceDirectory.Recovery {
    try directory.rebuild(container: folder, fallbackName: "me", process: "1")
  }

  @Test("says what could not be opened, and tries it again until it can")
  func unopenable() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let state = scene.house.directory.directory(of: scene.world.marker.container)
    let kept = scene.house.root.appending("kept")
    try scene.house.copy(state, to: kept)
    for entry in try scene.house.files.list(state) where entry.name.string.hasPrefix("store") {
      try scene.house.files.remove(state.appending(entry.name))
    }
    try scene.world.place(
      Array("no database at all\n".utf8), at: state.appending("store.sqlite"))
    let recovery = try Self.rebuild(scene.house.directory, scene.folder)
    #expect(recovery.salvaged.map { $0.failure is StorageError } == [true])
    let aside = try #require(recovery.kept)
    let again = try scene.house.initialise(scene.folder)
    #expect(again.salvaged.map(\.directory) == [aside])
    #expect(again.salvaged.map { $0.failure is StorageError } == [true])
    // Somebody has mended it.
    try scene.house.removeTree(aside)
    try scene.house.move(kept, to: aside)
    let mended = try scene.house.initialise(scene.folder)
    #expect(mended.salvaged.map { $0.failure == nil } == [true])
    #expect(mended.salvaged.map(\.report.published) == [4])
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true])
    #expect(try scene.house.initialise(scene.folder).salvaged.isEmpty)
    let peer = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.dump() == scene.expected)
  }

  @Test("keeps the indexes that the user has declared")
  func indexes() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let index = DeclaredIndex(collection: "notes", member: try MemberPath("n"))
    try scene.house.open().device.database.createIndex(index)
    _ = try Self.rebuild(scene.house.directory)
    #expect(try scene.house.open().device.database.indexes() == [index])
  }

  @Test("keeps to what the user has given up")
  func givenUp() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let me = try scene.house.open()
    let lost = scene.streams[1]
    let skipping = Skipping(device: me.device)
    _ = try skipping.skip(try skipping.hole(of: lost.description))
    try me.importAll()
    let before = try me.dump()
    _ = try Self.rebuild(scene.house.directory)
    let peer = try scene.house.open()
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.device.database.missingParts().isEmpty)
    #expect(
      try peer.device.database.streamSummaries().first { $0.stream == lost }?.givenUp?.last == 2)
    #expect(try peer.dump() == before)
  }

  @Test("gives up what the user had given up once it has all that was held before that, not sooner")
  func givenUpInTheEnd() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let lost = scene.streams[1]
    let me = try scene.house.open()
    let skipping = Skipping(device: me.device)
    _ = try skipping.skip(try skipping.hole(of: lost.description))
    try me.importAll()
    let end = { (peer: Peer) in
      try peer.device.database.streamSummaries().first { $0.stream == lost }?.givenUp?.last
    }
    #expect(try end(me) == 2)
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    // Nothing is imported yet: what is given up now would count as seen.
    #expect(try end(scene.house.open()) == nil)
    _ = try Self.rebuild(scene.house.directory)
    #expect(try end(scene.house.open()) == 2)
  }

  @Test("gives up one hole after the other, with what stands between")
  func givenUpTwice() throws {
    let (world, house, folder) = try RecoveryScene.newcomer()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    for number in 1...6 {
      // The first of several in a file is whole, and can be read behind a hole.
      try ann.put("b\(number)", "{}", isPublishedAtOnce: false)
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    let me = try house.open()
    for (number, file) in zip(1..., try world.logs(in: ann.folder)) where number % 2 == 1 {
      try world.deliver(file, to: folder)
    }
    try me.importAll()
    try me.skip(ann)
    try me.importAll()
    let before = try me.dump()
    #expect(before.contains("a5"))
    let recovery = try Self.rebuild(house.directory)
    #expect(recovery.imported?.segments == 3)
    let summary = try house.open().device.database.streamSummaries().first {
      $0.stream == ann.stream
    }
    #expect(summary?.givenUp?.last == 8)
    #expect(try house.open().dump() == before)
  }

  @Test("gives up a branch again the numbers of which are all held of another")
  func givenUpBranch() throws {
    let (world, house, folder) = try RecoveryScene.newcomer()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    try ann.put("a", "{}")
    try ann.publish()
    try twin.put("lost", "{}")
    try twin.publish()
    try twin.put("t1", "{}", isPublishedAtOnce: false)
    try twin.put("t2", "{}")
    try twin.publish()
    let me = try house.open()
    let files = try world.logs(in: ann.folder) + world.logs(in: twin.folder).dropFirst()
    for file in files { try world.deliver(file, to: folder) }
    try me.importAll()
    try me.skip(ann)
    try me.importAll()
    let before = try me.dump()
    try #require(before.contains("t2"))
    _ = try Self.rebuild(house.directory)
    #expect(try house.open().dump() == before)
  }

  @Test("that the folder does not take is gone on with, by the same new device")
  func full() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let error = #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let older = try scene.house.directory.olderDatabases()
    #expect(older.map(\.directory) == [error?.directory])
    #expect(older.map(\.isSalvaged) == [false])
    let stream = try scene.house.open().stream
    let recovery = try Self.rebuild(scene.house.directory)
    #expect(recovery.published == 4)
    // That was handed over at once.
    #expect(recovery.removals == 0)
    #expect(recovery.device.record.stream == stream)
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true])
    // From here on it is a rebuild like any other.
    #expect(try Self.rebuild(scene.house.directory).device.record.stream != stream)
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true, true])
  }

  @Test("after one that was not finished makes another database, where that has been used")
  func distrustedAgain() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let second = try scene.house.open()
    try second.importAll()
    try second.put("since", #"{"n":1}"#)
    try second.publish()
    let recovery = try Self.rebuild(scene.house.directory)
    #expect(recovery.device.record.stream != second.stream)
    #expect(recovery.salvaged.count == 2)
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true, true])
    let third = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try third.importAll() }
    #expect(try third.body("since") == #"{"n":1}"#)
    #expect(try third.body("waiting") == #"{"n":1}"#)
    #expect(try third.body("doc") == nil)
  }

  @Test("goes on with the same new device also where that has read the folder meanwhile")
  func readMeanwhile() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let second = try scene.house.open()
    try #require(try second.importAll().segments > 0)
    let recovery = try Self.rebuild(scene.house.directory)
    #expect(recovery.device.record.stream == second.stream)
    #expect(recovery.isContinued)
    // As it says.
    let again = try Self.rebuild(scene.house.directory)
    #expect(again.device.record.stream != second.stream)
    #expect(!again.isContinued)
  }

  @Test("goes on with no database that is damaged by now")
  func damagedMeanwhile() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let second = try scene.house.open()
    try second.importAll()
    _ = try scene.damagePage(of: "archive")
    let recovery = try Self.rebuild(scene.house.directory)
    #expect(recovery.device.record.stream != second.stream)
  }

  @Test("adopts what waits behind a hole, and is complete all the same")
  func adoptedBesideAHole() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let carl = try scene.world.peer("carl", in: try scene.world.folder("carl"))
    for id in ["c1", "c2"] {
      try carl.put(id, "{}")
      try carl.publish()
    }
    let files = try scene.world.logs(in: carl.folder)
    try scene.world.deliver(files[1], to: scene.folder)
    try scene.placeOther()
    try scene.adopt()
    #expect(try scene.house.directory.olderDatabases().map(\.isSalvaged) == [true])
    let peer = try scene.house.open()
    #expect(try peer.importAll().gaps.map(\.stream) == [carl.stream])
  }

  @Test("holds all that it has published, should the folder lose it at once")
  func wiped() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    _ = try Self.rebuild(scene.house.directory)
    let peer = try scene.house.open()
    let kept = try peer.device.database.keptStreams()
    let files = try scene.world.logs(in: scene.folder).filter {
      try kept.contains($0.decoded().segment.range.stream)
    }
    #expect(files.count >= 4)
    try scene.house.removeTree(scene.folder.appending("logs"))
    try peer.importAll()
    #expect(try scene.world.logs(in: scene.folder).map(\.bytes) == files.map(\.bytes))
  }

  @Test("needs no folder to be named where the state has nothing in the old one's place")
  func unnamed() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let state = scene.house.directory.directory(of: scene.world.marker.container)
    try scene.house.move(state, to: FilePath(state.string + ".old-1"))
    let recovery = try Self.rebuild(scene.house.directory)
    #expect(recovery.published == 4)
    #expect(recovery.device.record.name == "me")
  }

  @Test("forgets that a container was to be adopted where that is in use again")
  func backAgain() throws {
    let scene = try RecoveryScene()
    try scene.replaceContainer()
    try scene.restore()
    let theirs = try ContainerFolder(root: scene.folder, files: scene.house.files).marker()
    _ = try scene.house.directory.adopt(
      DeviceDirectory.Request(
        folder: scene.folder, identifier: nil, deviceName: nil, joinsOnly: true), process: "1")
    #expect(try scene.house.directory.olderDatabases(of: theirs.container).count == 1)
    let elsewhere = try scene.house.makeFolder("elsewhere")
    try scene.world.place(scene.world.marker.bytes, at: elsewhere.appending(Marker.name))
    let back = try scene.house.initialise(elsewhere).device
    #expect(back.record.stream == scene.streams[0])
    #expect(try scene.house.directory.olderDatabases().isEmpty)
  }
}

/// protocol.md 29.
@Suite("Files of a container that was adopted") struct AdoptedFileTests {
  @Test("are copies to every device that holds what is in them, and set aside before")
  func everywhere() throws {
    let scene = try RecoveryScene()
    try scene.replaceContainer()
    try scene.restore()
    let reader = Peer(
      device: try scene.house.initialise(scene.folder, in: scene.house.other("reader")).device)
    let first = try reader.importAll()
    #expect(first.setAside.map(\.reason) == Array(repeating: .otherContainer, count: 4))
    let request = DeviceDirectory.Request(
      folder: scene.folder, identifier: nil, deviceName: nil, joinsOnly: true)
    _ = try scene.house.directory.adopt(request, process: "1")
    let second = try reader.importAll()
    #expect(second.setAside.isEmpty)
    #expect(second.duplicates == 4)
    #expect(Set(second.restored) == Set(first.setAside.map(\.key)))
    // Nothing is read again for that.
    #expect(try reader.importAll().duplicates == 4)
  }

  @Test("come over, too, where they waited behind a hole, with the hole")
  func behindHole() throws {
    let scene = try RecoveryScene()
    try scene.replaceContainer()
    try scene.restore()
    // Ann's first is not there, and this device's database has no archive of it.
    let device = try scene.house.directory.open(container: scene.folder)
    for kept in try device.database.archivedSegments(of: scene.streams[1]) {
      try device.database.removeArchived(kept)
    }
    let first = try #require(
      try scene.world.logs(in: scene.folder).first {
        $0.directory.string == scene.streams[1].description
      })
    try scene.house.files.remove(first.path(in: scene.folder))
    try scene.world.deliver(scene.missing, to: scene.folder)
    let request = DeviceDirectory.Request(
      folder: scene.folder, identifier: nil, deviceName: nil, joinsOnly: true)
    let done = try scene.house.directory.adopt(request, process: "1").0
    let peer = Peer(device: done.device)
    let report = try peer.importAll()
    #expect(report.missing == [Missing(stream: scene.streams[1], range: 1...1)])
    // Its content is not here yet.
    #expect(report.setAside.map(\.reason) == [.otherContainer])
    try scene.world.deliver(first, to: scene.folder)
    _ = try scene.house.directory.adopt(request, process: "1")
    let last = try peer.importAll()
    #expect(last.gaps.isEmpty)
    #expect(last.setAside.isEmpty)
    #expect(try peer.body("other") == #"{"n":1}"#)
  }
}
