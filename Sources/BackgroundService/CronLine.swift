/// A line for `crontab -e` that works with the little that cron gives a command.
package enum CronLine {
  /// Some crons cut or refuse a command of more bytes than this.
  private static let safeBytes = 990

  /// Imports every five minutes; what was imported is not mailed, what failed is.
  package static func render(_ service: WatchService) -> String {
    "*/5 * * * * " + command(service)
  }

  /// Whether every cron takes the line.
  package static func isShortEnough(_ service: WatchService) -> Bool {
    command(service).utf8.count <= safeBytes
  }

  /// The part after the times.
  package static func command(_ service: WatchService) -> String {
    let words = ([service.executable] + service.importArguments).map { quoted($0) }
    let umask = service.umask == usualUmask ? "" : "umask \(service.umaskDigits); "
    return umask + words.joined(separator: " ") + " >/dev/null"
  }

  /// What cron starts commands with nearly everywhere.
  private static let usualUmask: UInt32 = 0o022

  /// A word for the shell, as it must stand in a crontab.
  ///
  /// A percent sign ends a command unless a backslash stands before it. Some crons take that
  /// backslash away and some leave it to the shell, and some make one backslash of two; outside of
  /// the shell's quotes, and never two in a row, they all come to the same.
  package static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.unicodeScalars.allSatisfy({ isPlain($0) }) { return text }
    var result = "'"
    for character in text.unicodeScalars {
      switch character {
      case "%": result += "'\\%'"
      case "'": result += "'\"'\"'"
      case "\\": result += "\\''"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "'"
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ",", ":", "@": true
    default: false
    }
  }
}
