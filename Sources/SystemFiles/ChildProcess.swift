import Glibc
import SystemPackage

/// A program that this process has started and waits for: for it alone, not for what it leaves.
///
///     let child = try ChildProcess.start(["/bin/sh", "-c", text], environment, streams)
///     let status = try child.end()
///
/// Foundation's `Process` has its child inherit a socket, whose other end tells it of the child's
/// end: a program in the background that the child has left keeps that open.
package struct ChildProcess: Sendable {
  /// What shells add to the number of a signal that has ended a program.
  private static let signalBase: Int32 = 128
  private static let firstOther: Int32 = 3

  package let number: Int32

  /// What a program reads and writes: descriptors of this process.
  package struct Streams: Sendable {
    let input: Int32
    let output: Int32
    let errors: Int32

    package init(input: Int32, output: Int32, errors: Int32) {
      (self.input, self.output, self.errors) = (input, output, errors)
    }
  }

  /// Starts a program, which gets the streams and no other descriptor.
  ///
  /// It begins with no signal blocked, and SIGPIPE and SIGXFSZ as usual, whatever this process has
  /// of them, and in a group of its own: what ends this process from a terminal leaves it its time.
  ///
  /// - parameter words: the program's path, and its arguments.
  package static func start(
    _ words: [String], _ environment: [String: String], _ streams: Streams
  ) throws(Errno) -> ChildProcess {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (defaults, mask) = (sigset_t(), sigset_t())
    sigemptyset(&mask)
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = [POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSIGDEF, POSIX_SPAWN_SETPGROUP]
    posix_spawnattr_setflags(&attributes, flags.reduce(0) { $0 | Int16($1) })
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(streams, &actions)
    let arguments = words.map { strdup($0) }
    let variables = environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + variables { free(text) } }
    var number: pid_t = 0
    let failure = posix_spawn(
      &number, words.first ?? "", &actions, &attributes, arguments + [nil], variables + [nil])
    guard failure == 0 else { throw Errno(rawValue: failure) }
    return ChildProcess(number: number)
  }

  /// Has the streams be the child's first three descriptors, and all others closed.
  private static func prepare(_ streams: Streams, _ actions: inout posix_spawn_file_actions_t) {
    for (target, source) in [streams.input, streams.output, streams.errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
    }
    // A library may have opened some that a child would inherit, such as libinotifytools. Where
    // /proc is not mounted, these stay open.
    let open = (try? LinuxFileSystem().list("/proc/self/fd")) ?? []
    for entry in open {
      guard let number = Int32(String(decoding: entry.bytes, as: UTF8.self)), number >= firstOther
      else { continue }
      posix_spawn_file_actions_addclose(&actions, number)
    }
  }

  /// Waits for its end, and leaves it to ``end()`` to say what that was.
  ///
  /// Until then the system gives its number to no other process.
  package func awaitEnd() throws(Errno) { _ = try look(WEXITED | WNOWAIT) }

  /// Waits for its end, and returns how it ended, as a shell would show it; to be called once.
  package func end() throws(Errno) -> Int32 {
    var status: Int32 = 0
    if case .failure(let errno) = SystemCall.attempt({ Int(waitpid(number, &status, 0)) }) {
      throw errno
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : Self.signalBase + signal
  }

  /// Ends it by SIGKILL; only before ``end()``.
  package func kill() { _ = Glibc.kill(number, SIGKILL) }

  private var hasEnded: Bool { (try? look(WEXITED | WNOWAIT | WNOHANG)) ?? true }

  /// - returns: whether it has ended.
  private func look(_ options: Int32) throws(Errno) -> Bool {
    var information = siginfo_t()
    let result = SystemCall.attempt {
      Int(waitid(P_PID, id_t(number), &information, options))
    }
    if case .failure(let errno) = result { throw errno }
    // Where there is nothing to tell, the structure stays empty.
    return information.si_signo == SIGCHLD
  }
}

// MARK: - What it reads

extension ChildProcess {
  /// How often it is asked whether it still runs while it does not read.
  private static let lookMilliseconds: Int32 = 100

  /// A pipe for a program to read from, which blocks for it and not for this process.
  package static func inputPipe() throws(Errno) -> (output: Int32, input: Int32) {
    guard let pipe = RawLinux.pipe() else { throw Errno(rawValue: Glibc.errno) }
    let flags = fcntl(pipe.output, F_GETFL)
    guard flags >= 0, fcntl(pipe.output, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
      let errno = Errno(rawValue: Glibc.errno)
      for end in [pipe.output, pipe.input] { close(end) }
      throw errno
    }
    return pipe
  }

  /// Writes into such a pipe what the program may not want to read: ending that is its right.
  ///
  /// It ends with the program, too: what that has left in the background may hold the pipe open.
  package func feed(_ bytes: [UInt8], into pipe: Int32) throws(Errno) {
    let failure = BrokenPipe.heldBack { () -> Int32? in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
          continue
        }
        switch Glibc.errno {
        case EINTR: continue
        case EPIPE: return nil
        case EAGAIN:
          var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
          if poll(&room, 1, Self.lookMilliseconds) == 0, hasEnded { return nil }
        default: return Glibc.errno
        }
      }
      return nil
    }
    if let failure { throw Errno(rawValue: failure) }
  }
}
