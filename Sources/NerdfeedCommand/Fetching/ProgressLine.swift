import Foundation

/// A line on the terminal that is written over, and goes away before anything else is said.
///
/// Nothing where standard error is no terminal.
struct ProgressLine {
  private static let interval = Duration.milliseconds(100)

  private let isShown = isatty(STDERR_FILENO) == 1
  private var lastShown: ContinuousClock.Instant?
  private var isThere = false

  /// Shows `text`, at most ten times a second.
  mutating func show(_ text: String) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < Self.interval { return }
    lastShown = now
    isThere = true
    let line = TerminalText.line(text)
    Output.raw("\r" + CellText.fitted(line, columns: max(0, columns - 1)) + "\u{1B}[K")
  }

  /// Takes the line away.
  mutating func clear() {
    guard isThere else { return }
    isThere = false
    Output.raw("\r\u{1B}[K")
  }

  /// The terminal's width now; 80 where it does not say.
  private var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
