import Glibc

// How something is said to an arbiter that may be suspended.
//
// Nobody waits for it to read: time-outs and cancelling have to work then, too, and messages are
// sent under locks. Nor is its connection ended: the arbiter, once it goes on, would have others
// wait until this process has said all anew. So what there is no room for is kept.
extension SocketLink {
  /// Above this nothing new is asked for.
  ///
  /// It is as much as a process may write down as claimed. What ends claims comes on top, and is
  /// little beside them.
  private static let maximumUnsent = 1 << 24

  /// Whether the arbiter has read enough to be asked for more.
  var hasRoom: Bool { outgoing.withLock { $0.unsent.count < Self.maximumUnsent } }

  /// Sends a message, or keeps it until there is room, without blocking.
  ///
  /// One that is not sent before the arbiter ends is said anew to the next.
  func send(_ message: MemberMessage) {
    let bytes = WireFormat.frame(message.wireBytes)
    let isFirstKept = outgoing.withLock { outgoing in
      guard outgoing.isOpen else { return false }
      guard outgoing.unsent.isEmpty else {
        outgoing.unsent += bytes
        return false
      }
      let count = trySending(bytes[...], &outgoing)
      if count < bytes.count, outgoing.isOpen { outgoing.unsent = Array(bytes[count...]) }
      return !outgoing.unsent.isEmpty
    }
    if isFirstKept { threadBell.ring() }
  }

  var hasUnsent: Bool { outgoing.withLock { !$0.unsent.isEmpty } }

  /// Sends what was kept, as far as there is room.
  func flush() {
    outgoing.withLock { outgoing in
      let count = trySending(outgoing.unsent[...], &outgoing)
      if outgoing.isOpen { outgoing.unsent.removeFirst(count) } else { outgoing.unsent = [] }
    }
  }

  private func trySending(_ bytes: ArraySlice<UInt8>, _ outgoing: inout Outgoing) -> Int {
    do {
      return try socket.send(bytes)
    } catch {
      // A part may have been sent, which nothing else may follow; the link's thread finds the end.
      outgoing.isOpen = false
      socket.shutDown()
      return 0
    }
  }
}
