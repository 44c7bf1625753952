import Glibc

// The thread that hears other processes.
extension Hub {
  /// A process that hung up ends at once, as a rule; else the next arbiter removes its record.
  private static let searchesForDeparted = 10

  /// How long those who connect wait where there is no descriptor for them: the socket stays
  /// readable, and to try at once again would take all of a processor.
  private static let shortagePause = Duration.milliseconds(50)

  func serve() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      guard var waits = waits() else { return }
      let milliseconds = timeout()
      _ = poll(&waits, nfds_t(waits.count), milliseconds)
      for wait in waits where wait.revents != 0 {
        if wait.fd == bell.number {
          bell.silence()
        } else if wait.fd == listener.descriptor.number {
          acceptAll()
        } else {
          serve(wait.fd, events: wait.revents, &buffer)
        }
      }
      lookForMissing()
      input(.time)
      deliverLocally()
    }
  }

  private func waits() -> [pollfd]? {
    state.withLock { state in
      if state.isClosed { return nil }
      if let again = state.acceptsAgainAt, again <= MonotonicTime.now { state.acceptsAgainAt = nil }
      let accepted = state.acceptsAgainAt == nil ? POLLIN : 0
      let fixed = [
        pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: listener.descriptor.number, events: Int16(accepted), revents: 0),
      ]
      return fixed
        + state.connections.map { number, connection in
          let events = connection.unsent.isEmpty ? POLLIN : POLLIN | POLLOUT
          return pollfd(fd: number, events: Int16(events), revents: 0)
        }
    }
  }

  /// In milliseconds, rounded up, so that the time has come when the thread wakes.
  private func timeout() -> Int32 {
    state.withLock { state in
      var next = state.arbiter.nextDeadline
      let now = MonotonicTime.now
      if let search = state.search.due { next = min(next ?? search, search) }
      if let again = state.acceptsAgainAt { next = min(next ?? again, again) }
      state.sleepsUntil = next
      guard let next else { return -1 }
      let rest = max(.zero, next - now)
      return Int32(clamping: rest.wholeNanoseconds / 1_000_000 + 1)
    }
  }

  private func acceptAll() {
    do {
      while let socket = try listener.accept() { add(socket) }
    } catch {
      state.withLock { $0.acceptsAgainAt = MonotonicTime.now + Self.shortagePause }
    }
  }

  private func add(_ socket: UnixSocket) {
    // The directory lets nobody else in; root may still come by.
    guard (try? place.checkPeer(of: socket)) != nil else { return socket.shutDown() }
    state.withLock { state in
      guard !state.isClosed else { return socket.shutDown() }
      state.connections[socket.descriptor.number] = Connection(socket: socket)
    }
  }

  private func serve(_ number: Int32, events: Int16, _ buffer: inout [UInt8]) {
    if events & Int16(POLLOUT) != 0 { flush(number) }
    guard events & Int16(POLLIN | POLLHUP | POLLERR) != 0,
      let socket = state.withLock({ $0.connections[number]?.socket })
    else { return }
    do {
      guard let bytes = try socket.receive(into: &buffer) else { return }
      if bytes.isEmpty { return end(number) }
      try take(bytes, from: number)
    } catch {
      // Whoever sends what is no message has no business here.
      end(number)
    }
    deliverLocally()
  }

  private func take(_ bytes: ArraySlice<UInt8>, from number: Int32) throws(WireError) {
    let result: Result<Void, WireError> = state.withLock { state in
      state.connections[number]?.frames.append(bytes)
      do throws(WireError) {
        while let frame = try state.connections[number]?.frames.next() {
          try take(try MemberMessage(wire: frame), from: number, in: &state)
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func take(
    _ message: MemberMessage, from number: Int32, in state: inout State
  ) throws(WireError) {
    if case .hello(let member, let process) = message {
      guard state.connections[number]?.member == nil, member != local else {
        throw .value("greeting")
      }
      // The process named is the one that the system knows.
      let id = (try? state.connections[number]?.socket.peer().process) ?? process.id
      if let old = state.numbers[member] { state.connections[old]?.member = nil }
      state.connections[number]?.member = member
      state.numbers[member] = number
      state.missing.remove(member)
      state.departed[member] = nil
      let named = CoordinatingProcess(id: id, name: process.name)
      return apply(.message(from: member, .hello(member: member, named)), to: &state)
    }
    guard let member = state.connections[number]?.member else { throw .value("greeting") }
    apply(.message(from: member, message), to: &state)
  }

  private func flush(_ number: Int32) {
    state.withLock { state in
      guard let socket = state.connections[number]?.socket else { return }
      do {
        // Where it stands, as in `send`.
        try state.connections[number]?.unsent.send(on: socket)
      } catch {
        cut(number, in: &state)
      }
      guard let unsent = state.connections[number]?.unsent.count,
        let wasCongested = state.connections[number]?.isCongested
      else { return }
      let isCongested = unsent > Self.congestedBytes
      state.connections[number]?.isCongested = isCongested
      if let member = state.connections[number]?.member, wasCongested != isCongested {
        apply(.congested(member, isCongested), to: &state)
      }
    }
  }

  /// Ends a connection, as a rule because its process has ended.
  private func end(_ number: Int32) {
    let found = state.withLock { state -> (member: UInt64, hasAnything: Bool)? in
      guard let connection = state.connections.removeValue(forKey: number) else { return nil }
      connection.socket.shutDown()
      guard let member = connection.member else { return nil }
      state.numbers[member] = nil
      return (member, state.arbiter.hasAnything(of: member))
    }
    guard let (member, hasAnything) = found else { return }
    // Who lives goes on with what it holds, and is back soon. Who has just ended may have its lock
    // for a moment.
    let lives = hasAnything && !MemberRecord.hasEnded(member, in: place)
    state.withLock { state in
      if lives {
        state.missing.insert(member)
      } else {
        state.departed[member] = Self.searchesForDeparted
      }
      state.search.begin(now: MonotonicTime.now)
      apply(lives ? .lost(member) : .gone(member), to: &state)
    }
  }

  private func lookForMissing() {
    let now = MonotonicTime.now
    guard let missing = state.withLock({ $0.search.isDue(at: now) ? $0.missing : nil }) else {
      return
    }
    for member in missing where MemberRecord.hasEnded(member, in: place) {
      state.withLock { state in
        guard state.missing.remove(member) != nil else { return }
        apply(.gone(member), to: &state)
      }
    }
    removeRecordsOfDeparted()
    state.withLock { $0.search.end(now: now, isOver: $0.missing.isEmpty && $0.departed.isEmpty) }
  }

  private func removeRecordsOfDeparted() {
    for (member, searches) in state.withLock({ $0.departed }) {
      let isOver = searches == 0 || MemberRecord.hasEnded(member, in: place)
      state.withLock { $0.departed[member] = isOver ? nil : searches - 1 }
    }
  }
}
