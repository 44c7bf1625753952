/// What the user's systemd says of a unit.
package struct UnitProperties: Equatable, Sendable {
  /// Such as `loaded`, `not-found`, `bad-setting` or `masked`.
  package let load: String
  /// Such as `active`, `activating`, `inactive` or `failed`.
  package let active: String
  /// Such as `running`, `auto-restart` or `dead`.
  package let sub: String
  /// The file that it read; empty for none.
  package let file: String
  package let process: Int32?
  package let restarts: Int
  /// How the last run ended, such as `success` or `exit-code`.
  package let result: String
  package let exitStatus: Int32
  /// Whether its files are others by now than those that were read.
  package let needsReload: Bool

  static let names = [
    "LoadState", "ActiveState", "SubState", "FragmentPath", "MainPID", "NRestarts", "Result",
    "ExecMainStatus", "NeedDaemonReload",
  ]

  /// Reads what `systemctl show` prints: a line `Name=value` each, of which some may be missing.
  package init(parsing text: String) {
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      values[line[..<equals]] = line[line.index(after: equals)...]
    }
    func word(_ name: Substring) -> String { values[name].map { String($0) } ?? "" }
    load = word("LoadState")
    active = word("ActiveState")
    sub = word("SubState")
    file = word("FragmentPath")
    process = Int32(word("MainPID")).flatMap { $0 > 0 ? $0 : nil }
    restarts = Int(word("NRestarts")) ?? 0
    result = word("Result")
    exitStatus = Int32(word("ExecMainStatus")) ?? 0
    needsReload = word("NeedDaemonReload") == "yes"
  }

  package var isLoaded: Bool { load == "loaded" }
  package var isRunning: Bool { active == "active" }
  /// It has ended with a failure, and is started again after a while.
  package var isWaitingToRestart: Bool { active == "activating" && sub == "auto-restart" }
}
