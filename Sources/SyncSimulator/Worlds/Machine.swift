import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// One device: its replica of the folder, its database, its clock, and the process that runs now.
final class Machine {
  /// What stands where the folder is expected.
  enum Place: String {
    case home
    /// Nothing is mounted: the folder is there and empty.
    case unmounted
    /// Another container.
    case swapped
    /// The folder is there, and its marker is not.
    case wiped
  }

  static let parent: FilePath = "/machine"
  static let root: FilePath = "/machine/notes"

  let number: Int
  let stream: StreamID
  let files: InMemoryFileSystem
  let database: StoreDatabase
  let life: ProcessLife
  let time: PretendedTime
  let chance: PretendedChance
  private let original: DeviceRecord
  private(set) var device: Device
  private(set) var importer: Importer
  var place = Place.home
  /// Whether it is switched off.
  var isAway = false
  /// Whether a fault is planned, so that an error is no finding.
  var isHindered = false
  /// Whether power goes when the process dies.
  var losesPower = false
  /// What a reader kept, to write later on top of it.
  var reads: [ReadVersion] = []

  init(
    number: Int, stream: StreamID, marker: Marker, features: InMemoryFileSystem.Features,
    time: PretendedTime, seed: UInt64
  ) throws {
    self.number = number
    self.stream = stream
    self.time = time
    let chance = PretendedChance(seed: seed)
    self.chance = chance
    let clock: @Sendable () -> Int64 = { time.wall(of: number) &* 1_000_000 }
    files = InMemoryFileSystem(features: features, clock: clock)
    files.putDirectory(Self.root)
    files.put(Self.root.appending(Marker.name), marker.bytes)
    let life = ProcessLife(files: files)
    self.life = life
    database = try StoreDatabase.inMemory(beforeWriting: {
      do {
        try life.requireAlive()
      } catch {
        life.spread()
        throw error
      }
    })
    original = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: Self.root, stream: stream,
      name: "device \(number)")
    try database.save(original)
    device = Device(
      record: original, database: database,
      container: ContainerFolder(root: Self.root, files: files),
      ambient: Ambient(now: { time.wall(of: number) }, random: { chance.next() }))
    importer = Importer(device: device)
  }

  var container: ContainerFolder { device.container }
  var ownDirectory: FilePath.Component { FilePath.Component(stream.description) ?? "own" }

  /// Ends the process, and begins another on what is on the disk.
  func restart(_ random: inout SplitMix) throws {
    if losesPower {
      files.powerLoss(using: &random)
    } else {
      files.reboot()
    }
    losesPower = false
    life.beginAgain()
    device = Device(
      record: try database.device() ?? original, database: database, container: device.container,
      ambient: device.ambient)
    importer = Importer(device: device)
  }
}

/// What a reader saw of a document.
struct ReadVersion {
  let document: StoredDocument
  /// How much of each device's stream had been applied then.
  let applied: [Int]
}
