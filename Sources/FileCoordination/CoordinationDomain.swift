import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// The programs that coordinate with one another: those of one user, on one machine, that name the
/// same directory for their state.
///
/// Locks and sockets are in that directory, never beside the files. Every process of a domain may
/// come to keep the queue, and the next takes over when that one ends.
///
/// - throws: Its methods throw ``CoordinationError``.
public final class CoordinationDomain: Sendable {
  let node: CoordinationNode

  /// By the bytes of their paths: two that look the same are two.
  private static let known = Mutex<[[UInt8]: CoordinationDomain]>([:])
  private static let folderName = "coordination"
  /// How long the process that keeps the queue may take to note a presenter.
  private static let patience = Duration.seconds(10)

  package init(node: CoordinationNode) { self.node = node }

  /// The domain of a state directory, which has to be there; the same object for the same one.
  ///
  ///     let domain = try CoordinationDomain.inState("/home/ann/.local/share/feedsync")
  ///     let coordinator = try FileCoordinator(domain)
  ///
  /// - throws: ``CoordinationError/unsafePlace(path:_:)`` if others could reach into it.
  public static func inState(_ state: FilePath) throws -> CoordinationDomain {
    let directory = try Self.canonical(state).appending(folderName)
    return try known.withLock { known in
      if let domain = known[directory.bytes] { return domain }
      let place = try CoordinationPlace(directory)
      let domain = CoordinationDomain(node: CoordinationNode(place: place))
      known[directory.bytes] = domain
      return domain
    }
  }

  private static func canonical(_ state: FilePath) throws(CoordinationError) -> FilePath {
    do {
      return try LinuxFileSystem().canonicalPath(of: state)
    } catch {
      throw .system(operation: "find", path: state.string, errno: error.errno.rawValue)
    }
  }

  /// Registers a presenter, which is not kept alive by it; one that is registered stays as it is,
  /// until it is taken away as often.
  ///
  /// When it returns, whoever touches the item asks the presenter first. Done inside of an accessor
  /// that reads the item, no change made after that is missed.
  ///
  /// - throws: ``CoordinationError/overLimit(path:)`` for more than 10,000 of a process.
  public func addFilePresenter(_ presenter: any FilePresenter) throws {
    let path = try Self.item(of: presenter)?.path
    let key = node.nextKey()
    let waiter = Waiter<Void>()
    // Before it is seen: a process that finds another arbiter just then names it, too, and is told.
    node.state.withLock { $0.registrations[key] = waiter }
    let added: (first: Waiter<Void>?, ended: CoordinationKey?)
    do throws(CoordinationError) {
      added = try node.presenters.add(presenter, key: key, path: path, waiter)
    } catch {
      node.state.withLock { $0.registrations[key] = nil }
      throw error
    }
    if let ended = added.ended { unpresent(ended) }
    if let first = added.first {
      node.state.withLock { $0.registrations[key] = nil }
      return try wait(forRegistration: first)
    }
    do throws(CoordinationError) {
      // Before it is said: the arbiter may end in between.
      try node.notePresented(key)
      try node.post(.present(PresenterRecord(key: key, path: path), gaveWayTo: []))
      try wait(forRegistration: waiter)
    } catch {
      node.state.withLock { $0.registrations[key] = nil }
      node.presenters.remove(key)
      try? node.notePresented(key)
      waiter.finish(.failure(error))
      throw error
    }
  }

  /// Until then others would touch the item without asking.
  private func wait(forRegistration waiter: Waiter<Void>) throws(CoordinationError) {
    guard let result = waiter.wait(for: Self.patience) else {
      throw .noArbiter(path: node.place.socketText, errno: ETIMEDOUT)
    }
    try result.get()
  }

  /// Takes a presenter away; as often as it was added, or once where it does so as it ends.
  ///
  /// It waits for nobody, and may be called in a `deinit`.
  public func removeFilePresenter(_ presenter: any FilePresenter) {
    guard let key = node.presenters.takeBack(presenter) else { return }
    unpresent(key)
  }

  private func unpresent(_ key: CoordinationKey) {
    // Where it cannot be written, the next arbiter asks it without need.
    try? node.notePresented(key)
    node.postEnd(.unpresent(key))
  }

  /// The registered presenters of this process.
  public var filePresenters: [any FilePresenter] { node.presenters.all }

  /// Who claims what now, and who waits for whom.
  ///
  /// - parameter timeout: how long the process that keeps the queue may take.
  public func report(timeout: Duration = .seconds(5)) throws -> CoordinationReport {
    let waiter = Waiter<CoordinationReport>()
    let number = node.nextKey().number
    try node.connect(until: MonotonicTime.now + timeout)
    let link = node.state.withLock { state in
      state.reports[number] = { waiter.finish(.success($0)) }
      return state.link
    }
    node.send(.status(number: number), by: link)
    guard let result = node.wait(for: waiter, limit: timeout) else {
      node.state.withLock { state in
        state.reports[number] = nil
        state.reportParts.forget(number)
      }
      throw CoordinationError.noArbiter(path: node.place.socketText, errno: ETIMEDOUT)
    }
    return try result.get()
  }

  /// Tells presenters of a change that was not coordinated, as a watcher sees it.
  public func reportUncoordinatedChange(at path: FilePath) throws {
    let item = try ItemResolver(folder: nil).resolve(path, followingLink: false).path
    try node.post(.changed(item))
  }

  /// Tells presenters, the caller's own included, what happened to a version of a file.
  public func report(_ event: FileVersionEvent, version: String, at path: FilePath) throws {
    let item = try ItemResolver(folder: nil).resolve(path, followingLink: false).path
    try node.post(.version(event, at: item, id: version))
  }

  /// Asks a presenter again where its item is.
  func refresh(_ presenter: any FilePresenter, _ key: CoordinationKey) throws {
    let item = try Self.item(of: presenter)
    let isThere = item?.status != nil
    guard node.presenters.note(item?.path, isThere: isThere, saidBy: key) else { return }
    // Where it cannot be written, what this process says when it is back is right all the same.
    try? node.notePresented(key)
    try node.post(.present(PresenterRecord(key: key, path: item?.path), gaveWayTo: []))
  }

  private static func item(
    of presenter: any FilePresenter
  ) throws -> (path: ItemPath, status: FileStatus?)? {
    guard let path = presenter.presentedItemPath else { return nil }
    let found = try ItemResolver(folder: nil).resolve(path, followingLink: false)
    return (found.path, found.status)
  }

  /// Ends this process's part, as its end would.
  package func close() {
    node.close()
    Self.known.withLock { known in
      for (path, domain) in known where domain === self { known[path] = nil }
    }
  }
}
