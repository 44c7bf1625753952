import Glibc
import SystemFiles
import SystemPackage

// How a process becomes the arbiter or finds it, again and again.
extension CoordinationNode {
  /// How long one is looked for: it may be starting, or ending.
  private static let patience = Duration.seconds(10)
  /// How often one that ends the connection without a greeting is tried: it may have just ended, or
  /// be of another version.
  private static let maximumRejections: UInt32 = 20
  /// In microseconds, how long after a failure one is looked for again, at first and at most: what
  /// fails for want of memory or descriptors may fail for long.
  private static let pauses: (first: UInt32, longest: UInt32) = (10_000, 1_000_000)

  /// In microseconds, how long somebody waits at first for a lock, or for whoever has it.
  private static let shortestWait: UInt32 = 200

  /// Connects, if nothing has connected yet.
  ///
  /// - parameter deadline: when an arbiter is not looked for any longer, give or take as much as
  ///   one that answers may be late; nil: only when patience ends.
  func connect(until deadline: Duration? = nil) throws(CoordinationError) {
    guard isInOwnProcess() else { throw .forked }
    if case .none = state.withLock({ $0.link }) {} else { return }
    var end = MonotonicTime.now + Self.patience
    if let deadline { end = min(end, deadline + PendingAccess.grace) }
    var pause = Self.shortestWait
    while case .none = state.withLock({ $0.link }) {
      let result = connecting.withLockIfAvailable { _ in establish(until: end) }
      if let result {
        try result.get()
        break
      }
      // Whoever connects may have longer to do so than this thread.
      try wait(&pause, until: end)
    }
    if case .own(let hub) = state.withLock({ $0.link }) { hub.deliverLocally() }
  }

  private func wait(_ pause: inout UInt32, until end: Duration) throws(CoordinationError) {
    guard MonotonicTime.now < end else {
      throw .noArbiter(path: place.socketText, errno: ETIMEDOUT)
    }
    usleep(pause)
    pause = min(pause * 2, 10_000)
  }

  private func establish(until end: Duration) -> Result<Void, CoordinationError> {
    do throws(CoordinationError) {
      if case .none = state.withLock({ $0.link }) { try find(until: end) }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Takes the lock, or else connects to whoever has it.
  private func find(until end: Duration) throws(CoordinationError) {
    var pause = Self.shortestWait
    while true {
      guard !state.withLock({ $0.isClosed }) else {
        throw .noArbiter(path: place.socketText, errno: ECANCELED)
      }
      if let lock = try takeLock() { return try becomeArbiter(lock) }
      let link = try SocketLink(to: place) { [weak self] in self?.receive($0) }
      if let link { return try join(link) }
      try wait(&pause, until: end)
    }
  }

  private func takeLock() throws(CoordinationError) -> FileLock? {
    do {
      return try LinuxFileSystem().lock(
        place.lock, exclusive: true, wait: false, holder: Array("\(process.id)\n".utf8))
    } catch  where error.isLockedByAnother {
      return nil
    } catch {
      throw .system(operation: "lock", path: place.path.string, errno: error.errno.rawValue)
    }
  }

  private func becomeArbiter(_ lock: FileLock) throws(CoordinationError) {
    do {
      let hub = try Hub(
        place: place, lock: lock, local: member, process: process,
        deliver: { [weak self] message in self?.receive(message) })
      do {
        try state.withLock { state in
          guard !state.isClosed else { throw Errno.canceled }
          // Said before anybody else can say something by this link; delivered by `connect`.
          for message in accountOfAll(state) { hub.input(.message(from: member, message)) }
          // A queue that others cannot reach is none: they would take the lock beside it, knowing
          // of this process what its record says.
          try hub.start(by: startThread)
          noteReturn(&state)
          state.link = .own(hub)
          state.record?.remove()
          state.record = nil
        }
      } catch {
        hub.close()
        throw error
      }
    } catch {
      lock.release()
      let code = (error as? Errno) ?? (error as? FileError)?.errno ?? .ioError
      throw .noArbiter(path: place.socketText, errno: code.rawValue)
    }
  }

  private func join(_ link: SocketLink) throws(CoordinationError) {
    do {
      let record = try state.withLock({ $0.record }) ?? MemberRecord(member: member, in: place)
      try state.withLock { state in
        guard !state.isClosed else { throw Errno.canceled }
        state.record = record
        try write(record, state)
        // Before anything is said: an arbiter that hears the account, and then the link's end,
        // would have others wait for whoever is to come back.
        try startThread { [weak self] in
          link.serve()
          self?.reconnect(after: link)
        }
        noteReturn(&state)
        let account = accountOfAll(state)
        for message in account { link.send(message) }
        // Others than the caller may wait for what is said to that.
        if account.count > Self.shortestAccount { link.readByThread() }
        state.link = .other(link)
      }
    } catch {
      link.close()
      let code = (error as? FileError)?.errno ?? (error as? Errno) ?? .ioError
      throw .system(operation: "join", path: place.path.string, errno: code.rawValue)
    }
  }

  /// That of a process that claims, presents and asks nothing.
  private static let shortestAccount = 2

  /// All that a new arbiter must know of this process.
  private func accountOfAll(_ state: State) -> [MemberMessage] {
    var result: [MemberMessage] = [.hello(member: member, process)]
    result += state.claims.values.sorted { $0.request.key.number < $1.request.key.number }
      .map { .claim($0.request, isHeld: $0.isHeld) }
    result += presenters.records().map { .present($0.record, gaveWayTo: $0.gaveWayTo) }
    result += state.reports.keys.map { .status(number: $0) }
    return result + [.ready]
  }

  /// Notes which presenters an arbiter gets to know that is not the first.
  private func noteReturn(_ state: inout State) {
    defer { state.wasConnected = true }
    guard state.wasConnected else { return }
    let keys = presenters.records().map(\.record.key)
    state.returning = Set(keys).subtracting(state.registrations.keys)
  }

  /// The arbiter has ended: finds the next.
  ///
  /// It goes on after a failure for as long as anything is held or presented here. The next arbiter
  /// goes by what was written down, and has others wait for that; and presenters are asked by
  /// nobody meanwhile.
  private func reconnect(after link: SocketLink) {
    guard var attempt = lose(link) else { return }
    var pause = Self.pauses.first
    while true {
      do throws(CoordinationError) {
        guard attempt <= Self.maximumRejections else {
          throw CoordinationError.noArbiter(path: place.socketText, errno: EPROTO)
        }
        // The first time, it has most likely ended.
        if attempt > 1 { usleep(10_000 * attempt) }
        return try connect()
      } catch {
        guard giveUpWaiting(error) else { return }
      }
      // One that says nothing is of another version, most likely, and will be for long.
      usleep(attempt > Self.maximumRejections ? Self.pauses.longest : pause)
      attempt = 1
      pause = min(pause * 2, Self.pauses.longest)
    }
  }

  /// Notes that a link has ended.
  ///
  /// - returns: how often in a row that was without a greeting; nil if another took its place.
  private func lose(_ link: SocketLink) -> UInt32? {
    state.withLock { state in
      guard !state.isClosed, case .other(let current) = state.link, current === link else {
        return nil
      }
      state.link = .none
      // The next one tells all.
      state.reportParts = CoordinationReport.Parts()
      state.rejections += 1
      return state.rejections
    }
  }

  /// Tells whoever waits that there is no arbiter; a later claim tries again.
  ///
  /// - returns: whether the next arbiter has to be found without that.
  private func giveUpWaiting(_ error: CoordinationError) -> Bool {
    // Outside of the lock, since what it keeps alive for a moment may end here.
    let presents = !presenters.all.isEmpty
    // Not beside one that connects: it would go on with the record that is removed here.
    let (failed, mustReturn) = connecting.withLock { _ in
      state.withLock { giveUpWaiting(&$0, presents: presents) }
    }
    for claim in failed { claim.tell(.unreachable(error)) }
    return mustReturn
  }

  private func giveUpWaiting(
    _ state: inout State, presents: Bool
  ) -> (failed: [OwnClaim], mustReturn: Bool) {
    // Another thread was luckier, and has said what is claimed.
    guard case .none = state.link else { return ([], false) }
    let failed = state.claims.values.filter { !$0.isHeld }
    for claim in failed { state.claims[claim.request.key] = nil }
    guard !state.isClosed else { return (failed, false) }
    if state.claims.isEmpty, !presents || !failed.isEmpty {
      // So an arbiter that has read what was asked for counts this process as one that ended.
      // Where nothing was, it is to wait for those who present something.
      state.record?.remove()
      state.record = nil
    } else {
      if let record = state.record { try? write(record, state) }
    }
    let mustReturn = presents || !state.claims.isEmpty
    if !mustReturn { state.rejections = 0 }
    return (failed, mustReturn)
  }

  /// Ends this part, as the end of its process would.
  package func close() {
    guard isInOwnProcess() else { return }
    let (link, record) = state.withLock { state in
      state.isClosed = true
      defer {
        state.link = .none
        state.record = nil
      }
      return (state.link, state.record)
    }
    switch link {
    case .none: break
    case .own(let hub): hub.close()
    case .other(let link): link.close()
    }
    record?.remove()
  }
}
