import BlobStorage
import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A folder that was moved") struct MovedFolderTests {
  @Test("is known by its marker, before and after init, and the device stays the same")
  func moved() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    let first = try house.initialise(old, name: "ann").device
    try house.open().put("a", #"{"n":1}"#)
    try house.open().publish()
    let new = house.root.appending("new")
    try house.move(old, to: new)

    #expect(try house.open().device.absence() == .folderMissing(old))
    let named = try house.open(new)
    #expect(try named.device.absence() == nil)
    #expect(try named.body("a") == #"{"n":1}"#)
    try named.put("b", #"{"n":2}"#)
    try named.publish()
    #expect(try house.count(of: named, in: new) == 2)
    // Having published there, the device works there: the old folder could only be unplugged.
    #expect(try house.open().folder == new)

    let done = try house.initialise(new)
    #expect(!done.isCreated)
    #expect(done.movedFrom == nil)
    #expect(done.missing.isEmpty)
    #expect(done.device.record.stream == first.record.stream)
    #expect(done.device.record.name == "ann")
    #expect(try house.open().folder == new)
    #expect(try house.open().device.absence() == nil)
    #expect(!house.exists(old))
    #expect(try house.initialise(new).movedFrom == nil)
  }

  @Test(
    "or copied, while a process works in it ends what that does there", arguments: [true, false])
  func meanwhile(isCopy: Bool) throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    let watch = try house.open()
    try watch.put("a", "{}")
    try watch.publish()
    _ = try Importer(device: watch.device).importAll()
    let new = house.root.appending("new")
    if isCopy { try house.copy(old, to: new) } else { try house.move(old, to: new) }
    try house.initialise(new)
    let other = try house.open()
    try other.put("b", "{}")
    try other.publish()
    let before = isCopy ? try house.count(of: watch, in: old) : 0
    #expect(throws: ContainerError.moved(old)) {
      _ = try Importer(device: watch.device).importAll()
    }
    // Nothing of what was written into the other one is put back here.
    if isCopy { #expect(try house.count(of: watch, in: old) == before) }
  }

  @Test("leaves its old place to another container")
  func reused() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    let first = try house.initialise(old).device
    let new = house.root.appending("new")
    try house.move(old, to: new)
    _ = try house.makeFolder("old")
    // The folder is not known to have moved: its marker may only be away.
    #expect(throws: ContainerError.markerMissing(old)) { try house.initialise(old) }
    try house.initialise(new)
    let second = try house.initialise(old)
    #expect(second.isCreated)
    #expect(second.device.record.container != first.record.container)
    #expect(try house.open(old).stream == second.device.record.stream)
    #expect(try house.open(new).stream == first.record.stream)
    #expect(try house.open().stream == second.device.record.stream)
  }

  @Test("and whose place another container has taken is refused there, not confused with it")
  func replaced() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    let first = try house.initialise(old).device
    try house.move(old, to: house.root.appending("new"))
    _ = try house.makeFolder("old")
    let stranger = try house.initialise(old, in: house.other("elsewhere")).device
    let expected = ContainerError.otherContainer(
      old, expected: first.record.container, found: stranger.record.container)
    for folder in [nil, old] {
      #expect(throws: expected) { _ = try house.open(folder).device.absence() }
    }
    try house.initialise(house.root.appending("new"))
    #expect(throws: DeviceError.notInitialised(old, state: house.directory.root)) {
      try house.open(old)
    }
  }

  @Test("and whose place another container has taken is joined there only by who asks for that")
  func replacedAndJoined() throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    let first = try house.initialise(folder).device
    try house.removeTree(folder)
    _ = try house.makeFolder("folder")
    let stranger = try house.initialise(folder, in: house.other("elsewhere")).device
    #expect(
      throws: ContainerError.otherContainer(
        folder, expected: first.record.container, found: stranger.record.container)
    ) { try house.initialise(folder) }
    #expect(try house.directory.containers().count == 1)
    let joined = try house.initialise(folder, joining: true)
    #expect(joined.device.record.container == stranger.record.container)
    // Once it has, it may do so again, whatever way it is asked.
    #expect(try house.initialise(folder).device.record.stream == joined.device.record.stream)
  }

  @Test("is worked in by who began there, also where it has been named by another path since")
  func otherPath() throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder)
    let watch = try house.open()
    let above = house.root.appending("above")
    try house.files.makeSymbolicLink(above, to: house.root)
    // As where it is mounted in two places: the path is another, and the folder the same.
    try watch.device.database.rejoin(at: above.appending("folder"))
    try watch.put("a", "{}")
    #expect(try watch.publish().transactions == 1)
    #expect(try watch.device.database.unpublishedCount() == 0)
  }

  @Test("and then away is known by the path it was initialised at last")
  func away() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    let first = try house.initialise(old).device
    let new = house.root.appending("new")
    try house.move(old, to: new)
    try house.initialise(new)
    try house.move(new, to: house.root.appending("unmounted"))
    #expect(try house.open(new).stream == first.record.stream)
    #expect(throws: ContainerError.folderMissing(old)) { try house.open(old) }
  }
}

@Suite("A folder that was copied") struct CopiedFolderTests {
  /// A device with three segments, the last of which came after the copy was made.
  private static func scene() throws -> (Household, old: FilePath, copy: FilePath) {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old, name: "ann")
    for id in ["a", "b"] {
      try house.open().put(id, "{}")
      try house.open().publish()
    }
    let copy = house.root.appending("copy")
    try house.copy(old, to: copy)
    try house.open().put("c", "{}")
    try house.open().publish()
    return (house, old, copy)
  }

  @Test("is not written before init chooses it: what is published once goes to one place")
  func refused() throws {
    let (house, old, copy) = try Self.scene()
    let peer = try house.open(copy)
    let expected = ContainerError.copy(copy, of: old)
    #expect(try peer.device.absence() == expected)
    // Written locally, and published where the device works.
    try peer.put("d", "{}")
    #expect(throws: expected) { try peer.publish() }
    #expect(throws: expected) { try peer.importAll() }
    #expect(try house.open().publish().transactions == 1)
    #expect(try house.count(of: peer, in: old) == 4)
    #expect(try house.count(of: peer, in: copy) == 2)
    #expect(try house.open(old).device.absence() == nil)
    #expect(try house.open().folder == old)
  }

  @Test("gets what the device has published since, and the state follows it")
  func followed() throws {
    let (house, old, copy) = try Self.scene()
    let done = try house.initialise(copy)
    #expect(done.missing.isEmpty)
    let peer = try house.open()
    #expect(peer.folder == copy)
    #expect(try house.count(of: peer, in: copy) == 3)
    #expect(try house.open(old).device.absence() == .copy(old, of: copy))
    // Another device that sees the copy alone has everything.
    let reader = try house.initialise(copy, name: "bob", in: house.other("bob")).device
    #expect(try Importer(device: reader).importAll().gaps.isEmpty)
    #expect(try Peer(device: reader).dump() == peer.dump())
  }

  @Test("without what was published since, whose original is away, is named as lacking it")
  func missing() throws {
    let (house, old, copy) = try Self.scene()
    try house.move(old, to: house.root.appending("unmounted"))
    #expect(try house.initialise(copy).missing == [3...3])
  }

  @Test("and published into while its original was away is the device's folder from then on")
  func originalBack() throws {
    let (house, old, _) = try Self.scene()
    let copy = house.root.appending("whole")
    try house.copy(old, to: copy)
    let unmounted = house.root.appending("unmounted")
    try house.move(old, to: unmounted)
    let started = try house.open(copy)
    try started.put("d", "{}")
    try started.publish()
    try house.move(unmounted, to: old)
    #expect(try started.device.absence() == nil)
    #expect(try house.open().folder == copy)
    #expect(try house.open(old).device.absence() == .copy(old, of: copy))
    #expect(try house.initialise(old).missing.isEmpty)
    #expect(try house.count(of: started, in: old) == 4)
  }

  @Test("that lacks something is not published into while its original is away")
  func lacking() throws {
    let (house, old, copy) = try Self.scene()
    try house.move(old, to: house.root.appending("unmounted"))
    let peer = try house.open(copy)
    try peer.put("d", "{}")
    #expect(throws: ContainerError.copy(copy, of: old)) { try peer.publish() }
    #expect(try peer.device.database.unpublishedCount() == 1)
    #expect(try house.count(of: peer, in: copy) == 2)
  }

  @Test("by half gets whole what it has half of, or is named as lacking it")
  func half() throws {
    for isOriginalAway in [false, true] {
      let (house, old, copy) = try Self.scene()
      let peer = try house.open()
      let container = ContainerFolder(root: copy, files: house.files)
      let last = try #require(
        try container.list(directories: [peer.directory]).segments
          .max { $0.name.string < $1.name.string })
      let path = container.logs.appending(last.directory).appending(last.name)
      let bytes = try house.files.contents(of: path, limit: 1 << 26).bytes
      try house.files.remove(path)
      try house.files.publish(
        Array(bytes.prefix(bytes.count / 2)), at: path, temporaryName: "t")
      if isOriginalAway { try house.move(old, to: house.root.appending("unmounted")) }
      #expect(try house.initialise(copy).missing == (isOriginalAway ? [2...3] : []))
      guard !isOriginalAway else { continue }
      try house.removeTree(old)
      let reader = try house.initialise(copy, name: "bob", in: house.other("bob")).device
      #expect(try Importer(device: reader).importAll().gaps.isEmpty)
      #expect(try Peer(device: reader).dump() == peer.dump())
    }
  }

  @Test("gets what a process publishes that was started before")
  func publishedMeanwhile() throws {
    let (house, old, copy) = try Self.scene()
    let process = try house.open()
    try process.put("d", "{}")
    try house.initialise(copy)
    #expect(throws: ContainerError.moved(old)) { try process.publish() }
    #expect(try process.device.database.unpublishedCount() == 1)
    try house.open().publish()
    #expect(try house.count(of: process, in: copy) == 4)
  }

  @Test("is the folder itself, if it is only another path to it")
  func samePlace() throws {
    let (house, old, _) = try Self.scene()
    #expect(try house.open(house.root.appending("./old/../old")).folder == old)
  }
}

@Suite("An attachment of a folder that was copied") struct CopiedAttachmentTests {
  /// A device with an attachment, and a copy of its folder that has none of it yet.
  private struct Scene {
    let fake = InMemoryFileSystem()
    let copy: FilePath
    /// Where the attachment's content is to be.
    let file: FilePath
    private let state: DeviceDirectory
    static let text = "content"

    init() throws {
      let world = try World(.fake, fake: fake)
      let ann = try world.loner("ann")
      let hash = try ann.attach(Self.text, to: "a")
      copy = try world.folder("copy")
      let blobs = BlobFolder(ContainerFolder(root: copy, files: fake))
      file = blobs.file(hash, of: ann.stream)
      let database = ann.device.database
      state = DeviceDirectory(
        root: world.root.appending("state"), files: fake, ambient: world.ambient,
        openStore: { _, _, _ in database })
      fake.put(state.directory(of: world.marker.container).appending("store.sqlite"), [1])
      // Folders and markers were on the disk long before.
      for path in [world.root, ann.folder, copy] { try fake.synchronizeDirectory(path) }
    }

    func initialise() throws {
      _ = try state.initialise(
        DeviceDirectory.Request(
          folder: copy, identifier: nil, deviceName: nil, joinsOnly: true))
    }

    var content: String? { fake.bytes(at: file).map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test("is there, whatever an init died at that was done again, and then the power was lost")
  func killedThenPowerLoss() throws {
    var kills = 0
    for call in 1...100 {
      for seed in 1...4 as ClosedRange<UInt64> {
        let scene = try Scene()
        scene.fake.kill(at: call)
        _ = try? scene.initialise()
        guard scene.fake.wasKilled else { break }
        kills += 1
        scene.fake.reboot()
        try scene.initialise()
        var generator = SeededGenerator(seed: seed)
        scene.fake.powerLoss(using: &generator)
        #expect(scene.content == Scene.text, "killed at call \(call), seed \(seed)")
      }
    }
    #expect(kills > 40)
  }

  @Test("is written whole where the copy of it broke off, and left alone where it is no file")
  func half() throws {
    let scene = try Scene()
    scene.fake.put(scene.file, Array(Scene.text.utf8.prefix(3)))
    try scene.initialise()
    #expect(scene.content == Scene.text)
    let other = try Scene()
    other.fake.putDirectory(other.file)
    try other.initialise()
    #expect(try other.fake.status(of: other.file).kind == .directory)
  }
}
