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
    /// Why it could not be opened.
    fileprivate var failure: (any Error)?
    /// Why not all could be handed over that needs no folder.
    fileprivate var refusal: (any Error)?
  }

  /// Stops all writes into the databases whose place a device has taken and that have not given all
  /// yet, and hands over what needs no folder.
  func handOver(to device: Device) throws -> [Opened] {
    var opened = try olderDatabases(of: device.record.container).filter { !$0.isSalvaged }
      .compactMap { try open($0, for: device) }
    var taken: Set<[UInt8]> = []
    for index in opened.indices {
      opened[index].salvage?.stopWrites()
      taken.formUnion(opened[index].salvage?.taken() ?? [])
    }
    for index in opened.indices {
      do {
        try opened[index].salvage?.handOver(taken: taken)
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
      guard let record = try source.device() else { return Opened(older: older) }
      if older.isAdopted, !older.isWhereNoted(record) { return nil }
      return Opened(
        older: older, salvage: Salvage(source: source, record: record, target: device))
    } catch {
      return Opened(older: older, failure: error)
    }
  }

  /// Publishes into a device's folder what those databases hold: all that can be, also after one
  /// that the folder does not take.
  ///
  /// Interrupted at any point, it can be repeated: what is there already is left as it is. Only
  /// when all of a database is in the folder, durably, is that noted.
  ///
  /// - throws: ``SalvageError`` if the folder, or the device's own database, does not take it.
  func publish(_ opened: [Opened], into device: Device) throws -> [Salvaged] {
    var salvaged: [Salvaged] = []
    var failure: SalvageError?
    for one in opened {
      do {
        salvaged.append(try publish(one))
      } catch {
        failure = failure ?? SalvageError(directory: one.older.directory, cause: error)
      }
    }
    if let failure { throw failure }
    try forgetRebuilding(directory(of: device.record.container))
    return salvaged
  }

  private func publish(_ opened: Opened) throws -> Salvaged {
    let older = opened.older
    if let failure = opened.failure {
      return Salvaged(directory: older.directory, report: SalvageReport(), failure: failure)
    }
    var salvage = opened.salvage
    let report = try salvage?.publish() ?? SalvageReport()
    if let refusal = opened.refusal { throw refusal }
    try note(
      SalvageRecord(
        target: older.target, isComplete: report.unreadable == 0, unreadable: report.unreadable,
        place: older.record?.place), in: older.directory)
    return Salvaged(directory: older.directory, report: report, failure: report.cause)
  }

  /// Opens a database that must be there: SQLite would make one.
  private func existingStore(in directory: FilePath) throws -> StoreDatabase {
    _ = try files.status(of: directory.appending("store.sqlite"))
    return try store(in: directory)
  }
}

/// Why an older database's content could not be published; it is kept, and gone on with later.
package struct SalvageError: Error {
  /// Where it is kept.
  package let directory: FilePath
  package let cause: any Error
}
