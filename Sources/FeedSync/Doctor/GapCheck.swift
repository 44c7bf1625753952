import Syncing

/// Whether something of a device is missing though later parts of it are here.
package struct GapCheck: DoctorCheck {
  package let name = "gap"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    return try device.knownGaps().map { gap in
      let author = DeviceDescription(id: gap.stream.description, name: gap.name)
      let range = FindingWords.range(gap.first, gap.last)
      return Finding(
        .warning, check: name, device: author,
        message: "missing from \(author.words): \(range), since \(FindingWords.moment(gap.since));"
          + " what it wrote after waits for that",
        hint: "let the syncer finish on both machines, and look there for a file that it cannot"
          + " send; it is in the folder of \(author.words), under logs/\(author.id)")
    }
  }
}
