import Dispatch
import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// A process's part in coordination: its claims and presenters, and its way to the arbiter, which
/// may be this process itself.
package final class CoordinationNode: Sendable {
  /// How a thread of its own is started: as the system does, unless a test says otherwise.
  package typealias ThreadStarter =
    @Sendable (@escaping @Sendable () -> Void) throws(Errno) -> Void

  enum Link {
    case none
    case own(Hub)
    case other(SocketLink)
  }

  /// A claim of this process, from its request to its end.
  struct OwnClaim {
    /// As it was made, but for the names that its items have by now.
    var request: ClaimRequest
    var isHeld = false
    var waitsFor: [CoordinationHolder] = []
    let tell: @Sendable (ClaimEvent) -> Void
  }

  /// What happens to a claim.
  enum ClaimEvent: Sendable {
    case granted([ItemPath])
    case failed(ClaimFailure)
    case unreachable(CoordinationError)
    case waiting([CoordinationHolder])
    case lapsed(PresenterLapse)
  }

  struct State {
    var link = Link.none
    var claims: [CoordinationKey: OwnClaim] = [:]
    var record: MemberRecord?
    var nextNumber: UInt64 = 0
    /// Who waits to hear that a presenter is known.
    var registrations: [CoordinationKey: Waiter<Void>] = [:]
    var reports: [UInt64: @Sendable (CoordinationReport) -> Void] = [:]
    var reportParts = CoordinationReport.Parts()
    /// Whether there has been an arbiter.
    var wasConnected = false
    /// Presenters that an earlier arbiter knew, and that the next does not know yet.
    var returning: Set<CoordinationKey> = []
    /// How often in a row an arbiter ended the connection without a greeting.
    var rejections: UInt32 = 0
    var isClosed = false
  }

  package let place: CoordinationPlace
  package let process: CoordinatingProcess
  let member: UInt64
  let state = Mutex(State())
  let presenters = PresenterHost()
  let startThread: ThreadStarter
  /// Where coordinators hear of what they wait for: one that blocks keeps nothing else from going
  /// on.
  let notices = DispatchQueue(label: "feedsync.coordination.notices")
  /// One connects at a time.
  let connecting = Mutex(())
  /// A process that was forked off has a copy of all this, and no part in it: none of the threads
  /// is there, and what it said would be taken for said by the other.
  let isInOwnProcess: @Sendable () -> Bool

  /// A part in coordination at a place; it connects when it is first needed.
  package init(
    place: CoordinationPlace, process: CoordinatingProcess = .current,
    startThread: @escaping ThreadStarter = { body throws(Errno) in try DetachedThread.run(body) },
    isInOwnProcess: @escaping @Sendable () -> Bool = { [id = getpid()] in getpid() == id }
  ) {
    self.place = place
    self.process = process
    self.startThread = startThread
    self.isInOwnProcess = isInOwnProcess
    member = UInt64.random(in: 1 ... .max)
  }

  func nextKey() -> CoordinationKey {
    state.withLock { state in
      state.nextNumber += 1
      return CoordinationKey(member: member, number: state.nextNumber)
    }
  }

  // MARK: Claims

  /// Asks for a claim; `tell` hears of it, on any thread, possibly before this returns.
  func submit(
    _ request: ClaimRequest, tell: @escaping @Sendable (ClaimEvent) -> Void
  ) throws(CoordinationError) {
    while true {
      try connect(until: request.deadline)
      let noted = state.withLock { note(OwnClaim(request: request, tell: tell), &$0) }
      guard let link = try noted.get() else { continue }
      send(.claim(request, isHeld: false), by: link)
      // Whoever cancelled it meanwhile may have said so before it was asked for.
      if state.withLock({ $0.claims[request.key] == nil }) {
        send(.cancel(request.key), by: link)
      }
      return
    }
  }

  /// Writes a claim down before it is asked for.
  ///
  /// - returns: by what link to ask; nil if it was lost again, so that nobody might ever ask.
  private func note(
    _ claim: OwnClaim, _ state: inout State
  ) -> Result<Link?, CoordinationError> {
    if case .none = state.link { return .success(nil) }
    if let error = refusal(by: state.link) { return .failure(error) }
    state.claims[claim.request.key] = claim
    do throws(CoordinationError) {
      try writeRecord(&state)
      return .success(state.link)
    } catch {
      state.claims[claim.request.key] = nil
      return .failure(error)
    }
  }

  /// Notes by what name an access has an item, too, that it has moved there, and whatever has that
  /// item beside it.
  func extend(
    _ key: CoordinationKey, by item: ClaimedItem, movedFrom old: ItemPath
  ) throws(CoordinationError) {
    try state.withLock { (state) throws(CoordinationError) in
      state.claims[key]?.request.items.add(item)
      for (key, claim) in state.claims where claim.isHeld {
        state.claims[key]?.request.items.follow(from: old, to: item.path)
      }
      try writeRecord(&state)
    }
  }

  /// Ends a claim that was granted.
  func release(_ key: CoordinationKey, _ outcomes: [ItemOutcome]) {
    let link = state.withLock { state -> Link in
      state.claims[key] = nil
      // A record that cannot be written says too much, never too little.
      try? writeRecord(&state)
      return state.link
    }
    send(.release(key, outcomes), by: link)
  }

  /// Waits for what a claim comes to, on this thread; nil when the time is up.
  func wait<Value>(
    for waiter: Waiter<Value>, limit: Duration?
  ) -> Result<Value, CoordinationError>? {
    let deadline = limit.map { MonotonicTime.now + $0 }
    if case .other(let link) = state.withLock({ $0.link }) {
      link.read(for: waiter, until: deadline)
    }
    return waiter.wait(for: deadline.map { max(.zero, $0 - MonotonicTime.now) })
  }

  /// Sees to it that what the arbiter says is heard while nobody waits for it.
  func listen() {
    if case .other(let link) = state.withLock({ $0.link }) { link.readByThread() }
  }

  /// Gives up waiting, whether or not the arbiter answers.
  func cancel(_ key: CoordinationKey) {
    let (link, claim) = state.withLock { state -> (Link, OwnClaim?) in
      guard state.claims[key]?.isHeld == false else { return (state.link, nil) }
      let claim = state.claims.removeValue(forKey: key)
      try? writeRecord(&state)
      return (state.link, claim)
    }
    guard let claim else { return }
    // It may have been granted meanwhile, which has to be heard to be ended.
    listen()
    send(.cancel(key), by: link)
    claim.tell(.failed(.cancelled))
  }

  /// Whether a claim is granted and has not ended.
  func isHeld(_ key: CoordinationKey) -> Bool {
    state.withLock { $0.claims[key]?.isHeld ?? false }
  }

  func holders(before key: CoordinationKey) -> [CoordinationHolder] {
    state.withLock { $0.claims[key]?.waitsFor ?? [] }
  }

  /// The process that keeps the queue, as far as this one knows.
  var arbiterProcess: Int32? {
    switch state.withLock({ $0.link }) {
    case .none: nil
    case .own: process.id
    case .other(let link): link.peer
    }
  }

  /// Writes down what may be held, for the next arbiter.
  private func writeRecord(_ state: inout State) throws(CoordinationError) {
    let requests = state.claims.values.map(\.request)
    try note(in: state) { (record) throws(FileError) in try record.write(process, requests) }
  }

  /// Writes something down, where there is a record.
  ///
  /// There is none as long as this process is the arbiter, or has had none yet. While it looks for
  /// the next it may be suspended, and that one goes by what stands there.
  private func note(
    in state: State, _ write: (MemberRecord) throws(FileError) -> Void
  ) throws(CoordinationError) {
    guard let record = state.record, isInOwnProcess() else { return }
    do {
      try write(record)
    } catch {
      throw .system(operation: "write", path: place.path.string, errno: error.errno.rawValue)
    }
  }

  /// Writes all down that is claimed and presented.
  func write(_ record: MemberRecord, _ state: State) throws(FileError) {
    try record.write(process, state.claims.values.map(\.request))
    try record.write(process, presenting: presenters.records().map(\.record))
  }

  /// Writes down where a presenter's item is by now, or that it was taken away.
  func notePresented(_ key: CoordinationKey) throws(CoordinationError) {
    try state.withLock { (state) throws(CoordinationError) in
      let path = presenters.path(of: key)
      try note(in: state) { (record) throws(FileError) in
        try record.note(process, key, at: path)
      }
    }
  }

  // MARK: Messages

  /// Sends a message that is not a claim's.
  func post(_ message: MemberMessage) throws(CoordinationError) {
    try connect()
    let link = state.withLock { $0.link }
    if let error = refusal(by: link) { throw error }
    listen()
    send(message, by: link)
  }

  /// Sends that something has ended, which nobody has to be looked for: what this process has by
  /// then is all that an arbiter hears of which is found later.
  func postEnd(_ message: MemberMessage) { send(message, by: state.withLock { $0.link }) }

  /// Why nothing new may be asked for: the arbiter has left too much unread.
  private func refusal(by link: Link) -> CoordinationError? {
    guard case .other(let link) = link, !link.hasRoom else { return nil }
    return .noArbiter(path: place.socketText, errno: ENOBUFS)
  }

  func send(_ message: MemberMessage, by link: Link) {
    guard isInOwnProcess() else { return }
    switch link {
    case .none: break
    case .own(let hub): hub.take(message)
    case .other(let link): link.send(message)
    }
  }

  /// Takes what the arbiter says.
  func receive(_ message: ArbiterMessage) {
    switch message {
    case .welcome: state.withLock { $0.rejections = 0 }
    case .presented(let key):
      let (waiter, isBack) = state.withLock { state in
        (state.registrations.removeValue(forKey: key), state.returning.remove(key) != nil)
      }
      waiter?.finish(.success(()))
      // A writer may have ended together with the arbiter that was to tell of it.
      if isBack { presenters.tell(key, .didChange) }
    case .waiting(let key, let holders):
      let claim = state.withLock { state in
        state.claims[key]?.waitsFor = holders
        return state.claims[key]
      }
      claim?.tell(.waiting(holders))
    case .granted(let key, let paths): grant(key, paths)
    case .failed(let key, let failure):
      let claim = state.withLock { state in
        let claim = state.claims.removeValue(forKey: key)
        try? writeRecord(&state)
        return claim
      }
      claim?.tell(.failed(failure))
    case .lapsed(let key, let lapse):
      state.withLock { $0.claims[key] }?.tell(.lapsed(lapse))
    case .ask(let claim, let presenter, let questions, _):
      presenters.ask(presenter, questions, for: claim) { [self] failure in
        // The presenter's queue may outlive the connection; the next arbiter asks anew.
        send(
          .answer(claim: claim, presenter: presenter, failure: failure),
          by: state.withLock { $0.link })
      }
    case .notice(let presenter, let notice):
      presenters.tell(presenter, notice)
      // Where it cannot be written, what this process says when it is back is right all the same.
      if case .didMove = notice { try? notePresented(presenter) }
    case .status(let number, let report):
      let (handler, whole) = state.withLock { state in
        let whole = state.reportParts.take(report, number: number) { state.reports[$0] != nil }
        return (whole.flatMap { _ in state.reports.removeValue(forKey: number) }, whole)
      }
      if let whole { handler?(whole) }
    }
  }

  private func grant(_ key: CoordinationKey, _ paths: [ItemPath]) {
    let link = state.withLock { state -> SocketLink? in
      guard rename(key, to: paths, &state), case .other(let link) = state.link else { return nil }
      return link
    }
    guard let link else { return begin(key, paths) }
    // It may have ended, and the next gone by the names that stood there before. What it answers
    // now it answers after the new ones do; else the claim is said to the next, as one that waits.
    let number = nextKey().number
    state.withLock { state in
      state.reports[number] = { [weak self] _ in self?.begin(key, paths, by: link) }
    }
    link.send(.status(number: number))
  }

  /// Begins an access whose turn has come; not, where an arbiter is named, if it is not that of
  /// this process any more.
  private func begin(_ key: CoordinationKey, _ paths: [ItemPath], by arbiter: SocketLink? = nil) {
    let (claim, link) = state.withLock { state -> (OwnClaim?, Link) in
      if let arbiter {
        guard case .other(let current) = state.link, current === arbiter else {
          return (nil, .none)
        }
      }
      state.claims[key]?.isHeld = true
      return (state.claims[key], state.link)
    }
    guard let claim else {
      // It was cancelled while the grant was on its way.
      return send(.release(key, []), by: link)
    }
    claim.tell(.granted(paths))
  }

  /// Notes the names that a claim's items have got while it waited: the next arbiter goes by them.
  ///
  /// - returns: whether there are any.
  private func rename(
    _ key: CoordinationKey, to paths: [ItemPath], _ state: inout State
  ) -> Bool {
    guard let items = state.claims[key]?.request.items, items.map(\.path) != paths else {
      return false
    }
    state.claims[key]?.request.items = zip(paths, items).map { ClaimedItem($0, $1.options) }
    // Where it cannot be written, what this process says when it is back is right all the same.
    try? writeRecord(&state)
    return true
  }
}

extension CoordinatingProcess {
  /// This process.
  package static var current: CoordinatingProcess {
    let path = CommandLine.arguments.first ?? ""
    let name = FilePath(path).lastComponent?.string ?? "unknown"
    return CoordinatingProcess(id: getpid(), name: name)
  }
}
