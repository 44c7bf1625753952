import Glibc

/// Keeps the numbers of the standard streams from files.
package enum StandardStreams {
  /// Opens what was closed when the command began (`>&-`), so that reading and writing fail.
  ///
  /// Else the first file that is opened, a segment or a lock, has the number, and results are
  /// written into it.
  package static func reserve() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is this one. For writing alone where reading is to fail, and the
      // other way round.
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
