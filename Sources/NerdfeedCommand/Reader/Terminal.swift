import Foundation

/// The terminal, while the reader has it for itself.
///
/// ``leave()`` gives it back as it was; it may be called any number of times.
final class Terminal {
  private var former: termios?
  private var shown: [ScreenLine]?

  /// Whether a user sits in front of it.
  static var isThere: Bool {
    let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !kind.isEmpty
      && kind != "dumb"
  }

  /// The rows and columns now; 24 and 80 where it does not say.
  static var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
    else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Takes each key as it is pressed, and the second screen that terminals have for programs.
  func enter() {
    var settings = termios()
    guard former == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    former = settings
    cfmakeraw(&settings)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    // The alternate screen; no cursor.
    Self.write("\u{1B}[?1049h\u{1B}[?25l")
    shown = nil
  }

  func leave() {
    guard var settings = former else { return }
    former = nil
    // First: who sees the shell's screen again and types has a line that ends with Enter.
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    Self.write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
  }

  /// Draws everything anew the next time.
  func forget() { shown = nil }

  /// Draws what differs from what is there.
  func show(_ lines: [ScreenLine]) {
    let text = TerminalFrame.text(from: shown, to: lines)
    shown = lines
    if !text.isEmpty { Self.write(text) }
  }

  private static func write(_ text: String) { Output.screen(Array(text.utf8)) }
}

/// The control sequences that turn one screen into another.
enum TerminalFrame {
  static func text(from former: [ScreenLine]?, to lines: [ScreenLine]) -> String {
    var result = former == nil ? "\u{1B}[0m\u{1B}[2J" : ""
    for (index, line) in lines.enumerated() {
      if let former, index < former.count, former[index] == line { continue }
      result += "\u{1B}[\(index + 1);1H\(style(line.style))\(line.text)\u{1B}[0m\u{1B}[K"
    }
    if let former, former.count > lines.count {
      result += "\u{1B}[\(lines.count + 1);1H\u{1B}[J"
    }
    return result
  }

  private static func style(_ style: ScreenLine.Style) -> String {
    switch style {
    case .plain: ""
    case .bold: "\u{1B}[1m"
    case .selected, .bar: "\u{1B}[7m"
    }
  }
}
