import SharedFolder

/// Whether Syncthing leaves out what it must not carry, and carries what it must.
package struct IgnoreFileCheck: DoctorCheck {
  package let name = "ignore-patterns"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let container = patient.folderAtHand,
      let found = try SyncerIgnoreFile(container: container).inspect()
    else { return [] }
    var findings: [Finding] = []
    if !found.missing.isEmpty {
      findings.append(
        Finding(
          .warning, check: name, file: found.file.string,
          message: "Syncthing is not told to leave out \(found.missing.joined(separator: ", "))",
          hint: "add these lines, or remove the lines from '// feedsync: begin' to"
            + " '// feedsync: end' and run 'feedsync init \(ShellWord.quoted(container.root))'"))
    }
    findings += found.harmful.map { pattern in
      Finding(
        .error, check: name, file: found.file.string,
        message: "the line '\(pattern)' keeps Syncthing from carrying feedsync's files",
        hint: "remove the line; if it is meant for others, put '!logs/**/*.log' in front of it")
    }
    return findings
  }
}
