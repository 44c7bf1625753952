import DocumentStorage
import Foundation
import Syncing

/// What an import found and did.
public struct ImportSummary: Sendable {
  /// How many segment files were applied.
  public let segments: Int
  /// How many transactions of other devices were applied.
  public let transactions: Int
  /// How many operations they had.
  public let operations: Int
  /// How many documents changed.
  public let documents: Int
  /// How many transactions of this device were brought into the folder.
  public let published: Int
  /// How many documents were written anew, which others had deleted and forgotten while they were
  /// edited here.
  ///
  ///     if summary.revived > 0 { print("deleted elsewhere, and kept for your edits") }
  ///
  /// Only a device that was away for longer than the others wait, 90 days unless they say
  /// otherwise, has any. Each is a conflict of kind ``Conflict/Kind/delete``, on every device.
  public let revived: Int
  /// How many removals that had waited on this device were given up, since somebody had written
  /// there meanwhile without having seen them: what they were to take away stays.
  public let removalsGivenUp: Int
  /// What has not arrived though later parts have.
  public let gaps: [Gap]
  /// The files that cannot be imported as they are; each is looked at again when it changes.
  public let setAside: [SetAsideFile]
  /// Why transactions of this device could not be published, if so.
  public let publishingFailure: FeedSyncError?
}

/// Transactions that are missing, though later ones of the same device are here.
public struct Gap: Hashable, Sendable {
  /// Whose they are.
  public let device: DeviceDescription
  /// The first and the last that is missing.
  public let transactions: ClosedRange<UInt64>
  /// Since when that is known.
  public let since: Date
}

/// A file in the folder that cannot be imported as it is.
public struct SetAsideFile: Hashable, Sendable {
  /// Where it stands below the container's folder, such as `logs/…/….log`.
  public let path: String
  /// Why: `incomplete`, `damaged`, `newer`, `other-container`, `not-a-file`, `unreadable` or
  /// `branch`, as the page <doc:Troubleshooting> explains them.
  public let reason: String
  /// More about it, for people.
  public let detail: String?
}

extension DocumentStore {
  /// Imports all that has arrived from other devices, and publishes what waits here.
  ///
  ///     let summary = try store.importAll()
  ///     print("\(summary.documents) documents changed")
  ///
  /// Files that cannot be imported are no error: they are named in the summary.
  /// - parameter progress: Called as files have been read, with how many of how many; in no
  ///   transaction, so that it may read, or wait for who does.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or another container;
  ///   `.tryAgain` if another process holds the database for half a minute. `CancellationError`
  ///   if the task was cancelled: what was imported until then stays.
  @discardableResult
  public func importAll(
    progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> ImportSummary {
    do {
      let importer = Importer(device: device)
      var (done, total) = (0, 0)
      importer.onProgress = { now in
        // As operations are written it is called inside of the transaction that writes them.
        guard (now.files, now.totalFiles) != (done, total) else { return }
        (done, total) = (now.files, now.totalFiles)
        progress(done, total)
      }
      importer.isStopping = { Task.isCancelled }
      let report = try importer.importAll()
      // What is committed stays; the next import goes on behind it.
      if report.isStopped { throw CancellationError() }
      return ImportSummary(report)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw FeedSyncError(error, operation: "import")
    }
  }

  /// Imports all that has arrived without blocking the caller's thread.
  @discardableResult
  public func importAll() async throws -> ImportSummary {
    try await run { try self.importAll() }
  }
}

extension ImportSummary {
  init(_ report: ImportReport) {
    self.init(
      segments: report.segments, transactions: report.transactions,
      operations: report.operations, documents: report.documents, published: report.published,
      revived: report.revived, removalsGivenUp: report.removalsGivenUp,
      gaps: report.gaps.map { Gap($0) }, setAside: report.setAside.map { SetAsideFile($0) },
      publishingFailure: report.publishingFailure.map {
        FeedSyncError($0, operation: "publish")
      })
  }
}

extension Gap {
  init(_ gap: ImportReport.Gap) {
    self.init(
      device: DeviceDescription(id: gap.stream.description, name: gap.name),
      transactions: gap.first...gap.last,
      since: Date(timeIntervalSince1970: Double(gap.since) / 1000))
  }
}

extension SetAsideFile {
  init(_ record: FileRecord) {
    self.init(path: record.key.path, reason: record.reason.rawValue, detail: record.detail)
  }
}

extension FileKey {
  /// The place below the container; bytes that are not UTF-8 show as U+FFFD.
  package var path: String {
    let parts = [directory, name].filter { !$0.isEmpty }
    return (["logs"] + parts.map { String(decoding: $0, as: UTF8.self) }).joined(separator: "/")
  }
}
