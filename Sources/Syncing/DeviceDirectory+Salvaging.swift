import DocumentStorage
import Replication
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// What one older database gave.
  package struct Salvaged: Sendable {
    /// Where it is kept.
    package let directory: FilePath
    package let report: SalvageReport
    /// Why it could not even be opened, or the first thing in it that could not be read.
    package let failure: (any Error)?
  }

  /// An older database on its way to the device that has taken its place.
  struct Opened {
    fileprivate let older: OlderDatabase
    /// Nil if it never became a device, and so has nothing to give.
    fileprivate var salvage: Salvage?
    /// Why it can never be opened: it is damaged.
    fileprivate var failure: (any Error)?
    /// Why not all that needs no folder could be handed over now.
    fileprivate(set) var refusal: (any Error)?
  }

  /// Hands over what an interrupted recovery has not, before anybody sees the device without it.
  ///
  /// - throws: ``SalvageError``, as long as it cannot be.
  func finishHandingOver(to device: Device) throws {
    let directory = directory(of: device.record.container)
    guard rebuildProgress(in: directory) == .made else { return }
    try exclusively {
      // Another process may have come first.
      guard rebuildProgress(in: directory) == .made else { return }
      for one in try handOver(to: device) {
        if let refusal = one.refusal {
          throw SalvageError(directory: one.older.directory, cause: refusal)
        }
      }
    }
  }

  /// Stops all writes into the databases whose place a device has taken and that have not given all
  /// yet, and hands over what needs no folder.
  func handOver(to device: Device) throws -> [Opened] {
    var opened = try olderDatabases(of: device.record.container).filter { !$0.isSalvaged }
      .compactMap { try open($0, for: device) }
    let isNew = rebuildProgress(in: directory(of: device.record.container)) == .made
    var taken: Set<[UInt8]> = []
    for index in opened.indices {
      opened[index].salvage?.stopWrites()
      taken.formUnion(opened[index].salvage?.taken() ?? [])
    }
    for index in opened.indices {
      do {
        try opened[index].salvage?.handOver(taken: taken)
        // Not again where the user has taken them away since.
        if isNew { try opened[index].salvage?.declareIndexes() }
        // What it could not be asked now, it can be later; so can one that could not be opened.
        opened[index].refusal = opened[index].salvage?.refusal ?? opened[index].refusal
        let older = opened[index].older
        if older.isAdopted, let container = older.container {
          try carryKeptVersions(from: container, to: device.record.container)
        }
      } catch {
        opened[index].refusal = error
      }
    }
    if opened.allSatisfy({ $0.refusal == nil }) {
      try noteHandedOver(directory(of: device.record.container))
    }
    return opened
  }

  /// - returns: nil if it is in use elsewhere.
  private func open(_ older: OlderDatabase, for device: Device) throws -> Opened? {
    do {
      let source = try existingStore(in: older.directory)
      guard let record = try record(in: source, of: older, for: device) else {
        return Opened(older: older)
      }
      if older.isAdopted, !older.isWhereNoted(record) { return nil }
      return Opened(
        older: older, salvage: Salvage(source: source, record: record, target: device))
    } catch {
      return Self.isDamage(error)
        ? Opened(older: older, failure: error) : Opened(older: older, refusal: error)
    }
  }

  /// What a database says of its device; where that is damaged, what can be told without it, since
  /// the rest may be whole.
  private func record(
    in source: StoreDatabase, of older: OlderDatabase, for device: Device
  ) throws -> DeviceRecord? {
    do {
      return try source.device()
    } catch {
      guard Self.isDamage(error), let container = older.container else { throw error }
      return DeviceRecord(
        container: container, marker: [], path: older.record?.place ?? device.record.path,
        stream: device.record.stream, name: device.record.name)
    }
  }

  /// Publishes into a device's folder what those databases hold, and imports all that is there.
  ///
  /// It publishes all that can be, also after one that the folder does not take.
  /// Interrupted at any point, it can be repeated: what is there already is left as it is. Only
  /// when all of a database is in the folder, durably, and in the device's own database, which puts
  /// it back should the folder lose it, is that noted.
  ///
  /// - returns: what each gave, and what was imported; nil if there was none.
  /// - throws: ``SalvageError`` if the folder, or the device's own database, does not take it.
  func publish(
    _ opened: [Opened], into device: Device
  ) throws -> (salvaged: [Salvaged], imported: ImportReport?) {
    var published: [(from: Opened, gave: Salvaged)] = []
    var failure: SalvageError?
    for one in opened {
      var one = one
      do {
        let gave = try publish(&one)
        published.append((one, gave))
        if let rejection = one.salvage?.rejection { throw rejection }
      } catch {
        failure = failure ?? SalvageError(directory: one.older.directory, cause: error)
      }
    }
    var imported: ImportReport?
    if let first = published.first {
      do {
        let isAll = published.count == opened.count
        let report = try importAll(of: published.map(\.from), isAll: isAll, into: device)
        for one in published where one.from.failure == nil {
          try note(one.gave.report, of: one.from, isAll: isAll, in: device)
        }
        imported = report
      } catch {
        failure = failure ?? SalvageError(directory: first.from.older.directory, cause: error)
      }
    }
    if let failure { throw failure }
    try forgetRebuilding(directory(of: device.record.container))
    return (published.map(\.gave), imported)
  }

  private func publish(_ opened: inout Opened) throws -> Salvaged {
    let older = opened.older
    if let failure = opened.failure {
      return Salvaged(directory: older.directory, report: SalvageReport(), failure: failure)
    }
    let report = try opened.salvage?.publish() ?? SalvageReport()
    // What kept it from being read, and is no damage, may pass.
    if let refusal = opened.salvage?.refusal ?? opened.refusal { throw refusal }
    return Salvaged(directory: older.directory, report: report, failure: report.cause)
  }

  /// Imports what was published, and then what stands behind the holes that were given up.
  ///
  /// What others have dropped something from comes last, unless all of them had heeded that.
  ///
  /// - parameter isAll: whether these are all; another one may hold what was given up in these.
  private func importAll(
    of opened: [Opened], isAll: Bool, into device: Device
  ) throws -> ImportReport {
    var opened = opened
    let heeded = opened.compactMap { $0.salvage?.heeded }
    let originals = try Importer(device: device).importOriginals(
      besides: heeded.dropFirst().reduce(heeded.first ?? []) { $0.intersection($1) })
    var all = try Importer(device: device).importAll().added(to: originals)
    let refused = opened.reduce(into: Set()) { $0.formUnion($1.salvage?.refused ?? []) }
    while isAll {
      var isProgressing = false
      for index in opened.indices
      where try opened[index].salvage?.giveUp(besides: refused) == true {
        isProgressing = true
        // Another one may give up more of the same stream: not past what can be imported now.
        break
      }
      guard isProgressing else { break }
      all = try Importer(device: device).importAll().added(to: all)
    }
    for one in opened { try device.database.noteGone(one.salvage?.streams ?? []) }
    return all
  }

  /// Notes how much a database has given; not all, as long as what it gave up waits for others.
  private func note(
    _ report: SalvageReport, of opened: Opened, isAll: Bool, in device: Device
  ) throws {
    let older = opened.older
    let isHeld = try report.names.allSatisfy { stream, names in
      try device.database.missingSegments(of: stream, among: names).isEmpty
    }
    let isPublished = opened.salvage?.rejection == nil
    try note(
      SalvageRecord(
        target: older.target,
        isComplete: isAll && report.unreadable == 0 && isHeld && isPublished,
        unreadable: report.unreadable, isPublished: isPublished, place: older.record?.place),
      in: older.directory)
  }

  /// Whether a database with this error is damaged, which is what recovering is for; else time or
  /// the user may mend it.
  ///
  /// Memory that is short, or another process, says nothing about the database: what it holds would
  /// be left behind. A disk that cannot be read is damage: it may never be again, and what can be
  /// read of the rest is wanted.
  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as FileError: [.noSuchFileOrDirectory, .notDirectory].contains(error.errno)
    case StorageError.damaged, StorageError.failed, StorageError.noDevice: true
    case is StorageError, is CancellationError: false
    // A segment in it that has rotted, or a state in which there is no device to be opened.
    default: true
    }
  }

  /// Opens a database that must be there: SQLite would make one.
  func existingStore(in directory: FilePath) throws -> StoreDatabase {
    _ = try files.status(of: directory.appending("store.sqlite"))
    return try store(in: directory, for: .salvage)
  }
}

/// Why an older database's content could not be published; it is kept, and gone on with later.
package struct SalvageError: Error {
  /// Where it is kept.
  package let directory: FilePath
  package let cause: any Error
}
