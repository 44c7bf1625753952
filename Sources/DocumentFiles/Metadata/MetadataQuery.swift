import Synchronization
import SystemPackage

/// The files of a folder of documents, as they come, change, arrive and go.
///
///     let query = MetadataQuery(in: try container.documents(), where: .name("*.txt"))
///     for try await update in query {
///       show(update.result.items)
///     }
///
/// Two phases: everything is gathered and told at once, then what changes is told, as one update
/// for each ``interval``. An update is never a precise event: the folder is read again, and several
/// changes may be one update, or none if they cancel each other out. A slow reader gets one update
/// for all that it has missed.
///
/// The folder is away, or a folder in it cannot be read: what was known is still shown, and
/// ``MetadataResult/problems`` says why. It ends when the task that iterates is cancelled, and
/// throws ``DocumentFileError`` if the folder cannot be read to begin with, or what the container
/// says if another one has taken its place.
///
/// At most 100,000 names are looked at, of folders and hidden ones too, and folders up to 64 deep;
/// those beyond are among the problems. Links are not followed and not shown, nor is what is never
/// synced. The counterpart of `NSMetadataQuery`.
public final class MetadataQuery: AsyncSequence, Sendable {
  /// What a query is about, and how it runs.
  struct Settings: Sendable {
    var selection: MetadataSelection
    var interval: Duration
    /// How often updates have been disabled without being enabled again.
    var frozen = 0
    /// Counts the restarts.
    var generation = 0
  }
  private struct State {
    var settings: Settings
    var followers: [Int: @Sendable () -> Void] = [:]
    var nextFollower = 0
  }
  private let state: Mutex<State>
  let folder: DocumentFolder

  /// A query that begins to look when it is iterated.
  ///
  /// - parameters:
  ///   - predicate: Which files.
  ///   - order: What gives the order; paths decide among equals.
  ///   - scope: Whether conflict copies are files of their own.
  ///   - interval: How long changes are gathered before they are told.
  public init(
    in folder: DocumentFolder, where predicate: MetadataPredicate = .everything,
    order: [MetadataOrder] = [], scope: MetadataScope = .documents,
    interval: Duration = .seconds(1)
  ) {
    self.folder = folder
    state = Mutex(
      State(
        settings: Settings(
          selection: MetadataSelection(predicate: predicate, order: order, scope: scope),
          interval: interval)))
  }

  /// Which files are shown.
  ///
  /// Setting it restarts the query: everything is gathered anew.
  public var predicate: MetadataPredicate {
    get { settings.selection.predicate }
    set { restart { $0.predicate = newValue } }
  }

  /// What gives the order.
  ///
  /// Setting it restarts the query: everything is gathered anew.
  public var order: [MetadataOrder] {
    get { settings.selection.order }
    set { restart { $0.order = newValue } }
  }

  /// Whether conflict copies are files of their own.
  ///
  /// Setting it restarts the query.
  public var scope: MetadataScope {
    get { settings.selection.scope }
    set { restart { $0.scope = newValue } }
  }

  /// How long changes are gathered before they are told.
  public var interval: Duration {
    get { settings.interval }
    set { change { $0.interval = newValue } }
  }

  /// Has nothing told until updates are enabled again, as often as they were disabled.
  ///
  /// What happens meanwhile comes as one update then, a restart as one gathering.
  public func disableUpdates() { change { $0.frozen += 1 } }

  /// Takes back one ``disableUpdates()``; without one it does nothing.
  public func enableUpdates() { change { $0.frozen = Swift.max(0, $0.frozen - 1) } }

  /// Begins to watch when it is asked for the first update, then gathers.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  // MARK: Followers

  var settings: Settings { state.withLock { $0.settings } }

  /// Has something called when the settings change, until it is released.
  func follow(_ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextFollower += 1
      state.followers[state.nextFollower] = wake
      return state.nextFollower
    }
  }

  func release(_ follower: Int) { state.withLock { $0.followers[follower] = nil } }

  private func restart(_ body: (inout MetadataSelection) -> Void) {
    change { settings in
      body(&settings.selection)
      settings.generation += 1
    }
  }

  private func change(_ body: (inout Settings) -> Void) {
    let followers = state.withLock { state in
      body(&state.settings)
      return Array(state.followers.values)
    }
    for wake in followers { wake() }
  }
}

/// What a ``MetadataQuery`` tells.
public enum MetadataUpdate: Hashable, Sendable {
  /// Everything has been gathered, at the beginning or after a restart.
  case gathered(MetadataResult)
  /// What is shown has changed.
  case updated(MetadataResult)

  /// What is shown now.
  public var result: MetadataResult {
    switch self {
    case .gathered(let result), .updated(let result): result
    }
  }
}

extension DocumentFolder {
  /// The files in the folder as they are now: what a ``MetadataQuery`` gathers, once.
  ///
  /// It blocks while it reads.
  ///
  /// - parameter includingGone: Whether documents are shown that are gone, of which versions are
  ///   kept on this machine, see ``MetadataItem/kept``. A query does not show them: it follows the
  ///   folder, and these are not in it.
  public func metadata(
    where predicate: MetadataPredicate = .everything, order: [MetadataOrder] = [],
    scope: MetadataScope = .documents, includingGone: Bool = false
  ) throws -> MetadataResult {
    if let reason = try absence() {
      throw DocumentFileError.folderAway(path: path.string, reason: reason)
    }
    var survey = FolderSurvey(path, hints: NoHints(), look: ambient.look)
    try survey.readAll()
    let selection = MetadataSelection(predicate: predicate, order: order, scope: scope)
    let gone = includingGone ? try goneDocuments().map { MetadataItem($0) } : []
    return selection.view(of: survey.snapshot, and: gone).result(after: .empty)
  }
}
