import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Coordinates accesses to files and folders with other threads and processes of this machine.
///
/// Readers overlap; a writer waits for all others, and they for it, each in turn. Before an access,
/// presenters of the item are asked to give way. Accesses of one coordinator, and of coordinators
/// with the same purpose, never wait for each other.
///
///     let coordinator = try FileCoordinator(domain)
///     try coordinator.write("/home/ann/Sync/notes.txt") { path in
///       try text.write(toFile: path.string, atomically: false, encoding: .utf8)
///     }
///
/// It is advisory: a program that does not coordinate, such as a syncer, is not held up, and no
/// other machine is. An access lasts until its accessor returns; what the accessor leaves to other
/// threads is not covered. A claim made inside of an accessor that waits for one who waits for that
/// accessor fails with ``CoordinationError/deadlock(path:among:)``. That is known of claims made on
/// the accessor's thread and in its tasks; one that it has another thread make, and waits for, goes
/// on until its time-out (``CoordinationError/isInOwnWay``).
///
/// The counterpart of `NSFileCoordinator`.
public final class FileCoordinator: Sendable {
  /// How long presenters may take to answer, unless a coordinator says otherwise.
  public static let defaultPatience = Duration.seconds(5)

  struct State {
    var isCancelled = false
    /// What ends each access that waits for a file system, its turn, or then its queue.
    var waiting: [CoordinationKey: @Sendable () -> Void] = [:]
    /// The items of accesses that take place.
    var active: [CoordinationKey: [ClaimedItem]] = [:]
    var batches: Set<CoordinationKey> = []
  }

  let domain: CoordinationDomain
  let state = Mutex(State())
  let resolver: ItemResolver
  let presenter: WeakPresenter
  let patience: Duration
  let onWait: (@Sendable ([CoordinationHolder]) -> Void)?
  let onLapse: (@Sendable (PresenterLapse) -> Void)?

  /// Coordinators with the same one never wait for each other, in whatever processes they are.
  public let purposeIdentifier: String

  /// Makes a coordinator.
  ///
  /// - parameters:
  ///   - domain: those that it coordinates with.
  ///   - filePresenter: on whose behalf it works: it is sent no message for these accesses, and
  ///     what it writes when asked to save does not wait for whoever asked.
  ///   - purposeIdentifier: 1 to 256 bytes; nil for one of its own.
  ///   - folder: the folder that no item may be outside of, links followed; nil: anywhere.
  ///   - patience: how long presenters may take to answer before they are not waited for.
  ///   - onWait: hears whom an access waits for, if it has to wait: on a queue of the domain, in
  ///     order, which no access waits for. Where it blocks, other coordinators hear nothing either,
  ///     and the access may be granted before it returns.
  ///   - onLapse: hears likewise of presenters that did not answer in time.
  public convenience init(
    _ domain: CoordinationDomain, filePresenter: (any FilePresenter)? = nil,
    purposeIdentifier: String? = nil, folder: FilePath? = nil,
    patience: Duration = FileCoordinator.defaultPatience,
    onWait: (@Sendable ([CoordinationHolder]) -> Void)? = nil,
    onLapse: (@Sendable (PresenterLapse) -> Void)? = nil
  ) throws {
    try self.init(
      domain, filePresenter: filePresenter, purposeIdentifier: purposeIdentifier,
      resolver: try ItemResolver(folder: folder), patience: patience, onWait: onWait,
      onLapse: onLapse)
  }

  package init(
    _ domain: CoordinationDomain, filePresenter: (any FilePresenter)? = nil,
    purposeIdentifier: String? = nil, resolver: ItemResolver,
    patience: Duration = FileCoordinator.defaultPatience,
    onWait: (@Sendable ([CoordinationHolder]) -> Void)? = nil,
    onLapse: (@Sendable (PresenterLapse) -> Void)? = nil
  ) throws {
    self.domain = domain
    presenter = WeakPresenter(filePresenter)
    self.resolver = resolver
    self.patience = patience
    self.onWait = onWait
    self.onLapse = onLapse
    let own = domain.node.nextKey()
    self.purposeIdentifier = purposeIdentifier ?? "own-\(own.member)-\(own.number)"
    guard !self.purposeIdentifier.isEmpty else { throw CoordinationError.emptyPurpose }
    guard self.purposeIdentifier.utf8.count <= ClaimRequest.maximumPurposeBytes else {
      throw CoordinationError.overLimit(path: self.purposeIdentifier)
    }
  }

  var node: CoordinationNode { domain.node }

  /// Cancels whatever waits, for its queue, too, and all accesses from now on; one that takes place
  /// goes on.
  ///
  /// Returns at once, from any thread. Presenters that were asked are not waited for. A thread that
  /// makes a blocking access, and that a file system keeps whose server is gone, goes on when that
  /// lets it go.
  public func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return state.waiting
    }
    for end in waiting.values { end() }
  }
}

/// A presenter that is not kept alive.
final class WeakPresenter: Sendable {
  private let stored: Mutex<Box>
  private struct Box { weak var presenter: (any FilePresenter)? }

  init(_ presenter: (any FilePresenter)?) { stored = Mutex(Box(presenter: presenter)) }

  var value: (any FilePresenter)? { stored.withLock { $0.presenter } }
}
