import FeedSync

/// Whether the service that keeps `watch` running does so, where one is installed.
struct ServiceCheck: DoctorCheck {
  let global: GlobalOptions
  let name = "service"

  func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device, device.record.leftAt == nil else { return [] }
    let setup = ServiceSetup(global)
    let status = try FeedSyncError.wording("look at the service") {
      try setup.installer().status(of: try setup.unit())
    }
    guard status.isInstalled else { return [] }
    let isCurrent = (try? setup.service(of: device)).map { status.isCurrent($0) }
    let report = ServiceStatusReport(
      status: status, isCurrent: isCurrent, problem: nil, lingers: ServiceSetup.lingers)
    let unit = status.unit.description
    func finding(_ severity: Finding.Severity, _ message: String, _ hint: String) -> Finding {
      Finding(severity, check: name, file: status.file.string, message: message, hint: hint)
    }
    if !status.programExists, let program = status.program {
      return [
        finding(
          .error, "the service cannot run: its program \(program) is not there",
          "run 'feedsync service install' of the program that you use now")
      ]
    }
    switch report.state {
    case "running": break
    case "unknown":
      return [
        finding(
          .note, "whether the service runs cannot be asked here: \(report.unreachable ?? "")",
          "log in and ask again, or: systemctl --user status \(unit)")
      ]
    default:
      return [
        finding(
          .error, "the service is installed, and does not run: \(report.stateText)",
          "see 'journalctl --user -u \(unit)', then: systemctl --user restart \(unit)")
      ]
    }
    var findings: [Finding] = []
    if !status.isEnabled {
      findings.append(
        finding(
          .warning, "the service runs, and will not be started at the next login",
          "run 'feedsync service install'"))
    }
    if isCurrent == false {
      findings.append(
        finding(
          .warning, "the service was installed for another folder, program or state",
          "run 'feedsync service install', which writes it anew"))
    }
    if report.runsOldProgram {
      findings.append(
        finding(
          .warning, "the service runs a program that has been replaced since",
          "systemctl --user restart \(unit)"))
    }
    return findings
  }
}
