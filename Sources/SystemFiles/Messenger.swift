import Glibc

/// A process that makes a call in place of this one, and may never come back from it.
package struct Messenger {
  package enum Outcome: Hashable {
    /// It has made its call.
    case cameBack
    /// It is still at it, and will not be waited for any longer.
    case waits
    /// It ended for being killed, which says nothing of its call.
    case wasKilled
  }

  private let process: pid_t
  private var isKilled = false

  /// Starts a program that reads and writes nothing here; nil if it cannot be started.
  ///
  /// One that is named without a slash is looked for along `PATH`.
  package init?(_ arguments: [String]) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var child: pid_t = 0
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    let status = posix_spawnp(&child, arguments[0], &actions, nil, words + [nil], &environment)
    guard status == 0 else { return nil }
    process = child
  }

  /// Waits for it, and kills it when the time is up: it may end then, or when the file system
  /// answers, or never.
  ///
  /// Waits no longer if the surrounding task is cancelled.
  package mutating func outcome(within seconds: Double) -> Outcome {
    var pause: UInt32 = 200
    var waited = 0.0
    while true {
      if let outcome = outcome() { return outcome }
      guard waited < seconds, !Task.isCancelled else { break }
      usleep(pause)
      waited += Double(pause) / 1_000_000
      pause = min(pause * 2, 20_000)
    }
    kill(process, SIGKILL)
    isKilled = true
    return outcome() ?? .waits
  }

  /// Nil as long as it has not ended.
  private func outcome() -> Outcome? {
    var status: Int32 = 0
    let found = waitpid(process, &status, WNOHANG)
    guard found != 0 else { return nil }
    // The low seven bits are the signal that ended it. Where nobody waits for children, as in a
    // program that ignores SIGCHLD, nothing tells.
    let hasExited = found == process ? status & 0x7F == 0 : !isKilled
    return hasExited ? .cameBack : .wasKilled
  }
}
