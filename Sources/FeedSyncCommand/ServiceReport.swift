import BackgroundService
import CanonicalJSON
import FeedSync
import Foundation

/// What `service install` says.
struct ServiceInstallReport {
  let service: WatchService
  let file: String
  let done: ServiceInstaller.Installation
  let lingers: Bool

  private var startWord: String {
    switch done.start {
    case .started: "started"
    case .ranAlready: "running"
    case .unreachable, .readsElsewhere: "not-started"
    }
  }

  private var reason: String? {
    switch done.start {
    case .started, .ranAlready: nil
    case .unreachable(let reason): reason
    case .readsElsewhere: "it reads its units from another folder"
    }
  }

  var json: JSON {
    .object([
      "container": .text(service.container), "cron": .text(CronLine.render(service)),
      "file": .text(file), "linger": .bool(lingers), "program": .text(service.executable),
      "reason": reason.map { .text($0) } ?? .null, "result": .text(done.change.rawValue),
      "start": .text(startWord), "unit": .text(service.unit.description),
    ])
  }

  var text: [String] {
    let change = done.change == .unchanged ? "installed already" : done.change.rawValue
    let start =
      switch done.start {
      case .started: "started"
      case .ranAlready: "running already"
      case .unreachable, .readsElsewhere: "starts at the next login"
      }
    return ["\(service.unit): \(change), enabled, \(start)", "file \(file)"]
  }

  /// For standard error: what else to do.
  var hints: [String] {
    var hints: [String] = []
    if let reason {
      hints += [
        "hint: your systemd cannot be asked now (\(reason)). Where it runs, start the service with",
        "  systemctl --user daemon-reload && systemctl --user restart \(service.unit)",
        "hint: where there is no systemd, add this line with 'crontab -e' instead:",
        "  \(CronLine.render(service))",
      ]
    }
    if !lingers {
      hints += [
        "hint: it runs while you are logged in; to have it run from boot on: loginctl enable-linger"
      ]
    }
    if service.executable.contains("/.build/") {
      hints.append(
        "hint: the program is in a build folder; install it with tools/install, and run this again")
    }
    return hints
  }
}

/// What `service status` says of one unit.
struct ServiceStatusReport {
  let status: ServiceInstaller.Status
  /// Whether `install` would write the same unit again; nil if that is not known.
  let isCurrent: Bool?
  let problem: FeedSyncError?
  let lingers: Bool

  private var properties: UnitProperties? {
    guard case .unit(let properties) = status.manager, properties.file == status.file.string
    else { return nil }
    return properties
  }

  var unreachable: String? {
    switch status.manager {
    case .unreachable(let reason): reason
    case .unit(let properties):
      properties.isLoaded && self.properties == nil ? "it reads its units from another folder" : nil
    }
  }

  /// `running`, `waiting`, `failed`, `stopped` or `unknown`.
  var state: String {
    guard let properties else { return unreachable == nil ? "stopped" : "unknown" }
    if properties.isRunning { return "running" }
    if properties.isWaitingToRestart { return "waiting" }
    return properties.active == "failed" ? "failed" : "stopped"
  }

  /// Whether the file of the program that runs has been replaced since.
  var runsOldProgram: Bool {
    guard let process = properties?.process,
      let path = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(process)/exe")
    else { return false }
    return path.hasSuffix(" (deleted)")
  }

  var json: JSON {
    let program: JSON =
      status.program.map {
        .object(["exists": .bool(status.programExists), "path": .text($0)])
      } ?? .null
    return .object([
      "arguments": .array(status.arguments.map { .text($0) }),
      "current": isCurrent.map { .bool($0) } ?? .null, "enabled": .bool(status.isEnabled),
      "exit_status": properties.map { .number($0.exitStatus) } ?? .null,
      "file": .text(status.file.string), "installed": .bool(status.isInstalled),
      "linger": .bool(lingers), "old_program": .bool(runsOldProgram),
      "problem": problem.map { .text($0.message) } ?? .null,
      "process": properties?.process.map { .number($0) } ?? .null, "program": program,
      "reason": unreachable.map { .text($0) } ?? .null,
      "restarts": properties.map { .number($0.restarts) } ?? .null, "state": .text(state),
      "unit": .text(status.unit.description),
    ])
  }

  var text: [String] {
    guard status.isInstalled else {
      return ["\(status.unit): not installed; 'feedsync service install' does it"]
    }
    var lines = [
      "\(status.unit): \(stateText)\(status.isEnabled ? "" : ", not enabled")",
      "file \(status.file.string)",
    ]
    if let program = status.program {
      lines.append("program \(program)\(status.programExists ? "" : " (not there)")")
    }
    if let index = status.arguments.firstIndex(of: "--container"),
      index + 1 < status.arguments.count
    {
      lines.append("watches \(status.arguments[index + 1])")
    }
    if runsOldProgram {
      lines.append("runs an older program: systemctl --user restart \(status.unit)")
    }
    if isCurrent == false {
      lines.append("not up to date: 'feedsync service install' writes it anew")
    }
    if let problem { lines.append("problem: \(problem.message)") }
    lines.append(lingers ? "runs from boot on" : "runs while you are logged in")
    return lines
  }

  var stateText: String {
    let exit = properties.map { "exit status \($0.exitStatus)" } ?? ""
    switch state {
    case "running": return "running, process \(properties?.process ?? 0)"
    case "waiting":
      return "waiting to start again (\(exit), restarts: \(properties?.restarts ?? 0))"
    case "failed": return "failed (\(exit)); see 'journalctl --user -u \(status.unit)'"
    case "stopped": return "not running"
    default: return "not known to run: \(unreachable ?? "")"
    }
  }
}
