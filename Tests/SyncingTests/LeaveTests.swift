import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Leaving a container") struct LeaveTests {
  private static func scene() throws -> (Household, FilePath, Peer) {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder, name: "ann")
    return (house, folder, try house.open())
  }

  @Test("publishes what waits, keeps database and files, and lets nothing more be written")
  func published() throws {
    let (house, folder, peer) = try Self.scene()
    try peer.put("a", #"{"n":1}"#)
    let done = try house.directory.leave(peer.device, .published, process: "1")
    #expect(done.published == 1)
    #expect(done.unpublished == 0)
    #expect(done.wasDefault)
    #expect(done.files == [folder.appending("logs").appending(peer.directory)])
    #expect(try house.count(of: peer, in: folder) == 1)
    #expect(done.state.map(house.exists) == true)
    #expect(throws: DeviceError.noContainerChosen(state: house.directory.root)) {
      try house.open()
    }
    #expect(throws: DeviceError.left(folder)) { try house.open(folder) }
    // A process that had opened it before.
    #expect(throws: StorageError.left) { try peer.put("b", "{}") }
    #expect(throws: StorageError.left) {
      try peer.device.database.renameDevice(to: "b", now: peer.device.ambient.time, nonce: 1)
    }
  }

  @Test("and initialising again comes back as the same device")
  func back() throws {
    let (house, folder, peer) = try Self.scene()
    try peer.put("a", #"{"n":1}"#)
    _ = try house.directory.leave(peer.device, .published, process: "1")
    let again = try house.initialise(folder).device
    #expect(again.record.stream == peer.stream)
    #expect(again.record.name == "ann")
    try house.open().put("b", #"{"n":2}"#)
    #expect(try house.open().publish().transactions == 1)
    #expect(try house.open().body("a") == #"{"n":1}"#)
  }

  @Test("is completed by repeating it, where it ended after the database was told")
  func interrupted() throws {
    for leaving in [DeviceDirectory.Leaving.published, .abandoning, .deletingState] {
      let (house, folder, peer) = try Self.scene()
      #expect(try peer.device.database.leave(now: 1, isAbandoning: false))
      for path in [folder, nil] {
        _ = try house.directory.open(container: path, toLeave: leaving)
      }
      let device = try house.directory.open(container: nil, toLeave: leaving)
      let done = try house.directory.leave(device, leaving, process: "1")
      #expect(done.wasDefault)
      #expect((done.state == nil) == (leaving == .deletingState))
      #expect(throws: DeviceError.self) {
        try house.directory.open(container: folder, toLeave: .published)
      }
    }
  }

  @Test("is refused while the folder is away and something waits; nothing changes")
  func away() throws {
    let (house, folder, peer) = try Self.scene()
    try peer.put("a", "{}")
    let parked = house.root.appending("parked")
    try house.move(folder, to: parked)
    let error = #expect(throws: LeaveError.self) {
      try house.directory.leave(peer.device, .published, process: "1")
    }
    guard case .unpublished(folder, transactions: 1, let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause as? ContainerError == .folderMissing(folder))
    try house.open().put("b", "{}")
    let forced = try house.directory.leave(peer.device, .abandoning, process: "1")
    #expect(forced.unpublished == 2)
    // Nothing is lost by that: whoever comes back publishes it.
    try house.move(parked, to: folder)
    try house.initialise(folder)
    #expect(try house.open().publish().transactions == 2)
  }

  @Test("needs no folder where nothing waits")
  func nothingWaits() throws {
    let (house, folder, peer) = try Self.scene()
    try house.move(folder, to: house.root.appending("parked"))
    #expect(try house.directory.leave(peer.device, .published, process: "1").published == 0)
  }

  @Test("is refused under another container's marker, however it is asked for")
  func otherMarker() throws {
    let (house, folder, peer) = try Self.scene()
    try house.files.remove(folder.appending(Marker.name))
    let other = Marker(container: ContainerID(rawValue: 99), identifier: "other")
    _ = try ContainerFolder(root: folder, files: house.files).create(other, temporaryName: "t")
    for leaving in [DeviceDirectory.Leaving.published, .abandoning, .deletingState] {
      #expect(throws: ContainerError.self) {
        try house.directory.leave(peer.device, leaving, process: "1")
      }
    }
    #expect(try peer.device.database.device()?.leftAt == nil)
  }

  @Test("is refused while the device is watched, naming the process")
  func watched() throws {
    let (house, _, peer) = try Self.scene()
    let state = house.directory.directory(of: peer.device.record.container)
    let lock = try WatchLock(state: state, files: house.files, process: "4711")
    let expected = DeviceError.watched(
      state.appending("locks").appending("watch"), process: "4711")
    #expect(throws: expected) {
      try house.directory.leave(peer.device, .abandoning, process: "1")
    }
    lock.release()
    _ = try house.directory.leave(peer.device, .published, process: "1")
  }

  @Test("is refused while removals wait that nobody else knows of")
  func removalsWait() throws {
    let world = try World(.real)
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try world.place(world.marker.bytes, at: folder.appending(Marker.name))
    try house.initialise(folder)
    let missing = try world.deliverAllButOne(to: folder).missing
    let peer = try house.open()
    try peer.importAll()
    #expect(try peer.delete("doc") == .changed)
    let error = #expect(throws: LeaveError.self) {
      try house.directory.leave(peer.device, .published, process: "1")
    }
    guard case .removalsWait(folder, count: 1) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try world.deliver(missing, to: folder)
    try peer.importAll()
    _ = try house.directory.leave(peer.device, .published, process: "1")
    let reader = try house.initialise(folder, in: house.other("reader")).device
    _ = try Importer(device: reader).importAll()
    #expect(try Peer(device: reader).dump() == "notes/other {\"n\":1}\nconflicts: 0")
  }
}

@Suite("Leaving a container for good") struct LeaveForGoodTests {
  private static func scene() throws -> (Household, FilePath, ann: Peer, bob: Peer) {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder, name: "ann")
    let bob = Peer(
      device: try house.initialise(folder, name: "bob", in: house.other("bob")).device)
    let ann = try house.open()
    for peer in [ann, bob] {
      for number in 1...3 {
        try peer.put("\(peer.device.record.name)\(number)", "{}")
        try peer.publish()
      }
    }
    try ann.importAll()
    return (house, folder, ann, bob)
  }

  @Test("removes the state once the folder is seen to hold all; init is then a new device")
  func complete() throws {
    let (house, folder, ann, _) = try Self.scene()
    let before = try ann.dump()
    let done = try house.directory.leave(ann.device, .deletingState, process: "1")
    #expect(done.state == nil)
    #expect(try house.files.list(house.directory.root).map(\.name) == ["lock"])
    let new = Peer(device: try house.initialise(folder).device)
    #expect(new.stream != ann.stream)
    try new.importAll()
    #expect(try new.dump() == before)
  }

  /// Takes a file of an author's away, or damages it.
  private static func lose(
    _ author: Peer, in folder: FilePath, of house: Household, isDamaged: Bool
  ) throws {
    let container = ContainerFolder(root: folder, files: house.files)
    let file = try #require(
      try container.list(directories: [author.directory]).segments
        .sorted { $0.name.string < $1.name.string }.dropFirst().first)
    let path = container.logs.appending(file.directory).appending(file.name)
    try house.files.remove(path)
    if isDamaged { try house.files.publish([1, 2, 3], at: path, temporaryName: "t") }
  }

  @Test(
    "is refused if a file of another's is missing or damaged; the state stays",
    arguments: [true, false])
  func incomplete(isDamaged: Bool) throws {
    let (house, folder, ann, bob) = try Self.scene()
    try Self.lose(bob, in: folder, of: house, isDamaged: isDamaged)
    let error = #expect(throws: LeaveError.self) {
      try house.directory.leave(ann.device, .deletingState, process: "1")
    }
    guard case .folderIncomplete(folder, ["bob"]) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try house.open().stream == ann.stream)
  }

  @Test("puts back its own files that are missing or damaged", arguments: [true, false])
  func putBack(isDamaged: Bool) throws {
    let (house, folder, ann, _) = try Self.scene()
    let before = try ann.dump()
    try Self.lose(ann, in: folder, of: house, isDamaged: isDamaged)
    #expect(try house.directory.leave(ann.device, .deletingState, process: "1").state == nil)
    let new = Peer(device: try house.initialise(folder).device)
    try new.importAll()
    #expect(try new.dump() == before)
  }

  @Test("has the disk keep the names of what it found: nothing is left that would put them back")
  func namesOnTheDisk() throws {
    var departures = 0
    for (call, seed) in (1...12).flatMap({ call in (1...6).map { (call, UInt64($0)) } }) {
      let fake = InMemoryFileSystem()
      let world = try World(.fake, fake: fake)
      let ann = try world.loner("ann")
      // Folder and marker were on the disk long before.
      for path in [world.root, ann.folder] { try fake.synchronizeDirectory(path) }
      for id in ["a", "b"] {
        try ann.put(id, "{}")
        try ann.publish()
      }
      let before = try ann.dump()
      let lost = try #require(try world.logs(in: ann.folder).last)
      fake.removeTree(lost.path(in: ann.folder))
      // One process puts it back, and dies on the way.
      fake.kill(at: call)
      _ = try? ann.importAll()
      guard fake.wasKilled else { continue }
      fake.reboot()
      let state = DeviceDirectory(
        root: world.root.appending("state"), files: fake, ambient: world.ambient)
      fake.putDirectory(state.directory(of: world.marker.container))
      do {
        _ = try state.leave(ann.device, .deletingState, process: "1")
      } catch LeaveError.folderIncomplete {
        continue
      }
      departures += 1
      var generator = SeededGenerator(seed: seed)
      fake.powerLoss(using: &generator)
      let found = try world.newcomersDump(of: ann.folder)
      #expect(found == before, "killed at call \(call), seed \(seed)")
    }
    #expect(departures > 0)
  }

  @Test("finds what stands under another name, too")
  func renamed() throws {
    let (house, folder, ann, bob) = try Self.scene()
    let container = ContainerFolder(root: folder, files: house.files)
    for file in try container.list(directories: [bob.directory]).segments {
      let directory = container.logs.appending(file.directory)
      try house.move(
        directory.appending(file.name),
        to: directory.appending(String(file.name.string.reversed().drop { $0 != "-" }) + ".log"))
    }
    #expect(try house.directory.leave(ann.device, .deletingState, process: "1").state == nil)
  }

  @Test("is refused while a database whose place it has taken may hold what nobody else has")
  func unfinishedRecovery() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    let directory = scene.house.directory
    for leaving in [DeviceDirectory.Leaving.published, .deletingState] {
      let device = try directory.open(container: nil, toLeave: leaving)
      let error = #expect(throws: LeaveError.self) {
        try directory.leave(device, leaving, process: "1")
      }
      guard case .recoveryUnfinished(_, let older)? = error else {
        Issue.record("it is refused otherwise: \(String(describing: error))")
        continue
      }
      #expect(scene.house.exists(older))
    }
    let device = try directory.open(container: nil, toLeave: .abandoning)
    _ = try directory.leave(device, .abandoning, process: "1")
  }
}
