import Foundation

/// A program that is run with this process's terminal, or without one.
///
/// Not by Foundation's `Process`: on Linux it puts each program into a process group of its own,
/// which may not read the terminal that another has; and its programs begin with those signals
/// blocked that the calling thread blocks.
enum BrowserProcess {
  /// Why a program could not be run.
  struct Failure: Error, CustomStringConvertible {
    let number: Int32

    var description: String { String(cString: strerror(number)) }
  }

  private static let signalBase: Int32 = 128

  /// Runs a program and waits for its end.
  ///
  /// With the terminal, what the user types there to interrupt or stop programs is the other one's
  /// meanwhile: this process does not end by it, and stops with it.
  ///
  /// - returns: how it ended, as a shell would show it.
  static func run(_ words: [String], inBackground isInBackground: Bool) throws(Failure) -> Int32 {
    guard !isInBackground else { return try end(of: start(words, inBackground: true)) }
    let former = [(SIGINT, SIG_IGN), (SIGQUIT, SIG_IGN), (SIGTSTP, SIG_DFL)].map {
      number, handler in
      var (action, old) = (sigaction(), sigaction())
      action.__sigaction_handler.sa_handler = handler
      sigaction(number, &action, &old)
      return (number, old)
    }
    defer {
      for (number, old) in former {
        var old = old
        sigaction(number, &old, nil)
      }
    }
    return try end(of: start(words, inBackground: false))
  }

  private static func end(of process: pid_t) throws(Failure) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // Whoever started this process may have had it ignore how others end.
      if errno == ECHILD { return 0 }
      guard errno == EINTR else { throw Failure(number: errno) }
    }
    let number = status & 0x7F
    return number == 0 ? status >> 8 & 0xFF : signalBase + number
  }

  private static func start(
    _ words: [String], inBackground isInBackground: Bool
  ) throws(Failure) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // It begins with the signals as a shell would start it with.
    var (defaults, mask) = (sigset_t(), sigset_t())
    sigfillset(&defaults)
    sigemptyset(&mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    var flags = Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK)
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    if isInBackground {
      // It outlives the terminal, and is not stopped from there.
      flags |= Int16(POSIX_SPAWN_SETPGROUP)
      for (descriptor, mode) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] {
        posix_spawn_file_actions_addopen(&files, Int32(descriptor), "/dev/null", mode, 0)
      }
    }
    posix_spawnattr_setflags(&attributes, flags)
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
    let arguments = words.map { strdup($0) }
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawnp(
      &process, words[0], &files, &attributes, arguments + [nil], variables + [nil])
    guard failure == 0 else { throw Failure(number: failure) }
    return process
  }
}
