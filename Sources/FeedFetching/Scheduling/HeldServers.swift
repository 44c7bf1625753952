import Synchronization

/// The servers that asked to be left alone, as all requests of a run know them.
///
/// ``FetchQueue`` knows where a request begins, and not where redirects will lead it.
final class HeldServers: Sendable {
  private let seconds = Mutex<[String: Int]>([:])

  /// For how many seconds a server asked to be left alone; nil if it did not.
  subscript(server: String) -> Int? { seconds.withLock { $0[server] } }

  func hold(_ servers: [String], seconds: Int) {
    self.seconds.withLock { held in
      for server in servers { held[server] = seconds }
    }
  }
}
