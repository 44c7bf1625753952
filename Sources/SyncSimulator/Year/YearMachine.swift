import CanonicalJSON
import DocumentStorage
import Foundation
import ReferenceModel
import Replication
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage

/// One device of a year: a folder and a database on the disk, and a clock that is told the time.
// One thread has it at a time: ``YearHousehold`` gives each machine to one, and waits for all
// before it goes on.
final class YearMachine: @unchecked Sendable {
  static let collection: ByteString = "notes"

  let number: Int
  let device: Device
  let meter = PauseMeter()
  private let importer: Importer
  private let limits: CompactionLimits
  private let clock: YearClock
  /// What it did beside writing.
  private(set) var report = CompactionReport()
  private(set) var imported = 0
  private(set) var transactions = 0
  /// The streams of devices that are given up, whose files it looks after.
  private var givenUp: Set<String> = []
  /// The names that its folder has of each stream, as the syncer left them.
  var names: [String: Set<String>] = [:]

  init(
    _ number: Int, in directory: FilePath, marker: Marker, limits: CompactionLimits, seed: UInt64
  ) throws {
    let clock = YearClock()
    let chance = PretendedChance(seed: SplitMix.mixed(seed &+ UInt64(number) &* 0xC1A0))
    self.number = number
    self.limits = limits
    self.clock = clock
    let files = LinuxFileSystem()
    for path in [directory, directory.appending("folder"), directory.appending("state")] {
      try files.makeDirectory(path, mode: 0o755)
    }
    let folder = ContainerFolder(root: directory.appending("folder"), files: files)
    let ambient = Ambient(now: { clock.now }, random: { chance.next() })
    _ = try folder.create(marker, temporaryName: ambient.temporaryName())
    let database = try StoreDatabase(
      directory: directory.appending("state"), onTurn: { [meter] in meter.note($0) })
    let record = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: folder.root,
      stream: ambient.identifier(), name: "device \(number)")
    try database.save(record)
    device = Device(record: record, database: database, container: folder, ambient: ambient)
    importer = Importer(device: device)
  }

  var database: StoreDatabase { device.database }

  /// The streams whose files it looks after: those that it wrote, for it begins another where it
  /// writes anew what others have forgotten (protocol.md 24), and those of devices that are given
  /// up.
  func tended() throws -> [String] { try database.keptStreams().map(\.description) }

  /// Those that it wrote.
  func streams() throws -> [String] { try tended().filter { !givenUp.contains($0) } }

  static func key(_ document: Int) -> DocumentKey {
    DocumentKey(collection: collection, id: ByteString(YearDocument.id(of: document)))
  }

  /// Does what it is to do, spread over the time until the devices meet.
  func work(_ work: [[YearPlan.Action]], until end: Int64, since start: Int64) throws {
    for (index, actions) in work.enumerated() {
      clock.now = start + (end - start) * Int64(index + 1) / Int64(work.count + 1)
      _ = try database.writeDocuments(
        now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: false
      ) { writer in
        for action in actions { try perform(action, &writer) }
      }
    }
    transactions += work.count
    clock.now = end
  }

  private func perform(_ action: YearPlan.Action, _ writer: inout StoreWriter) throws {
    let key = Self.key(action.document)
    switch action {
    case .create(_, let body): _ = try writer.put(body, at: key)
    // What others have deleted meanwhile is not made anew by an edit.
    case .patch(_, let patch):
      if try writer.body(at: key) != nil { _ = try writer.patch(patch, at: key) }
    case .delete: _ = try writer.delete(key)
    }
  }

  /// Looks after the files of a device that is lost from now on, as `devices retire` says.
  func giveUp(_ other: YearMachine) throws {
    for stream in try other.database.keptStreams() where givenUp.insert(stream.description).inserted
    { try database.retire(stream, now: clock.now) }
  }

  func publish() throws { _ = try Publisher(device: device).publishAll() }

  func importAll() throws {
    var report = ImportReport()
    try meter.measureImport { report = try importer.importAll() }
    if let failure = report.publishingFailure { throw failure }
    guard report.gaps.isEmpty, report.setAside.isEmpty, report.putBack == 0, !report.hasNewStream
    else {
      throw Finding(
        "device \(number): gaps \(report.gaps), set aside \(report.setAside.map(\.reason)),"
          + " \(report.putBack) put back, a new stream: \(report.hasNewStream)")
    }
    imported += report.operations
  }

  /// What `import` does every hour.
  func lookAfter() throws {
    try meter.measure {
      var upkeep = Upkeep(device: device, limits: limits)
      upkeep.isStopping = { [meter] in
        meter.poll()
        return false
      }
      guard let done = try upkeep.runIfDue() else { return }
      report.written += done.written
      report.writtenBytes += done.writtenBytes
      report.dropped += done.dropped
      report.removed += done.removed
    }
  }
}

/// The wall clock of a device, which stands still until it is set.
final class YearClock: Sendable {
  private let state = Mutex<Int64>(0)

  /// In milliseconds since 1970.
  var now: Int64 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
