import DocumentStorage
import FolderWatching
import Replication
import Syncing
import SystemFiles
import SystemPackage

/// The changes of a store as they are committed: by this process, by other processes of this
/// device, and by imports of what other devices wrote.
///
///     let changes = store.changes  // From here on nothing is missed.
///     show(try await store.read { … })
///     for try await change in changes { show(try await store.read { … }) }
///
/// It ends when the task that iterates is cancelled, and throws ``FeedSyncError`` if the database
/// fails, another program makes it anew, or another container stands under the folder's path.
///
/// Each iterator delivers every change; one that is slow misses none, as long as it is not 4,096
/// commits or a megabyte of them behind: then it is told of it, by
/// ``StoreChange/Extent/everything``.
public struct StoreChanges: AsyncSequence, Sendable {
  let store: DocumentStore
  let start: Result<ChangePosition, FeedSyncError>
  let isImporting: Bool

  /// Begins to deliver what was committed after the sequence was made.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(store: store, isImporting: isImporting), start: start)
  }

  /// Delivers changes one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription
    private var position: Result<ChangePosition, FeedSyncError>
    private var waiting: ArraySlice<StoreChange> = []
    private var isOver = false

    init(subscription: Subscription, start: Result<ChangePosition, FeedSyncError>) {
      self.subscription = subscription
      position = start
    }

    /// Waits for the next change; nil once the task is cancelled.
    public mutating func next() async throws -> StoreChange? {
      guard !isOver else { return nil }
      // Set back where there is something to deliver: after a failure, it is over.
      isOver = true
      let change = try await nextChange()
      isOver = change == nil
      return change
    }

    private mutating func nextChange() async throws -> StoreChange? {
      while !Task.isCancelled {
        if let change = waiting.popFirst() {
          position = .success(change.position)
          return change
        }
        try subscription.checkDatabase()
        waiting = try await subscription.changes(after: try position.get())[...]
        guard waiting.isEmpty else { continue }
        try subscription.checkImporting()
        guard await subscription.wait() else { return nil }
      }
      return nil
    }
  }
}

extension DocumentStore {
  /// All that is committed from now on, by whichever process or device.
  ///
  /// While an iterator lives, this process imports what arrives in the folder, as `feedsync watch`
  /// does. If the folder is away, local changes go on; ``importFailure`` says why nothing arrives.
  /// The kernel tells of arriving files for one container in a process; others are looked at every
  /// five seconds.
  public var changes: StoreChanges { changes() }

  /// All that is committed from a point on.
  ///
  /// - parameters:
  ///   - position: The point, kept from a change before, maybe in an earlier run of the program;
  ///     nil for now.
  ///   - isImporting: Whether this process imports what arrives. Without, somebody else has to:
  ///     `feedsync watch`, cron.
  public func changes(
    after position: ChangePosition? = nil, isImporting: Bool = true
  ) -> StoreChanges {
    var start: Result<ChangePosition, FeedSyncError>
    do {
      start = .success(try position ?? database.lastPoint())
    } catch {
      start = .failure(FeedSyncError(error, operation: "follow the store"))
    }
    return StoreChanges(store: self, start: start, isImporting: isImporting)
  }

  /// Why the last look into the folder failed, while this process imports; nil if it did not.
  public var importFailure: FeedSyncError? { importing.failure }
}

/// What an iterator holds while it lives: the signal of commits, and a share in the import.
final class Subscription: Sendable {
  private let store: DocumentStore
  private let signal: FileChangeSignal
  private let importing: ImportingSession.Share?

  init(store: DocumentStore, isImporting: Bool) {
    self.store = store
    let database = store.database.file
    let name = database.lastComponent?.string ?? ""
    signal = FileChangeSignal(
      directory: database.removingLastComponent(), names: [name + "-wal"])
    importing =
      isImporting
      ? store.importing.share(store.container.device, wake: { [weak signal] in signal?.wake() })
      : nil
  }

  func changes(after position: ChangePosition) async throws -> [StoreChange] {
    let database = store.database
    return try await store.run {
      do {
        return try Self.changes(of: database, after: position)
      } catch {
        throw FeedSyncError(error, operation: "follow the store")
      }
    }
  }

  static func changes(
    of database: StoreDatabase, after position: ChangePosition
  ) throws -> [StoreChange] {
    switch try database.changes(after: position.rawValue, digest: position.digest) {
    case .missed(let last):
      return [StoreChange(missedUpTo: try database.point(after: last))]
    case .commits(let commits):
      guard !commits.isEmpty else { return [] }
      // Read each time: the device may go on under another stream.
      let streams = try database.streamSummaries()
      let names = Dictionary(uniqueKeysWithValues: streams.map { ($0.stream, $0.name) })
      return commits.map { commit in
        StoreChange(commit, isOwn: { Self.isOwn($0, among: streams) }) { names[$0] ?? nil }
      }
    }
  }

  /// Whether a local commit changed something; under a former stream another may write, too.
  private static func isOwn(
    _ origin: CommittedChange.Origin, among streams: [StreamSummary]
  ) -> Bool {
    streams.contains { stream in
      stream.stream == origin.stream
        && (stream.isOwn || stream.wasOwn && origin.sequence != nil)
    }
  }

  /// Waits until something may have been committed; false if the task was cancelled.
  func wait() async -> Bool {
    for await _ in signal.changes { return true }
    return false
  }

  /// - throws: That the database is not that of the device any more: `feedsync rebuild` has made
  ///   another one, or `feedsync leave` has removed it. What is written to the former by others is
  ///   seen by nobody, and theirs is not seen here.
  func checkDatabase() throws(FeedSyncError) {
    guard let original = store.original else { return }
    let file = store.database.file
    let now: FileStatus?
    do throws(FileError) {
      now = try LinuxFileSystem().status(of: file)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { return }
      now = nil
    }
    guard now.map({ !$0.isSameFile(as: original) }) ?? true else { return }
    throw FeedSyncError(
      .tryAgain, operation: "follow the store", file: file.string,
      message: "the database was removed, or made anew by another program",
      hint: "open the container and its store again")
  }

  /// - throws: What has ended the import for good.
  func checkImporting() throws(FeedSyncError) {
    guard let fatal = importing?.fatalError else { return }
    try checkDatabase()
    throw fatal
  }
}
