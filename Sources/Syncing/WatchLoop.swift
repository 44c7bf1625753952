import DocumentStorage
import FolderWatching
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// Scans, and tells what is new since the scan before.
package struct WatchLoop {
  private let importer: Importer
  private var gaps: Set<ImportReport.Gap> = []
  private var setAside: [FileKey: FileRecord.Reason] = [:]
  /// What failed in the scan before, if something did.
  private var failure: String?
  /// How many scans have failed, one after another.
  private var failures = 0

  /// When to scan anew, if the last scan failed in a way that a later one may find mended.
  ///
  /// Soon, and then ever later, since what lasts may last for weeks; soon again where something
  /// else fails than before, since that may be on its way back.
  package var retryDelay: Duration? {
    guard failure != nil else { return nil }
    return min(Self.firstRetry * (1 << min(failures - 1, 10)), Self.lastRetry)
  }

  private static let firstRetry = Duration.seconds(5)
  private static let lastRetry = Duration.seconds(60)

  /// - parameter isFailing: Whether the last look of whoever looked before had failed.
  package init(
    device: Device, limits: ImportPart.Limits = .standard, isFailing: Bool = false
  ) {
    failure = isFailing ? "" : nil
    importer = Importer(device: device, limits: limits)
    // A scan does not wait for anything, so a first one that takes minutes has to ask.
    importer.isStopping = { Task.isCancelled }
  }

  /// Imports what has come.
  ///
  /// - parameter onImport: called after each commit; without it, imports are told in the result.
  /// - returns: what else there is to tell, in order.
  package mutating func scan(
    _ directories: Set<FilePath.Component>?, onImport: ((WatchEvent) throws -> Void)? = nil
  ) throws -> [WatchEvent] {
    var events: [WatchEvent] = []
    func tell(_ event: WatchEvent) throws {
      if let onImport { try onImport(event) } else { events.append(event) }
    }
    importer.onPart = { part in for from in part.devices { try tell(.imported(from)) } }
    importer.onRevived = { count in try tell(.revived(count)) }
    importer.onRemovalsGivenUp = { count in try tell(.removalsGivenUp(count)) }
    defer {
      importer.onPart = { _ in }
      importer.onRevived = { _ in }
      importer.onRemovalsGivenUp = { _ in }
      failures = failure == nil ? 0 : failures + 1
    }
    // What failed may have left files anywhere, so that only a look at all of them is a success.
    let directories = failure == nil ? directories : nil
    do {
      let report = try importer.importAll(in: directories)
      if report.isStopped { throw CancellationError() }
      // No later scan will publish either.
      if let failure = report.publishingFailure, Self.isFinal(failure) { throw failure }
      events += news(in: report)
      if failure != nil, report.publishingFailure == nil {
        failure = nil
        events.append(.recovered)
      }
      return events
    } catch {
      // To one who is cancelled a folder that is slow to answer seems to be away.
      guard !importer.isStopping() else { throw CancellationError() }
      guard let failure = Self.passing(error) else { throw error }
      return failed(failure, after: events)
    }
  }

  /// Whether this process can do no more with its database.
  private static func isFinal(_ error: any Error) -> Bool {
    switch error {
    case StorageError.newerSchema, StorageError.replaced: true
    default: false
    }
  }

  /// A failure that a later scan may find mended; nil for others.
  private static func passing(_ error: any Error) -> (any Error & Sendable)? {
    switch error {
    case let error as FileError: error
    // Unmounted, emptied, half written: absence means nothing, so wait for its return. Another
    // container is another matter.
    case let error as ContainerError where error.isAbsence: error
    // A later scan finds what this one could not store.
    case StorageError.busy, StorageError.full, StorageError.fullTemporary, StorageError.noMemory,
      StorageError.tooManyFiles:
      error
    default: nil
    }
  }

  /// Tells of a failure once: a folder that is away for a night is not a line every few seconds.
  private mutating func failed(
    _ error: any Error & Sendable, after events: [WatchEvent]
  ) -> [WatchEvent] {
    let text = (error as? FileError)?.withoutTemporaryName ?? "\(error)"
    guard failure != text else { return events }
    failure = text
    failures = 0
    return events + [.failed(error)]
  }

  private mutating func news(in report: ImportReport) -> [WatchEvent] {
    var events: [WatchEvent] = []
    if let failure = report.publishingFailure { events = failed(failure, after: events) }
    events += report.restored.map { .restored($0) }
    events += report.gaps.filter { !gaps.contains($0) }.map { .gap($0) }
    events += report.setAside.filter { setAside[$0.key] != $0.reason }.map { .setAside($0) }
    gaps = Set(report.gaps)
    setAside = Dictionary(
      report.setAside.map { ($0.key, $0.reason) }, uniquingKeysWith: { first, _ in first })
    return events
  }
}

extension FileError {
  /// What failed, the same for each attempt: temporaries have another name each time.
  fileprivate var withoutTemporaryName: String {
    let place = path.lastComponent?.string.hasPrefix(".feedsync-") == true ? path.parent : path
    return "\(operation) \(place) \(errno.rawValue)"
  }
}
