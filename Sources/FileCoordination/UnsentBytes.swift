import SystemPackage

/// What a socket had no room for yet, in its order.
///
/// It may be megabytes, and is sent under a lock, so nothing is copied to send a part of it.
struct UnsentBytes {
  private var bytes: [UInt8] = []
  /// How many of them are sent.
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// Sends as much as there is room for.
  mutating func send(on socket: UnixSocket) throws(Errno) {
    start += try socket.send(bytes[start...])
    // So that each byte is moved once at most, whatever is added meanwhile.
    guard start > bytes.count / 2 else { return }
    if isEmpty { bytes = [] } else { bytes.removeFirst(start) }
    start = 0
  }
}
