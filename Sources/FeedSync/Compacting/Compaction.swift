import Syncing

/// What a compaction did.
public struct CompactionSummary: Hashable, Sendable {
  /// How many files became part of larger ones, and how many those are.
  public let joinedFiles: Int
  /// How many larger files were written.
  public let writtenFiles: Int
  /// How many files are gone, since a larger one has what they held.
  public let removedFiles: Int
  /// How many of those have to stay for now; see ``FolderUsage/waitingFiles``.
  public let waitingFiles: Int
  /// How many operations were left out for good, since nobody needs them; this version keeps all.
  public let droppedOperations: Int
  /// How many copies were made of attachments' content that others keep, since what this device
  /// wrote refers to it.
  public let copiedBlobs: Int
  /// How many of this device's copies of attachments' content are gone, since nothing has referred
  /// to them for ``CompactionSettings/grace``.
  public let removedBlobs: Int
  /// How many of them stay for now, though nothing refers to them.
  public let waitingBlobs: Int
  /// Whether it came to its end; else the next one goes on with the rest.
  public let isFinished: Bool
}

extension DocumentStore {
  /// Looks after this device's files in the folder: says what this device has received, if that has
  /// stood unsaid for long, joins small files into large ones, and removes what those replace.
  ///
  ///     let summary = try store.compact(for: .seconds(1))
  ///     if !summary.isFinished { print("more to do") }
  ///
  /// No document, conflict or version changes by it. All threads and processes may read and write
  /// meanwhile, and an interruption at any point loses nothing.
  /// - parameter budget: For how long it may go on; it ends after the file at hand, and the next
  ///   one goes on with the rest. Nil for as long as it takes. Cancelling the task ends it, too.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or another container;
  ///   `.cannotWrite` if the folder or the disk is full, `.tryAgain` if another process holds the
  ///   database for half a minute, `.configuration` if the settings cannot be read.
  @discardableResult
  public func compact(for budget: Duration? = nil) throws -> CompactionSummary {
    try wording("compact") {
      CompactionSummary(try upkeep(for: budget ?? .seconds(Self.noBudget)).run())
    }
  }

  /// The same, if nobody has done it for ``CompactionSettings/interval``: for programs that sync
  /// now and then, and do it each time.
  ///
  ///     try store.importAll()
  ///     try store.compactIfDue()
  ///
  /// - parameter budget: For how long it may go on; nil for ``CompactionSettings/budget``.
  /// - returns: What it did; nil if it was not due.
  /// - throws: As `compact`.
  @discardableResult
  public func compactIfDue(for budget: Duration? = nil) throws -> CompactionSummary? {
    try wording("compact") {
      try upkeep(for: budget).runIfDue().map { CompactionSummary($0) }
    }
  }

  /// Compacts without blocking the caller's thread.
  @discardableResult
  public func compact(for budget: Duration? = nil) async throws -> CompactionSummary {
    try await run { try self.compact(for: budget) }
  }

  /// Compacts, if that is due, without blocking the caller's thread.
  @discardableResult
  public func compactIfDue(for budget: Duration? = nil) async throws -> CompactionSummary? {
    try await run { try self.compactIfDue(for: budget) }
  }

  /// Longer than any process lives, in seconds.
  private static let noBudget: Int64 = 1 << 32

  private func upkeep(for budget: Duration?) throws -> Upkeep {
    var upkeep = Upkeep(device: device, settings: try upkeepSettings())
    if let budget { upkeep.budget = max(budget.milliseconds, 0) }
    upkeep.isStopping = { Task.isCancelled }
    return upkeep
  }
}

extension CompactionSummary {
  init(_ report: CompactionReport) {
    self.init(
      joinedFiles: report.joined, writtenFiles: report.written,
      removedFiles: report.removed.count, waitingFiles: report.waiting,
      droppedOperations: report.dropped, copiedBlobs: report.blobs.copied,
      removedBlobs: report.blobs.removed.count, waitingBlobs: report.blobs.waiting,
      isFinished: !report.isStopped)
  }
}
