import Glibc

/// How large a file may become by what this process writes (`ulimit -f`).
package enum FileSizeLimit {
  /// In bytes; nil if there is no limit.
  package static var bytes: UInt64? {
    var limit = rlimit()
    let isKnown = getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0
    guard isKnown, limit.rlim_cur != .max else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// Has a write beyond it fail (EFBIG), as one to a full disk does: else a signal ends the process
  /// amid whatever it does, without a word.
  package static func failBeyond() { signal(SIGXFSZ, SIG_IGN) }
}
