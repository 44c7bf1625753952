import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A folder that cannot be reached") struct UnreachableFolderTests {
  @Test("for a permission leaves local writes working, and all is published later")
  func refused() throws {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("ann"))
    let marker = peer.folder.appending(Marker.name)
    world.fake?.setRefused(true, marker)
    let expected = ContainerError.unreachable(marker, .permissionDenied)
    #expect(try peer.device.absence() == expected)
    try peer.put("x", #"{"n":1}"#)
    #expect(throws: expected) { try peer.importAll() }
    #expect(throws: expected) { try peer.publish() }
    #expect(try world.logs(in: peer.folder).isEmpty)
    world.fake?.setRefused(false, marker)
    #expect(try peer.importAll().published == 1)
  }

  // Lesson 25.
  @Test("since its file system is silent is not touched, and known by its path")
  func silent() throws {
    let world = try World(.real)
    let folder = try world.folder("ann")
    let state = world.root.appending("state")
    let answering = DeviceDirectory(root: state, files: world.files, ambient: world.ambient)
    let request = DeviceDirectory.Request(
      folder: folder, identifier: nil, deviceName: "ann", joinsOnly: false)
    let device = try answering.initialise(request).device
    // Were it touched, another container would stop everything.
    let other = Marker(container: ContainerID(rawValue: 99), identifier: "other")
    try world.place(other.bytes, at: folder.appending(Marker.name))
    let silent = DeviceDirectory(
      root: state, files: world.files, ambient: world.ambient,
      ask: { _ in .silent(resolved: folder) })
    let expected = ContainerError.unreachable(folder, .timedOut)
    for path in [nil, folder, "/some/link"] as [FilePath?] {
      let opened = try silent.open(container: path)
      #expect(opened.record.stream == device.record.stream)
      #expect(try opened.absence() == expected)
      #expect(throws: expected) { try Importer(device: opened).importAll() }
    }
    #expect(throws: expected) { try silent.initialise(request) }
    #expect(try silent.identify(container: folder) == device.record.container)
    #expect(try silent.container(named: folder.string) == device.record.container)
  }

  @Test("is not touched as the original of a copy either")
  func silentOriginal() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    try house.open().put("a", "{}")
    try house.open().publish()
    let new = house.root.appending("new")
    try house.copy(old, to: new)
    try house.open().put("b", "{}")
    try house.open().publish()
    let silent = DeviceDirectory(
      root: house.directory.root, files: house.files, ambient: house.directory.ambient,
      ask: { $0 == old ? .silent(resolved: old) : .answers })
    // Were the old folder touched, what is missing would be found there.
    #expect(try silent.open(container: new).absence() == nil)
    #expect(try house.initialise(new, in: silent).missing == [2...2])
  }
}

@Suite("A state on a network file system") struct NetworkStateTests {
  // Lesson 24.
  @Test("is refused before anything is made, and a local one is not", arguments: ["nfs4", "cifs"])
  func refused(kind: String) throws {
    let world = try World()
    let folder = try world.folder("ann")
    world.fake?.putDirectory("/home/ann")
    world.fake?.setKind(.remote(name: kind), "/home")
    let state: FilePath = "/home/ann/.local/share/feedsync"
    let directory = DeviceDirectory(root: state, files: world.files, ambient: world.ambient)
    let expected = DeviceError.stateOnNetwork(state, kind: kind)
    let request = DeviceDirectory.Request(
      folder: folder, identifier: nil, deviceName: "ann", joinsOnly: false)
    #expect(throws: expected) { try directory.initialise(request) }
    #expect(throws: expected) { try directory.open(container: nil) }
    #expect(try world.files.list("/home/ann").isEmpty)
    world.fake?.setKind(.local, "/home")
    #expect(throws: DeviceError.noContainerChosen(state: state)) {
      try directory.open(container: nil)
    }
  }
}
