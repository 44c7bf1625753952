import DocumentStorage
import ReferenceModel
import Replication
import SharedFolder
import Synchronization
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
    /// The shared container, which has come into the folder of another and is not joined yet.
    case met
  }

  /// Of what was dropped a few documents are taken out at a time, so that much happens between.
  static let heeding = HeedingPace(documents: 2, operations: 3)
  static let limits = ImportPart.Limits(
    operations: ImportPart.operationLimit, bytes: ImportPart.byteLimit,
    foldBytes: ImportPart.foldLimit, heeding: heeding)

  static let parent: FilePath = "/machine"
  static let root: FilePath = "/machine/notes"

  let number: Int
  let files: InMemoryFileSystem
  private(set) var database: StoreDatabase
  private(set) var processLife: ProcessLife
  let time: PretendedTime
  let chance: PretendedChance
  /// What the machine and its disk are known by, as programs see it; nil where they see nothing.
  let environment: PretendedEnvironment
  private let original: DeviceRecord
  /// What its folder's marker is, where that is there.
  private(set) var marker: Marker
  /// The container that it began in, where that is not the shared one.
  var former: ContainerID?
  private let stateFiles: PretendedState
  /// How many databases recoveries have made, each of which writes a stream of its own.
  private(set) var recoveries = 0
  /// The removals that waited when the last of them was made.
  var handedOver: Set<StoreDatabase.WaitingRemoval> = []
  private(set) var device: Device
  var importer: Importer
  /// Whose deeds this device knows of, by what its database is a copy of.
  var life: Life
  /// The streams that it has written, the first one first.
  private(set) var streams: [StreamID]
  /// What was applied whenever the database was put back to an older copy.
  var formerly: [Context] = []
  /// Of each stream, up to which transaction its user has said not to wait for what is missing.
  ///
  /// It only grows: whoever puts a database back, or has one made anew, has said it all the same.
  var givenUp: [StreamID: UInt64] = [:]
  /// Whether it has the newer program (``Forerunner``).
  private(set) var isUpgraded: Bool
  var backups: [Backup] = []
  var place = Place.home
  /// Whether it is switched off.
  var isAway = false
  /// Whether the syncer does not reach it.
  var isDisconnected = false
  /// Whether a fault is planned, so that an error is no finding.
  var isHindered = false
  /// Whether power goes when the process dies.
  var losesPower = false
  /// The digests of the statements that it was seen to heed when it might.
  var heeded: Set<UInt64> = []
  /// Whether its folder may lack what only healing brings back.
  var owesItsFolder = false
  /// Whether its folder may have what its database does not know.
  var lacksItsFolder = false
  /// What a reader kept, to write later on top of it.
  var reads: [ReadVersion] = []

  /// A copy of the database, to be put back later.
  struct Backup {
    let database: StoreDatabase
    let container: ContainerID
    let life: Life
    let streams: [StreamID]
    /// How many promises there were.
    let promises: Int
  }

  /// What a machine begins with.
  struct Beginning {
    let number: Int
    let features: InMemoryFileSystem.Features
    let time: PretendedTime
    let seed: UInt64
    let environment: [UInt8]?
    let life: Life
    var isUpgraded = false
  }

  /// - parameter state: the database that it begins as a copy of, with the streams that were
  ///   written from there; nil for a new device, which writes `stream`.
  init(
    _ beginning: Beginning, stream: StreamID, marker: Marker,
    state: (database: StoreDatabase, streams: [StreamID])? = nil
  ) throws {
    number = beginning.number
    isUpgraded = beginning.isUpgraded
    self.marker = marker
    time = beginning.time
    life = beginning.life
    streams = state?.streams ?? [stream]
    let chance = PretendedChance(seed: beginning.seed)
    self.chance = chance
    let environment = PretendedEnvironment(beginning.environment)
    self.environment = environment
    let (number, time) = (beginning.number, beginning.time)
    let clock: @Sendable () -> Int64 = { time.wall(of: number) &* 1_000_000 }
    files = InMemoryFileSystem(features: beginning.features, clock: clock)
    stateFiles = PretendedState(files: files)
    files.putDirectory(Self.root)
    files.put(Self.root.appending(Marker.name), marker.bytes)
    let processLife = ProcessLife(files: files)
    self.processLife = processLife
    database = try Self.open(state?.database, processLife, chance, environment)
    original = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: Self.root, stream: stream,
      name: "device \(number)")
    if state == nil { try database.save(original) }
    device = Device(
      record: try database.device() ?? original, database: database,
      container: ContainerFolder(root: Self.root, files: files),
      ambient: Ambient(now: { time.wall(of: number) }, random: { chance.next() }))
    importer = Importer(device: device, limits: Self.limits)
  }

  /// What every new device's database is a copy of: making the tables takes longer than that.
  private static let newDatabase = Result { try StoreDatabase.inMemory() }

  private static func open(
    _ copied: StoreDatabase?, _ life: ProcessLife, _ chance: PretendedChance,
    _ environment: PretendedEnvironment
  ) throws -> StoreDatabase {
    let identity = DeviceIdentity(
      environment: { environment.bytes },
      mint: { StreamID(rawValue: UInt128(chance.next()) << 64 | UInt128(chance.next())) })
    return try StoreDatabase.inMemory(
      copying: copied ?? newDatabase.get(), identity: identity,
      beforeWriting: {
        do {
          try life.requireAlive()
        } catch {
          life.spread()
          throw error
        }
      })
  }

  var container: ContainerFolder { device.container }
  var ownDirectory: FilePath.Component { Self.directory(of: streams.first ?? original.stream) }
  /// The directories of all that it has written.
  var directories: [FilePath.Component] { streams.map(Self.directory) }
  /// Streams of others that it looks after.
  var adopted: [StreamID] = []
  /// The directories that it may write files into.
  var tended: [FilePath.Component] {
    directories + adopted.filter { !streams.contains($0) }.map(Self.directory)
  }

  /// Files of others that it has written whole.
  var completed: [(directory: FilePath.Component, name: FilePath.Component)] {
    get throws {
      try database.completedSegments().compactMap { segment in
        let name = SegmentName(first: segment.first, last: segment.last, digest: segment.digest)
        return name.component(copy: 0).map { (Self.directory(of: segment.stream), $0) }
      }
    }
  }

  static func directory(of stream: StreamID) -> FilePath.Component {
    FilePath.Component(stream.description) ?? "own"
  }

  /// Notes which stream it writes by now, and which ones it wrote on the way to that.
  func noteStream() throws {
    guard let stream = try database.device()?.stream, !streams.contains(stream) else { return }
    for summary in try database.streamSummaries() where summary.wasOwn {
      if !streams.contains(summary.stream) { streams.append(summary.stream) }
    }
    streams.append(stream)
  }

  /// Ends the process, and begins another on what is on the disk.
  func restart(_ random: inout SplitMix) throws {
    if losesPower {
      files.powerLoss(using: &random)
    } else {
      files.reboot()
    }
    losesPower = false
    processLife.beginAgain()
    try begin()
  }

  /// Ends the process, and begins one of the newer program on what the older one has left.
  func upgrade(_ random: inout SplitMix) throws {
    try restart(&random)
    isUpgraded = true
    processLife = ProcessLife(files: files)
    database = try run { try Self.open(database, processLife, chance, environment) }
    try begin()
  }

  private func begin() throws {
    device = Device(
      record: try database.device() ?? original, database: database, container: device.container,
      ambient: device.ambient)
    importer = Importer(device: device, limits: Self.limits)
  }

  func backUp(promises: Int) throws {
    let copy = try StoreDatabase.inMemory(copying: database)
    backups.append(
      Backup(
        database: copy, container: device.record.container, life: life, streams: streams,
        promises: promises))
  }

  /// What it has applied, and what it may claim though that is missing, since its user gave it up.
  ///
  /// By its own words: what it then does claim is judged (``Ledger/Had``).
  func claimable() throws -> Context {
    let frontier = try database.frontier()
    return Context(frontier.applied.entries + frontier.closed.entries)
  }

  /// What it has, and had before each time that its database was put back.
  func had() throws -> Ledger.Had {
    Ledger.Had(
      applied: formerly + [try database.frontier().applied], givenUp: givenUp,
      isUpgraded: isUpgraded)
  }

  /// Puts the database back to a copy of it.
  func restore(_ backup: Backup, as life: Life) throws {
    formerly.append(try database.frontier().applied)
    processLife = ProcessLife(files: files)
    database = try Self.open(backup.database, processLife, chance, environment)
    self.life = life
    // It knows by now which directories it has written, if the database does not.
    streams = backup.streams + streams.filter { !backup.streams.contains($0) }
    reads = []
    try begin()
  }
}

// MARK: - The local state as a whole

extension Machine {
  /// The state as commands see it.
  var directory: DeviceDirectory {
    DeviceDirectory(
      root: PretendedState.root, files: files, ambient: device.ambient,
      openStore: { [stateFiles, processLife, chance, environment, device] directory, _, _ in
        try stateFiles.open(directory, temporaryName: device.ambient.temporaryName()) {
          try Self.open(nil, processLife, chance, environment)
        }
      })
  }

  /// Puts the database where commands look for it.
  func placeState() {
    stateFiles.place(database, in: directory.directory(of: device.record.container))
  }

  /// Finds another marker in its folder, beside what that holds.
  func meet(_ marker: Marker) {
    self.marker = marker
    files.put(container.markerFile, marker.bytes)
    place = .met
  }

  /// Whether it works in the container that its folder is.
  var hasJoined: Bool { device.record.container == marker.container }

  /// Goes on with a database that a recovery has made; false if it is the one that there was.
  func use(_ made: StoreDatabase) throws -> Bool {
    guard made !== database else { return false }
    formerly.append(try database.frontier().applied)
    database = made
    recoveries += 1
    lacksItsFolder = true
    reads = []
    try begin()
    return true
  }
}

/// What a reader saw of a document.
struct ReadVersion {
  let document: StoredDocument
  /// What had been applied then.
  let applied: Context
  /// That, and what its user had given up by then.
  let known: Context
  /// How many promises there were then.
  let promises: Int
  /// Whether something in it was in conflict.
  let isDisputed: Bool
}

/// What a machine is known by, which may change.
final class PretendedEnvironment: Sendable {
  private let state: Mutex<[UInt8]?>

  init(_ bytes: [UInt8]?) { state = Mutex(bytes) }

  var bytes: [UInt8]? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
