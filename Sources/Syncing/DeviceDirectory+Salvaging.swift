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

  /// Publishes into a device's folder what the databases hold whose place it has taken, and have
  /// not given yet.
  ///
  /// Interrupted at any point, it can be repeated: what is there already is left as it is. Only
  /// when all of a database is in the folder, durably, is that noted.
  ///
  /// - throws: ``SalvageError`` if the folder, or the device's own database, does not take it.
  func salvageOlder(into device: Device) throws -> [Salvaged] {
    try olderDatabases(of: device.record.container).filter { !$0.isSalvaged }
      .compactMap { try salvage($0, into: device) }
  }

  /// - returns: nil if it is in use elsewhere.
  private func salvage(_ older: OlderDatabase, into device: Device) throws -> Salvaged? {
    let source: StoreDatabase
    let record: DeviceRecord?
    do {
      source = try existingStore(in: older.directory)
      record = try source.device()
    } catch {
      return Salvaged(directory: older.directory, report: SalvageReport(), failure: error)
    }
    // Who said `--adopt` meant the folder where the other container had been.
    if older.isAdopted, let record, record.path != device.container.root { return nil }
    do {
      // One that never became a device has nothing to give.
      let report = try record.map { try salvage(source, of: $0, into: device) } ?? SalvageReport()
      try note(
        SalvageRecord(
          target: older.target, isComplete: report.unreadable == 0,
          unreadable: report.unreadable), in: older.directory)
      return Salvaged(directory: older.directory, report: report, failure: report.cause)
    } catch {
      throw SalvageError(directory: older.directory, cause: error)
    }
  }

  private func salvage(
    _ source: StoreDatabase, of record: DeviceRecord, into device: Device
  ) throws -> SalvageReport {
    var salvage = Salvage(source: source, record: record, target: device)
    return try salvage.run()
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
