import ArgumentParser
import CanonicalJSON
import FeedSync

struct DoctorCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look for all that can be wrong, and say what to do.",
    discussion: """
      Looks at the folder and its file system, the local state and its database, what is missing \
      or set aside, clocks, the syncer's ignore file, and whether a watch runs. Works where other \
      commands fail. Writes nothing, but for a directory in the folder that it makes to try out \
      what publishing needs, and removes. Ends with status 0 if all is well, and 1 if something \
      was found; notes do not count. With --format json, each finding is one object a line.
      """)

  @OptionGroup var global: GlobalOptions

  func run() throws {
    let findings = diagnose()
    switch global.format {
    case .text: for line in FindingReport.text(findings) { Output.line(line) }
    case .json: for finding in findings { Output.line(FindingReport.json(finding)) }
    }
    if findings.contains(where: { $0.severity != .note }) { throw ExitStatus.found }
  }

  private func diagnose() -> [Finding] {
    do {
      let patient = Patient(
        directory: try global.directory(needsFolder: false), path: global.containerPath(),
        facts: .system)
      return Diagnosis.run(Diagnosis.checks + [ServiceCheck(global: global)], on: patient)
    } catch {
      return [Finding(.error, check: "state", FeedSyncError(error, operation: "doctor"))]
    }
  }
}

/// How findings are shown.
private enum FindingReport {
  static func json(_ finding: Finding) -> JSON {
    func text(_ value: String?) -> JSON { value.map { .text($0) } ?? .null }
    let device: JSON =
      finding.device.map { .object(["id": .text($0.id), "name": text($0.name)]) } ?? .null
    return .object([
      "check": .text(finding.check), "device": device, "file": text(finding.file),
      "hint": text(finding.hint), "message": .text(finding.message),
      "severity": .text(finding.severity.rawValue),
    ])
  }

  /// A paragraph for each.
  static func text(_ findings: [Finding]) -> [String] {
    guard !findings.isEmpty else { return ["all is well"] }
    let paragraphs = findings.map { finding in
      let file = finding.file.map { NameText.escaped($0) + ": " } ?? ""
      var lines = ["\(finding.severity): \(file)\(NameText.escaped(finding.message))"]
      if let hint = finding.hint { lines.append("  hint: \(NameText.escaped(hint))") }
      return lines
    }
    return Array(paragraphs.joined(separator: [""]))
  }
}
