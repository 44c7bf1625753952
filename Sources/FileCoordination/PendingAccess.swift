import Glibc
import SystemFiles
import SystemPackage

/// One access of a coordinator, from the paths as they were named to the end of the accessor.
struct PendingAccess: Sendable {
  private struct Item {
    let isLink: Bool
    let claimed: ClaimedItem
  }

  /// How much longer than its time-out an access waits for the arbiter to say that it is over.
  static let grace = Duration.seconds(1)

  private let coordinator: FileCoordinator
  private let intents: [FileAccessIntent]
  private let items: [Item]
  private let request: ClaimRequest
  private let timeout: Duration?
  private let notices: AccessNotices

  private var node: CoordinationNode { coordinator.node }
  private var key: CoordinationKey { request.key }
  private var firstPath: String { intents.first?.path.string ?? "" }

  init(
    _ intents: [FileAccessIntent], by coordinator: FileCoordinator, timeout: Duration?,
    isBatch: Bool = false
  ) throws(CoordinationError) {
    self.coordinator = coordinator
    self.intents = intents
    self.timeout = timeout
    guard intents.count <= ClaimRequest.maximumItems else {
      throw .overLimit(path: intents.first?.path.string ?? "")
    }
    var items: [Item] = []
    for intent in intents {
      let found = try coordinator.resolver.resolve(
        intent.path, followingLink: intent.resolvesLink)
      var options = intent.options
      // A package is one document, whose parts are claimed with it anyway. What is a file, or not
      // there yet, may be a folder when the access has its turn; in a file there is nothing.
      if options.mayTakeContentsAlong || found.status?.kind == .directory {
        options.insert(.isDirectory)
      }
      items.append(
        Item(
          isLink: found.status?.kind == .symbolicLink,
          claimed: ClaimedItem(found.path, options)))
    }
    self.items = items
    let now = MonotonicTime.now
    let node = coordinator.node
    notices = AccessNotices(on: node.notices)
    let context = CoordinationContext.current
    let batches = coordinator.state.withLock { $0.batches }
    let parents = Set(context.held.filter { node.isHeld($0) }).union(batches)
      .union(InheritedAccesses.ofProcess)
    request = ClaimRequest(
      key: node.nextKey(), purpose: coordinator.purposeIdentifier,
      presenter: coordinator.presenter.value.flatMap { node.presenters.key(of: $0) },
      items: items.map(\.claimed), isBatch: isBatch, parents: Array(parents),
      answering: context.answering, since: now, deadline: timeout.map { now + $0 },
      patience: coordinator.patience,
      wantsHolders: coordinator.onWait != nil || timeout != nil)
  }

  /// The claim that stands for a batch.
  var batchKey: CoordinationKey { key }

  // MARK: Waiting

  /// Asks for the claim; `body` gets the items' paths once, on any thread.
  ///
  /// - parameter end: ends the access where the coordinator is cancelled; nil: gives up the claim.
  func begin(
    endingBy end: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (Result<[ItemPath], CoordinationError>) -> Void
  ) throws(CoordinationError) {
    let isCancelled = coordinator.state.withLock { state in
      if !state.isCancelled { state.waiting[key] = end ?? { cancel() } }
      return state.isCancelled
    }
    guard !isCancelled else { throw .cancelled(path: firstPath) }
    let (path, coordinator, notices) = (firstPath, coordinator, notices)
    do {
      try node.submit(request) { event in
        switch event {
        case .granted(let paths): body(.success(paths))
        case .failed(let failure): body(.failure(CoordinationError(failure, path: path)))
        case .unreachable(let error): body(.failure(error))
        case .waiting(let holders): notices.tell(holders, coordinator.onWait)
        case .lapsed(let lapse): notices.tell(lapse, coordinator.onLapse)
        }
      }
    } catch {
      stopWaiting()
      throw error
    }
    // It may have been cancelled before there was anything to cancel.
    let isTaskCancelled = withUnsafeCurrentTask { $0?.isCancelled ?? false }
    if isTaskCancelled || coordinator.state.withLock({ $0.isCancelled }) { cancel() }
  }

  /// How long to wait for an arbiter that does not say that the time is up.
  var limit: Duration? { timeout.map { $0 + Self.grace } }

  func wait(_ waiter: Waiter<[ItemPath]>) throws(CoordinationError) -> [ItemPath] {
    guard let result = node.wait(for: waiter, limit: limit) else { throw giveUp() }
    stopWaiting()
    return try result.get()
  }

  /// Ends an access for which nobody answers, and says who should have.
  func giveUp() -> CoordinationError {
    let isHeld = node.isHeld(key)
    // Those that it waited for; by then it may wait for its queue alone.
    var holders = isHeld ? [] : node.holders(before: key)
    if holders.isEmpty, !isHeld, let id = node.arbiterProcess {
      let arbiter = CoordinatingProcess(id: id, name: ProcessName.of(id))
      holders = [CoordinationHolder(process: arbiter, role: .keepsQueue, path: firstPath)]
    }
    giveBack()
    return .timedOut(path: firstPath, waitedFor: holders)
  }

  /// Ends an access of a task that was cancelled before its accessor began.
  func withdraw() -> CoordinationError {
    giveBack()
    return .cancelled(path: firstPath)
  }

  /// Ends a claim whose accessor will not be run, granted or not, or not yet asked for.
  func giveBack() {
    stopWaiting()
    node.cancel(key)
    if node.isHeld(key) { node.release(key, []) }
  }

  func cancel() { node.cancel(key) }

  /// Has the answer be heard, since nobody waits for it on a thread.
  func listen() { node.listen() }

  func stopWaiting() { coordinator.state.withLock { $0.waiting[key] = nil } }

  // MARK: Accessing

  /// Notes that it takes place; ends its claim instead if the coordinator was cancelled after that
  /// was granted, and before it was heard of.
  ///
  /// - parameter note: notes something else in the same moment.
  func takeTurn(
    _ note: (inout FileCoordinator.State) -> Void = { _ in }
  ) throws(CoordinationError) {
    let isCancelled = coordinator.state.withLock { state in
      state.waiting[key] = nil
      if !state.isCancelled { note(&state) }
      return state.isCancelled
    }
    guard isCancelled else { return }
    node.release(key, [])
    throw .cancelled(path: firstPath)
  }

  /// Runs the accessor, and ends the claim when it returns.
  func run<Value>(
    _ paths: [ItemPath], _ accessor: ([FilePath]) throws -> Value
  ) throws -> Value {
    // After the claim's end, so that nobody waits for whoever is slow to hear.
    defer { notices.settle() }
    try takeTurn()
    let before: [FileStatus?]
    do {
      before = try recheck(paths)
    } catch {
      // Nothing was touched, so nobody need be told of a change.
      node.release(key, [])
      throw error
    }
    if intents.contains(where: \.wantsSnapshot) {
      return try runOnSnapshots(paths, before: before, accessor)
    }
    return try access(paths, before: before) { try accessor(paths.map(\.filePath)) }
  }

  private func access<Value>(
    _ paths: [ItemPath], before: [FileStatus?], _ body: () throws -> Value
  ) throws -> Value {
    // By the names that they have by now.
    let granted = zip(paths, items).map { ClaimedItem($0, $1.claimed.options) }
    coordinator.state.withLock { $0.active[key] = granted }
    defer { end(paths, before: before) }
    let value = try withContext(body)
    try checkPromises(paths, before: before)
    return value
  }

  private func withContext<Value>(_ body: () throws -> Value) rethrows -> Value {
    var context = CoordinationContext.current
    context.held.append(key)
    return try CoordinationContext.$current.withValue(context) { try body() }
  }

  private func recheck(_ paths: [ItemPath]) throws(CoordinationError) -> [FileStatus?] {
    var result: [FileStatus?] = []
    for (path, item) in zip(paths, items) {
      result.append(try coordinator.resolver.recheck(path, wasLink: item.isLink))
    }
    return result
  }

  private func end(_ paths: [ItemPath], before: [FileStatus?]) {
    coordinator.state.withLock { $0.active[key] = nil }
    let outcomes = zip(zip(paths, before), intents).map { pair, intent in
      let exists =
        intent.writes && (try? LinuxFileSystem().status(of: pair.0.filePath)) != nil
      return ItemOutcome(existedBefore: pair.1 != nil, existsAfter: exists)
    }
    // Its own write may have made what it presents; said before others may go on.
    if let presenter = coordinator.presenter.value, let own = request.presenter,
      intents.contains(where: \.writes)
    {
      // The access itself is over and well; where the item cannot be found, it stays where it was.
      try? coordinator.domain.refresh(presenter, own)
    }
    node.release(key, outcomes)
  }

  /// Whoever claims attributes alone must leave contents as they are.
  private func checkPromises(
    _ paths: [ItemPath], before: [FileStatus?]
  ) throws(CoordinationError) {
    for (index, intent) in intents.enumerated()
    where intent.kind == .write(.contentIndependentMetadataOnly) {
      let after = FileStamp(paths[index].filePath)
      guard before[index].map({ FileStamp($0) }) == after else {
        throw .contentsChanged(path: paths[index].text)
      }
    }
  }

  // MARK: Snapshots

  private func runOnSnapshots<Value>(
    _ paths: [ItemPath], before: [FileStatus?], _ accessor: ([FilePath]) throws -> Value
  ) throws -> Value {
    var snapshots: [Snapshot?] = []
    defer { for snapshot in snapshots { snapshot?.remove() } }
    do {
      // One by one: those that are made go where a later one fails.
      for (path, intent) in zip(paths, intents) {
        snapshots.append(
          intent.wantsSnapshot ? try Snapshot(of: path.filePath, in: node.place) : nil)
      }
    } catch {
      node.release(key, [])
      throw error
    }
    // The claim is over, unless the access has other parts.
    if snapshots.contains(where: { $0 == nil }) {
      return try access(paths, before: before) {
        try accessor(zip(paths, snapshots).map { $1?.path ?? $0.filePath })
      }
    }
    node.release(key, [])
    return try accessor(snapshots.compactMap { $0?.path })
  }
}

/// The name of a process that has not told it.
enum ProcessName {
  static func of(_ id: Int32) -> String {
    let path = FilePath("/proc/\(id)/comm")
    guard let bytes = try? LinuxFileSystem().contents(of: path, limit: 256).bytes else {
      return "unknown"
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
