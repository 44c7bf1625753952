import BackgroundService
import Testing

@Suite("The line for cron") struct CronLineTests {
  @Test("imports every five minutes, in full, and mails only what failed")
  func plain() throws {
    #expect(
      CronLine.render(try .sample())
        == "*/5 * * * * /home/ann/.local/bin/feedsync import --once"
        + " --state /home/ann/.local/share/feedsync --container /home/ann/Sync/notes >/dev/null")
  }

  @Test("keeps the umask of who made it, where that is not cron's")
  func umask() throws {
    #expect(CronLine.command(try .sample(umask: 0o002)).hasPrefix("umask 0002; /home"))
  }

  @Test(
    "means the same whatever a cron does with backslashes", arguments: WatchService.awkward)
  func awkward(path: String) throws {
    let quoted = CronLine.quoted(path)
    for cron in Cron.allCases {
      let given = try #require(cron.command(quoted), "\(quoted) ends early")
      #expect(Shell.word(given) == path, "\(cron): \(quoted)")
    }
  }

  @Test("says when it is too long for an old cron")
  func length() throws {
    #expect(CronLine.isShortEnough(try .sample()))
    let long = "/" + String(repeating: "x", count: 1000)
    #expect(!CronLine.isShortEnough(try .sample(container: long)))
  }
}

/// What crons do with a command before the shell gets it.
private enum Cron: CaseIterable {
  case leavesBackslashes
  case takesThemFromPercents
  case takesThemFromBackslashesToo

  /// Nil where a percent sign ends the command.
  func command(_ text: String) -> String? {
    var result = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      if character == "%" { return nil }
      guard character == "\\", let next = rest.popFirst() else {
        result.append(character)
        continue
      }
      if !takes(next) { result.append("\\") }
      result.append(next)
    }
    return result
  }

  private func takes(_ character: Character) -> Bool {
    switch self {
    case .leavesBackslashes: false
    case .takesThemFromPercents: character == "%"
    case .takesThemFromBackslashesToo: character == "%" || character == "\\"
    }
  }
}

/// As much of sh as the quoting uses.
private enum Shell {
  /// The one word that the text is; nil where it would mean anything else.
  static func word(_ text: String) -> String? {
    var result = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      switch character {
      case "'", "\"":
        guard let end = rest.firstIndex(of: character) else { return nil }
        let inner = rest[..<end]
        if character == "\"", inner != "'" { return nil }
        result += inner
        rest = rest[rest.index(after: end)...]
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        result.append(next)
      case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "%": result.append(character)
      default: return nil
      }
    }
    return result
  }
}
