import FileCoordination
import SystemFiles
import SystemPackage

/// Whose turn it is to do something with a document's file, one at a time.
struct DocumentTurns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// How many wait that others must not keep waiting.
  fileprivate(set) var urgent = 0

  /// False if somebody has it.
  fileprivate mutating func take() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  fileprivate mutating func wait(_ continuation: CheckedContinuation<Void, Never>, isUrgent: Bool) {
    if isUrgent { waiting.insert(continuation, at: 0) } else { waiting.append(continuation) }
  }

  fileprivate mutating func giveBack() {
    guard !waiting.isEmpty else { return isTaken = false }
    waiting.removeFirst().resume()
  }
}

extension DocumentFile {
  /// Decides on an input and does what follows from it, while nothing else is done.
  ///
  /// - parameter isUrgent: Somebody waits with his access for it. What waits for its own turn at
  ///   the file, possibly behind that access, gives up first.
  /// - returns: The last thing that went wrong.
  @discardableResult
  func perform(_ input: DocumentMachine.Input, isUrgent: Bool = false) async -> (any Error)? {
    await perform(isUrgent: isUrgent) { input }
  }

  /// The same, for what has to be found out when nothing else is done; nil: nothing follows.
  @discardableResult
  func perform(
    isUrgent: Bool = false, _ find: @Sendable () async -> DocumentMachine.Input?
  ) async -> (any Error)? {
    await failures(isUrgent: isUrgent, find).last
  }

  /// The same; all that went wrong, in the order of time.
  private func failures(
    isUrgent: Bool = false, _ find: @Sendable () async -> DocumentMachine.Input?
  ) async -> [any Error] {
    await takeTurn(isUrgent: isUrgent)
    defer { turns.giveBack() }
    guard let input = await find() else { return [] }
    var failures: [any Error] = []
    var actions = machine.input(input)
    while !actions.isEmpty {
      let action = actions.removeFirst()
      // What looked like a newer file to whoever saves may be none: that is told by this.
      if action == .compare { failures.removeAll(where: \.isOfNewerFile) }
      let (result, error) = await carryOut(action, isUrgent: isUrgent)
      if let error { failures.append(error) }
      if let result { actions = machine.input(result) + actions }
    }
    return failures
  }

  /// Does what the document's user has asked for, once more where it gave way to something urgent:
  /// that stands before it in the queue, and is over when it has its turn again.
  ///
  /// What went wrong before it gave way is not forgotten by that: edits that became a version are
  /// not saved, though nothing is left to save.
  func performWhenOthersAreServed(_ input: DocumentMachine.Input) async throws {
    var failure: (any Error)?
    while true {
      let failures = await failures { input }
      failure = failures.last { !$0.isGivingWay } ?? failure
      guard let last = failures.last, last.isGivingWay, machine.state != .closed else {
        if let error = failure ?? failures.last { throw error }
        return
      }
    }
  }

  private func takeTurn(isUrgent: Bool) async {
    guard !turns.take() else { return }
    if isUrgent {
      turns.urgent += 1
      activity?.cancel()
    }
    await withCheckedContinuation { turns.wait($0, isUrgent: isUrgent) }
    if isUrgent { turns.urgent -= 1 }
  }

  /// Does what needs no waiting.
  func start(_ action: DocumentMachine.Action) {
    switch action {
    case .wake(let time):
      // It holds the document, which has something to save.
      Task {
        try? await folder.ambient.sleep(time)
        await perform(.woke(at: folder.ambient.uptime()))
      }
    case .look(let time):
      Task { [weak self, ambient = folder.ambient] in
        if time > .zero { try? await ambient.sleep(time) }
        await self?.look(isPlanned: true)
      }
    case .show(let state): broadcast.send(.state(state))
    case .showContents: broadcast.send(.contents)
    case .end(let closing): end(closing)
    case .save, .reload, .compare, .setAside, .keep: break
    }
  }

  private func carryOut(
    _ action: DocumentMachine.Action, isUrgent: Bool
  ) async -> (DocumentMachine.Input?, (any Error)?) {
    switch action {
    case .save(let stamp): return await save(expecting: stamp, isUrgent: isUrgent)
    // Reading asks others to save, who may be asked to by the same access already, and then wait
    // with that until this has read.
    case .reload where isUrgent: return (.reloadPostponed, nil)
    case .reload: return await reload()
    case .compare: return await compare()
    case .setAside: return await setAside(isUrgent: isUrgent)
    case .keep: return await keep(isUrgent: isUrgent)
    default:
      start(action)
      return (nil, nil)
    }
  }

  private func setAside(isUrgent: Bool) async -> (DocumentMachine.Input?, (any Error)?) {
    do {
      let bytes = try contents.documentBytes()
      _ = try await alone(isUrgent) { [self] in
        try await folder.setAside(bytes, of: path, by: presenter)
      }
      return (.setAside, nil)
    } catch CoordinationError.cancelled(let path) {
      return (.followingPostponed, CoordinationError.cancelled(path: path))
    } catch {
      return (.setAsideFailed, error)
    }
  }

  /// Whether the file has what it had; whoever saves is told if it has not.
  private func compare() async -> (DocumentMachine.Input?, (any Error)?) {
    let (folder, path, known, now) = (folder, path, known, folder.ambient.now())
    let changed = DocumentFileError.changedMeanwhile(path: path.string)
    do {
      let found = try await onQueue {
        try DocumentFileError.wrapping { try folder.compare(path, with: known.digest) }
      }
      guard found != .otherContents else { return (found, changed) }
      self.known.since = now
      return (found, nil)
    } catch {
      switch await lookAtFile() {
      case .away: return (.saveFailed, error)
      case .missing(let now, let isPlanned):
        return (.missing(at: now, isPlanned: isPlanned), error)
      case .unreadable: return (.unreadable, error)
      default: return (.otherContents, changed)
      }
    }
  }

  private func keep(isUrgent: Bool) async -> (DocumentMachine.Input?, (any Error)?) {
    do {
      let bytes = try contents.documentBytes()
      let id = try await alone(isUrgent) { [self] in
        try await folder.keep(bytes, of: home, by: presenter)
      }
      return (.kept(id), nil)
    } catch CoordinationError.cancelled(let path) {
      return (.followingPostponed, CoordinationError.cancelled(path: path))
    } catch {
      return (.keepFailed, error)
    }
  }

  private func save(
    expecting stamp: FileStamp?, isUrgent: Bool
  ) async -> (DocumentMachine.Input?, (any Error)?) {
    do {
      let bytes = try contents.documentBytes()
      let written = try await alone(isUrgent) { [self, known] in
        try await folder.write(
          bytes, at: path, expecting: stamp, having: known.digest, by: presenter)
      }
      let outcome = written.outcome
      known = written.known
      return (.saved(outcome.stamp, isDurable: outcome.notDurable == nil), outcome.notDurable)
    } catch CoordinationError.cancelled(let path) {
      return (.postponed, CoordinationError.cancelled(path: path))
    } catch {
      switch (error, await lookAtFile(isSuspect: error.isOfNewerFile)) {
      case (_, .away): return (.saveFailed, error)
      case (DocumentFileError.changedMeanwhile, let found): return (found, error)
      // Nor its folder, it may be. Whatever failed, the edits are kept once it counts as deleted.
      case (_, .missing(let now, let isPlanned)):
        return (.missing(at: now, isPlanned: isPlanned), error)
      // A link that leads out of the folder is refused before anything is written, and so is all
      // where another folder has taken this one's place.
      case (_, .unreadable): return (.unreadable, error)
      default: return (.saveFailed, error)
      }
    }
  }

  private func reload() async -> (DocumentMachine.Input?, (any Error)?) {
    let read: DocumentFolder.Reading
    do {
      read = try await alone(false) { [self] in try await folder.read(presenter) }
    } catch {
      switch error {
      case DocumentFileError.notAFile, DocumentFileError.tooLarge, CoordinationError.replaced:
        return (.unreadable, error)
      case DocumentFileError.notFound:
        return (.missing(at: folder.ambient.uptime(), isPlanned: false), error)
      case CoordinationError.cancelled: return (.followingPostponed, error)
      default: return (.reloadFailed, error)
      }
    }
    do {
      setContents(try Contents(documentBytes: read.bytes))
      known = read.known
      return (.reloaded(read.stamp, hasConflicts: read.hasConflicts), nil)
    } catch {
      return (.unparsable(read.stamp, at: folder.ambient.uptime()), error)
    }
  }

  /// Runs an access so that something urgent can have it give up while it waits.
  private func alone<Value: Sendable>(
    _ isUrgent: Bool, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard isUrgent || turns.urgent == 0 else {
      throw CoordinationError.cancelled(path: path.string)
    }
    let task = Task { try await body() }
    // What is urgent itself gives up for nobody: whoever waits for it would be told that it failed.
    if !isUrgent {
      activity = Task {
        await withTaskCancellationHandler {
          _ = await task.result
        } onCancel: {
          task.cancel()
        }
      }
    }
    defer { activity = nil }
    return try await task.value
  }
}

extension Error {
  /// Whether nothing was overwritten, since it was not what was expected.
  fileprivate var isOfNewerFile: Bool {
    guard case DocumentFileError.changedMeanwhile = self as any Error else { return false }
    return true
  }

  /// Whether an access was given up for something urgent.
  fileprivate var isGivingWay: Bool {
    guard case CoordinationError.cancelled = self as any Error else { return false }
    return true
  }
}
