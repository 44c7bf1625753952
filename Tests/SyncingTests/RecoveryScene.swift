import DocumentStorage
import GRDB
import Replication
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device that has all that a recovery must not lose: what was published and is in the folder,
/// what the folder has lost, what waits to be published, a removal that waits for what it was made
/// on, and the word that a device never comes back.
struct RecoveryScene {
  let house: Household
  let world: World
  let folder: FilePath
  /// The stream that it writes, and that of the device which never comes back.
  let streams: [StreamID]
  /// What the removal waits for.
  let missing: LogFile
  /// What the device shows once that has arrived.
  let expected: String

  private var places: [FilePath] { [house.directory.root, folder] }

  init() throws {
    world = try World(.real)
    house = try Household()
    folder = try house.makeFolder("folder")
    try world.place(world.marker.bytes, at: folder.appending(Marker.name))
    try house.initialise(folder, name: "me")
    let (ann, missing) = try world.deliverAllButOne(to: folder)
    self.missing = missing
    streams = [try house.open().stream, ann.stream]
    try Self.write(in: house, folder: folder, world: world, retiring: ann.stream)
    for place in [house.directory.root, folder] {
      try house.copy(place, to: Self.kept(place))
    }
    let me = try house.open()
    try world.deliver(missing, to: folder)
    for _ in 1...2 { try me.importAll() }
    expected = try me.dump()
    try #require(expected == Self.all)
  }

  /// A device, "me", that has just joined the container in a folder of the real file system.
  static func newcomer() throws -> (World, Household, FilePath) {
    let world = try World(.real)
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try world.place(world.marker.bytes, at: folder.appending(Marker.name))
    try house.initialise(folder, name: "me")
    return (world, house, folder)
  }

  private static let all = """
    notes/count {"n":12}
    notes/lost {"n":1}
    notes/mine {"n":2}
    notes/other {"n":1}
    notes/waiting {"n":1}
    conflicts: 0
    """

  private static func write(
    in house: Household, folder: FilePath, world: World, retiring stream: StreamID
  ) throws {
    let me = try house.open()
    try me.importAll()
    try me.put("lost", #"{"n":1}"#)
    try me.publish()
    let lost = try #require(
      try world.logs(in: folder).first { $0.directory == me.directory })
    try me.put("mine", #"{"n":1}"#)
    // It counts twice what is applied twice.
    try me.increment("/n", of: "count", by: 5)
    try me.publish()
    try house.files.remove(lost.path(in: folder))
    try me.device.database.retire(stream, now: 1)
    try me.put("mine", #"{"n":2}"#)
    try me.increment("/n", of: "count", by: 7)
    try me.put("waiting", #"{"n":1}"#)
    try #require(try me.delete("doc") == .changed)
    try #require(try me.device.database.counts().pendingRemovals == 1)
  }

  private static func kept(_ place: FilePath) -> FilePath {
    FilePath(place.string + ".kept")
  }

  /// Puts all back as it was before the recovery.
  func restore() throws {
    for place in places {
      try house.removeTree(place)
      try house.copy(Self.kept(place), to: place)
    }
  }

  /// Puts another container, with a document of its own, in the place of the one that was here.
  func replaceContainer() throws {
    try restore()
    try placeOther()
    // So that it is there again each time.
    try house.removeTree(Self.kept(folder))
    try house.copy(folder, to: Self.kept(folder))
  }

  func placeOther() throws {
    let other = house.other("other")
    let theirs = try house.makeFolder("theirs")
    let device = try house.initialise(theirs, name: "theirs", in: other).device
    try Peer(device: device).put("theirs", #"{"n":1}"#)
    try Peer(device: device).publish()
    for file in try world.logs(in: theirs) { try world.deliver(file, to: folder) }
    try world.place(device.record.marker, at: folder.appending(Marker.name))
  }

  /// The state of the device's container.
  var state: FilePath { house.directory.directory(of: world.marker.container) }

  /// The same machine while the folder's disk is full.
  var full: DeviceDirectory {
    let logs = folder.appending("logs")
    return DeviceDirectory(
      root: house.directory.root,
      files: InterruptedFileSystem(
        house.files,
        beforeChange: { (path) throws(FileError) in
          if path.starts(with: logs) { throw FileError(.write, path, .noSpace) }
        }), ambient: house.directory.ambient)
  }

  func rebuild(_ directory: DeviceDirectory? = nil) throws -> DeviceDirectory.Recovery {
    try (directory ?? house.directory).rebuild(
      container: folder, fallbackName: "me", process: "1")
  }

  func adopt(_ directory: DeviceDirectory? = nil, at folder: FilePath? = nil) throws {
    _ = try (directory ?? house.directory).adopt(
      DeviceDirectory.Request(
        folder: folder ?? self.folder, identifier: nil, deviceName: nil, joinsOnly: true),
      process: "1")
  }

  /// Changes the device's database behind its back.
  func damage(_ sql: String) throws {
    try DatabaseQueue(path: state.appending("store.sqlite").string).write { db in
      try db.execute(sql: sql)
    }
  }

  /// A process that dies at one of its calls that change anything.
  func dying(_ doom: Doom) -> DeviceDirectory {
    DeviceDirectory(
      root: house.directory.root,
      files: InterruptedFileSystem(
        house.files, beforeChange: { (path) throws(FileError) in try doom.check(path) }),
      ambient: house.directory.ambient,
      openStore: { directory, identity, use in
        try doom.check(directory)
        return try StoreDatabase(
          directory: directory, identity: identity, for: use,
          beforeWriting: { try doom.check(directory) })
      })
  }
}

/// Kills a process at one of its calls that change something: of the file system, or a commit.
final class Doom: Sendable {
  private let call: Int
  private let made = Mutex(0)

  /// - parameter call: the call that does nothing any more; all later ones do nothing either.
  init(at call: Int) { self.call = call }

  /// How many calls there have been.
  var calls: Int { made.withLock { $0 } }
  var hasCome: Bool { calls >= call }

  func check(_ path: FilePath) throws(FileError) {
    let isDead = made.withLock { made in
      made += 1
      return made >= call
    }
    if isDead { throw FileError(.write, path, .canceled) }
  }
}
