import Glibc

/// SIGQUIT, as Ctrl-\ on a terminal sends it.
package enum QuitSignal {
  /// Has it end this process, as it ends others, unless it was ignored when the process began.
  ///
  /// Where a Swift toolchain is on the machine, the runtime answers it by a report of a crash,
  /// which takes seconds, and has the process go on: what hangs could only be killed.
  package static func endProcess() {
    var now = sigaction()
    sigaction(SIGQUIT, nil, &now)
    let handler = unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
    guard handler != unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    signal(SIGQUIT, SIG_DFL)
  }
}
