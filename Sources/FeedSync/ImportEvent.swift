import DocumentStorage
import FolderWatching
import Syncing

/// What happens while a process imports what arrives, as `feedsync watch` prints it.
public enum ImportEvent: Sendable {
  /// Watching has begun and the first look is done; or how changes are found has changed. The text
  /// says why the folder is looked at every few seconds; nil where the kernel tells of changes.
  case watching(pollingReason: String?)
  /// Transactions of one device were imported.
  case imported(from: DeviceDescription, transactions: Int, documentCount: Int)
  /// Something has not arrived though later parts have.
  case gap(Gap)
  /// A file cannot be imported as it is.
  case setAside(SetAsideFile)
  /// A file that had been set aside is whole now, and was imported; its path below the container.
  case restored(String)
  /// So many documents were written anew, which others had deleted and forgotten while they were
  /// edited here; each is a conflict of kind ``Conflict/Kind/delete`` now.
  case revived(documents: Int)
  /// So many removals that had waited on this device were given up, since somebody had written
  /// there meanwhile without having seen them: what they were to take away stays.
  case removalsGivenUp(Int)
  /// A look into the folder failed; watching goes on.
  case failed(FeedSyncError)
  /// The looks succeed again.
  case recovered
}

extension DocumentStore {
  /// Imports what arrives, as it arrives, until the task is cancelled.
  ///
  ///     try await store.watch { event in
  ///       if case .imported(let device, _, let count) = event { print(device.name ?? "", count) }
  ///     }
  ///
  /// To follow the documents, use ``changes``, which imports by itself; this is for services.
  /// - parameter report: Called with each event in order, after the commit that it tells of.
  /// - throws: ``FeedSyncError``: `.noContainer` if another container stands under the folder's
  ///   path; a failing database. A folder that is away is waited for.
  public func watch(_ report: @escaping @Sendable (ImportEvent) -> Void) async throws {
    do {
      try await ImportingSession.run(device) { report(ImportEvent($0)) }
    } catch is CancellationError {
      return
    } catch {
      throw FeedSyncError(error, operation: "watch")
    }
  }
}

extension ImportEvent {
  init(_ event: WatchEvent) {
    self =
      switch event {
      case .watching(let mode), .mode(let mode): .watching(pollingReason: mode.pollingReason)
      case .imported(let from):
        .imported(
          from: DeviceDescription(id: from.stream.description, name: from.name),
          transactions: from.transactions, documentCount: from.documentCount)
      case .gap(let gap): .gap(Gap(gap))
      case .setAside(let record): .setAside(SetAsideFile(record))
      case .restored(let key): .restored(key.path)
      case .revived(let count): .revived(documents: count)
      case .removalsGivenUp(let count): .removalsGivenUp(count)
      case .failed(let error): .failed(FeedSyncError(error, operation: "import"))
      case .recovered: .recovered
      }
  }
}

extension WatchMode {
  fileprivate var pollingReason: String? {
    if case .polling(let reason) = self { reason.description } else { nil }
  }
}
