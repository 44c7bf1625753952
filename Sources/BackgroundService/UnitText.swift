/// The systemd unit that keeps `watch` running.
package enum UnitText {
  /// The first line, by which a unit of feedsync's is known.
  static let header =
    "# Written by 'feedsync service install'; 'feedsync service remove' takes it away."

  private static let execStart = "ExecStart="
  private static let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\""]

  package static func render(_ service: WatchService) -> String {
    """
    \(header)
    # Changes of your own belong into a drop-in: systemctl --user edit \(service.unit)
    [Unit]
    Description=feedsync watch of \(plain(service.identifier))
    # The folder may be away for days: never give up on it.
    StartLimitIntervalSec=0

    [Service]
    Type=exec
    \(execStart)\(command(service))
    Restart=on-failure
    RestartSec=30
    # Wrong usage and wrong configuration do not mend themselves.
    RestartPreventExitStatus=64 78
    TimeoutStopSec=30
    # New files get the permissions that they get when feedsync is called by hand.
    UMask=\(service.umaskDigits)
    # Nothing that needs a mount namespace: folders that are mounted later would be missing in it.
    NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    SystemCallArchitectures=native

    [Install]
    WantedBy=default.target

    """
  }

  private static func command(_ service: WatchService) -> String {
    let arguments = service.watchArguments.map { UnitQuoting.argument($0) }
    guard UnitQuoting.canBeProgram(service.executable) else {
      let words = (shell + [service.executable]).map { UnitQuoting.argument($0) }
      return (words + arguments).joined(separator: " ")
    }
    return ([UnitQuoting.program(service.executable)] + arguments).joined(separator: " ")
  }

  /// Text that can end no line and name no specifier.
  private static func plain(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%%"
      // At the end of a line it would join the next one.
      case "\\": result += "/"
      case _ where scalar.properties.generalCategory == .control: result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether the text is one that ``render(_:)`` made, in this version or another.
  static func isOurs(_ text: String) -> Bool {
    text.hasPrefix("# Written by 'feedsync service install'")
  }

  /// The program that a unit runs, and its arguments; nil where a user wrote the line anew.
  package static func command(of text: String) -> (program: String, arguments: [String])? {
    let lines = text.split(separator: "\n").filter { $0.hasPrefix(execStart) }
    guard let line = lines.last,
      var words = UnitQuoting.words(line.dropFirst(execStart.count))
    else { return nil }
    if words.starts(with: shell) { words.removeFirst(shell.count) }
    guard let program = words.first else { return nil }
    return (program, Array(words.dropFirst()))
  }
}
