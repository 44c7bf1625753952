import ArgumentParser
import BackgroundService
import CanonicalJSON
import FeedSync

struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Keep 'watch' running in the background.",
    discussion: """
      'install' writes a systemd unit of the user's for one container, enables it and starts it. \
      It needs no root. It starts again by itself after a failure, and waits for a folder that is \
      away, however long. Each container has a unit of its own. Where there is no systemd, \
      'cron' prints a line that imports every five minutes.
      """,
    subcommands: [
      ServiceInstallCommand.self, ServiceRemoveCommand.self, ServiceStatusCommand.self,
      ServiceCronCommand.self,
    ])
}

struct ServiceInstallCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Write, enable and start the unit that runs 'watch'.",
    discussion: """
      Run it again after the folder or the program has moved: it brings the unit up to date. \
      What 'watch' prints goes to the journal. Changes of your own belong into a drop-in \
      ('systemctl --user edit UNIT'), which stays when the unit is written anew.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Print the unit, and change nothing.") var dryRun = false

  func run() throws {
    let setup = ServiceSetup(global)
    try FeedSyncError.wording("install the service") {
      let service = try setup.service(of: try global.open(needsFolder: false))
      let installer = try setup.installer()
      guard !dryRun else { return printUnit(service, installer) }
      let report = ServiceInstallReport(
        service: service, file: installer.file(of: service.unit).string,
        done: try installer.install(service), lingers: ServiceSetup.lingers)
      switch global.format {
      case .text:
        for line in report.text { Output.line(line) }
        for hint in report.hints { Output.warn(hint) }
      case .json: Output.line(report.json)
      }
    }
  }

  private func printUnit(_ service: WatchService, _ installer: ServiceInstaller) {
    let text = UnitText.render(service)
    switch global.format {
    case .text: Output.line(String(text.dropLast()))
    case .json:
      Output.line(
        .object([
          "file": .text(installer.file(of: service.unit).string), "text": .text(text),
          "unit": .text(service.unit.description),
        ]))
    }
  }
}

struct ServiceRemoveCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop and disable the unit, and remove it.",
    discussion: "Removes what 'install' made, and nothing else: documents and folder stay.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Remove the units of all containers, also of those that are gone.") var all = false

  func run() throws {
    let setup = ServiceSetup(global)
    try FeedSyncError.wording("remove the service") {
      let installer = try setup.installer()
      let units = all ? try installer.installed() : [try setup.unit()]
      for unit in units { report(unit, try installer.remove(unit)) }
    }
  }

  private func report(_ unit: UnitName, _ done: ServiceInstaller.Removal) {
    switch global.format {
    case .text:
      Output.line("\(unit): \(done.wasInstalled ? "removed" : "was not installed")")
      if let reason = done.unreachable {
        Output.warn(
          "feedsync: the user's systemd does not answer (\(reason)); a watch that it runs goes on"
            + " until you log out, or until: systemctl --user stop \(unit)")
      }
    case .json:
      Output.line(
        .object([
          "manager": .text(done.unreachable == nil ? "reachable" : "unreachable"),
          "reason": done.unreachable.map { .text($0) } ?? .null,
          "removed": .bool(done.wasInstalled), "unit": .text(unit.description),
        ]))
    }
  }
}

struct ServiceStatusCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say whether the unit is there, enabled and running.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Of the units of all containers.") var all = false

  func run() throws {
    let setup = ServiceSetup(global)
    try FeedSyncError.wording("look at the service") {
      let installer = try setup.installer()
      guard !all else {
        for unit in try installer.installed() { report(try installer.status(of: unit), nil, nil) }
        return
      }
      let unit = try setup.unit()
      do {
        report(
          try installer.status(of: unit),
          try setup.service(of: try global.openDevice(needsFolder: false)), nil)
      } catch {
        // The unit can be looked at where its device cannot be opened.
        let problem = FeedSyncError(error, operation: "open the device")
        report(try installer.status(of: unit), nil, problem)
      }
    }
  }

  private func report(
    _ status: ServiceInstaller.Status, _ service: WatchService?, _ problem: FeedSyncError?
  ) {
    let report = ServiceStatusReport(
      status: status, isCurrent: service.map { status.isCurrent($0) }, problem: problem,
      lingers: ServiceSetup.lingers)
    switch global.format {
    case .text: for line in report.text { Output.line(line) }
    case .json: Output.line(report.json)
    }
  }
}

struct ServiceCronCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "cron", abstract: "Print a crontab line that imports every five minutes.",
    discussion: """
      It names program, state and container in full, so it works in cron's empty environment, and \
      beside a 'watch'. To add it: (crontab -l; feedsync service cron) | crontab -
      """)

  @OptionGroup var global: GlobalOptions

  func run() throws {
    try FeedSyncError.wording("make a line for cron") {
      let service = try ServiceSetup(global).service(of: try global.openDevice(needsFolder: false))
      let line = CronLine.render(service)
      switch global.format {
      case .text: Output.line(line)
      case .json: Output.line(.object(["line": .text(line)]))
      }
      if !CronLine.isShortEnough(service) {
        Output.warn("feedsync: warning: some versions of cron take no lines of this length")
      }
    }
  }
}
