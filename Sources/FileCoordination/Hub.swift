import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// The arbiter at work: it hears processes on a socket and the own one directly, and sends what
/// `Arbiter` decides.
final class Hub: Sendable {
  /// Above this a process counts as one that does not read.
  static let congestedBytes = 1 << 20
  /// Above this its connection is ended: as much as a process may keep that an arbiter does not
  /// read.
  private static let maximumUnsent = 1 << 24

  struct Connection {
    let socket: UnixSocket
    var frames = WireFrames()
    var unsent = UnsentBytes()
    /// Nil until it has greeted.
    var member: UInt64?
    var isCongested = false
    var isBroken = false
  }

  struct State {
    var arbiter: Arbiter
    var connections: [Int32: Connection] = [:]
    var numbers: [UInt64: Int32] = [:]
    /// Processes that live, had claims or presenters with the last arbiter or when they lost their
    /// connection, and have not come back.
    var missing: Set<UInt64> = []
    /// Processes that hung up, whose records are removed when they have ended, and how often that
    /// is still tried.
    var departed: [UInt64: Int] = [:]
    /// When either are looked for.
    var search = Search()
    var inbox: [ArbiterMessage] = []
    var isDelivering = false
    /// Until when the thread sleeps; nil: until it is woken.
    var sleepsUntil: Duration?
    /// When those who connect are let in again; nil: now.
    var acceptsAgainAt: Duration?
    var isClosed = false
  }

  let state: Mutex<State>
  let place: CoordinationPlace
  let local: UInt64
  let listener: UnixSocket
  private let lock: FileLock
  let bell: Bell
  private let deliver: @Sendable (ArbiterMessage) -> Void

  /// Becomes the arbiter, whose lock the caller has.
  ///
  /// - parameter deliver: takes what this process, the member `local`, is told.
  init(
    place: CoordinationPlace, lock: FileLock, local: UInt64, process: CoordinatingProcess,
    deliver: @escaping @Sendable (ArbiterMessage) -> Void
  ) throws {
    self.place = place
    self.lock = lock
    self.local = local
    self.deliver = deliver
    // Whoever left it there has ended, or would have the lock.
    _ = place.socket.withPlatformString { unlink($0) }
    listener = try UnixSocket.listen(at: place.socket)
    bell = try Bell()
    Snapshot.removeStale(in: place)
    var arbiter = Arbiter(process: process)
    var missing: Set<UInt64> = []
    for survivor in try MemberRecord.survivors(in: place, except: local) {
      _ = arbiter.input(
        .recovered(
          survivor.member, survivor.process, survivor.requests, presenting: survivor.presenters),
        now: MonotonicTime.now)
      missing.insert(survivor.member)
    }
    state = Mutex(State(arbiter: arbiter, missing: missing))
    if !missing.isEmpty { state.withLock { $0.search.begin(now: MonotonicTime.now) } }
  }

  /// Begins to hear other processes.
  func start(by startThread: CoordinationNode.ThreadStarter) throws(Errno) {
    try startThread { [self] in serve() }
  }

  /// Ends it, as the end of its process would.
  func close() {
    let sockets = state.withLock { state in
      state.isClosed = true
      defer { state.connections = [:] }
      return state.connections.values.map(\.socket)
    }
    for socket in sockets { socket.shutDown() }
    ring()
    _ = place.socket.withPlatformString { unlink($0) }
    lock.release()
  }

  // MARK: From this process

  /// Takes a message of this process; what it is told in answer may arrive before this returns.
  func take(_ message: MemberMessage) {
    input(.message(from: local, message))
    deliverLocally()
  }

  /// Takes a message without delivering what follows from it: see ``deliverLocally()``.
  func input(_ input: Arbiter.Input) {
    let mustWake = state.withLock { state in
      guard !state.isClosed else { return false }
      apply(input, to: &state)
      let next = state.arbiter.nextDeadline
      guard let next, state.sleepsUntil.map({ next < $0 }) ?? true else { return false }
      return true
    }
    if mustWake { ring() }
  }

  /// Tells this process what was decided, in order, one thread at a time.
  func deliverLocally() {
    while true {
      let messages: [ArbiterMessage] = state.withLock { state in
        guard !state.isDelivering, !state.inbox.isEmpty else { return [] }
        state.isDelivering = true
        defer { state.inbox.removeAll(keepingCapacity: true) }
        return state.inbox
      }
      if messages.isEmpty { return }
      for message in messages { deliver(message) }
      state.withLock { $0.isDelivering = false }
    }
  }

  private func ring() { bell.ring() }

  func apply(_ input: Arbiter.Input, to state: inout State) {
    for action in state.arbiter.input(input, now: MonotonicTime.now) {
      guard case .send(let member, let message) = action else { continue }
      if member == local {
        state.inbox.append(message)
      } else if let number = state.numbers[member] {
        send(WireFormat.frame(message.wireBytes), on: number, in: &state)
      }
    }
  }

  private func send(_ bytes: [UInt8], on number: Int32, in state: inout State) {
    guard let socket = state.connections[number]?.socket,
      state.connections[number]?.isBroken == false,
      let unsent = state.connections[number]?.unsent.count
    else { return }
    // It is told all anew when it is back, and until then nothing that it holds is given away.
    guard unsent + bytes.count <= Self.maximumUnsent else { return cut(number, in: &state) }
    if unsent > 0 {
      // Where it stands: a copy of the connection would have all that is unsent copied each time.
      state.connections[number]?.unsent.append(bytes)
      // It is told no more than it must be, until it reads again.
      if unsent + bytes.count > Self.congestedBytes,
        let member = state.connections[number]?.member
      {
        state.connections[number]?.isCongested = true
        _ = state.arbiter.input(.congested(member, true), now: MonotonicTime.now)
      }
      return
    }
    do {
      let count = try socket.send(bytes[...])
      if count < bytes.count {
        state.connections[number]?.unsent.append(bytes[count...])
        ring()
      }
    } catch {
      cut(number, in: &state)
    }
  }

  /// Ends a connection by which a part of a message may have been sent, which nothing else may
  /// follow; the thread finds the end.
  func cut(_ number: Int32, in state: inout State) {
    state.connections[number]?.isBroken = true
    state.connections[number]?.unsent = UnsentBytes()
    state.connections[number]?.socket.shutDown()
  }
}
