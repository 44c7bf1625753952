import FeedSync
import FileCoordination
import Foundation
import Synchronization

/// The process that signals are passed on to; 0 if there is none.
private let foregroundProcess = Atomic<Int32>(0)
/// The signals that came before there was one, a bit each.
private let earlySignals = Atomic<UInt64>(0)

/// Passes a signal on, on whatever thread it comes.
private func passOn(_ number: Int32) {
  let process = foregroundProcess.load(ordering: .sequentiallyConsistent)
  guard process == 0 else {
    kill(process, number)
    return
  }
  // To signal 0 would be to signal all that the terminal or the script has started.
  earlySignals.bitwiseOr(1 << UInt64(number), ordering: .sequentiallyConsistent)
  passOnEarlySignals()
}

/// Whoever finds both, a signal or the process having come last, takes it.
private func passOnEarlySignals() {
  let process = foregroundProcess.load(ordering: .sequentiallyConsistent)
  guard process != 0 else { return }
  var rest = earlySignals.exchange(0, ordering: .sequentiallyConsistent)
  while rest != 0 {
    kill(process, Int32(rest.trailingZeroBitCount))
    rest &= rest - 1
  }
}

/// Runs a program with this process's input and output, and outlives it.
///
/// What that claims is part of the access in whose accessor it is run.
struct ForegroundCommand {
  /// What shells say of a program that is not there.
  private static let notFound: Int32 = 127
  private static let notExecutable: Int32 = 126
  private static let signalBase: Int32 = 128

  private let words: [String]
  private let path: String
  private let format: OutputFormat

  /// - parameters:
  ///   - path: what the program finds in `FEEDSYNC_PATH`.
  ///   - format: how it is told that the program cannot be started.
  init(_ words: [String], path: String, format: OutputFormat) {
    self.words = words
    self.path = path
    self.format = format
  }

  /// Returns how it ended, as a shell would show it.
  ///
  /// What ends programs from a terminal reaches it anyway and is left to it: the access must not
  /// end before it does. What is sent to this process alone is passed on. What this process was
  /// started to ignore, as by nohup(1), the program ignores as well.
  func run() throws -> Int32 {
    let heeded = [SIGINT, SIGQUIT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
    let ignored = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
    let passedOn = [SIGTERM, SIGHUP].filter(heeded.contains).map { number in
      (number, signal(number, passOn))
    }
    defer { for (number, handler) in ignored + passedOn { signal(number, handler) } }
    let process: pid_t
    switch start(heeding: heeded) {
    case .success(let started): process = started
    case .failure(let error):
      let status = error.rawValue == ENOENT ? Self.notFound : Self.notExecutable
      Output.notStarted(
        words[0], String(cString: strerror(error.rawValue)), status: status, format: format)
      return status
    }
    foregroundProcess.store(process, ordering: .sequentiallyConsistent)
    passOnEarlySignals()
    guard let status = Self.end(of: process) else {
      return FeedSyncError.Code.software.rawValue
    }
    let number = status & 0x7F
    return number == 0 ? status >> 8 & 0xFF : Self.signalBase + number
  }

  /// Waits for its end; nil if this process cannot learn it.
  ///
  /// Its number is forgotten before the system may give it to another process.
  private static func end(of process: pid_t) -> Int32? {
    var information = siginfo_t()
    var result = interruptible { waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) }
    foregroundProcess.store(0, ordering: .sequentiallyConsistent)
    var status: Int32 = 0
    if result >= 0 { result = interruptible { waitpid(process, &status, 0) } }
    return result < 0 ? nil : status
  }

  private static func interruptible(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private struct Failure: Error { let rawValue: Int32 }

  private static func isIgnored(_ number: Int32) -> Bool {
    var now = sigaction()
    sigaction(number, nil, &now)
    return unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private func start(heeding heeded: [Int32]) -> Result<pid_t, Failure> {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // It begins with the signals as they were, not as this process has them now.
    var (defaults, mask) = (sigset_t(), sigset_t())
    sigemptyset(&defaults)
    sigemptyset(&mask)
    for number in heeded + [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var environment = ProcessInfo.processInfo.environment
    environment["FEEDSYNC_PATH"] = path
    let accesses = InheritedAccesses.text
    environment[InheritedAccesses.variable] = accesses.isEmpty ? nil : accesses
    let arguments = words.map { strdup($0) }
    let variables = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawnp(
      &process, words[0], nil, &attributes, arguments + [nil], variables + [nil])
    return failure == 0 ? .success(process) : .failure(Failure(rawValue: failure))
  }
}
