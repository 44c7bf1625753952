import DocumentStorage
import Replication
import Syncing

/// Whether something of a device is missing though later parts of it are here, or others have seen
/// it.
package struct GapCheck: DoctorCheck {
  package let name = "gap"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    return try gaps(device) + unseen(device)
  }

  private func gaps(_ device: Device) throws -> [Finding] {
    try device.knownGaps().map { gap in
      let author = DeviceDescription(id: gap.stream.description, name: gap.name)
      let range = FindingWords.range(gap.first, gap.last)
      return Finding(
        .warning, check: name, device: author,
        message: "missing from \(author.words): \(range), since \(FindingWords.moment(gap.since));"
          + " what it wrote after waits for that",
        hint: "let the syncer finish on both machines, and look there for a file that it cannot"
          + " send; it is in the folder of \(author.words), under logs/\(author.id)"
          + Self.lastResort(author))
    }
  }

  /// What nothing in the folder tells of, but the writes of those who have seen it.
  private func unseen(_ device: Device) throws -> [Finding] {
    let streams = Dictionary(
      uniqueKeysWithValues: try device.database.streamSummaries().map { ($0.stream, $0) })
    return try device.database.missingParts().map { part in
      let author = DeviceDescription(
        id: part.stream.description, name: streams[part.stream]?.name)
      let since = streams[part.stream]?.gapSince.map { FindingWords.moment($0) }
      func words(_ devices: [StreamID]) -> String {
        devices.map { DeviceDescription(id: $0.description, name: streams[$0]?.name).words }
          .joined(separator: ", ")
      }
      var message = "missing from \(author.words)"
      if let since { message += ", since \(since)" }
      message += ": others have built on it up to transaction \(part.last)"
      if !part.waiting.isEmpty {
        message +=
          "; until it comes, what \(words(part.waiting)) wrote after that"
          + " is imported, and not taken for seen by what is written here"
      }
      if !part.statements.isEmpty {
        message +=
          "; until it comes, what \(words(part.statements)) dropped since then may show here"
      }
      if !part.removals.isEmpty {
        message += "; \(FindingWords.count(part.removals.count, "removal")) here wait for it"
      }
      return Finding(
        .warning, check: name, device: author, message: message,
        hint: "let the syncer finish; if that device is gone, a device that has its writes can"
          + " bring them back with 'feedsync devices retire \(author.id.prefix(8))'"
          + Self.lastResort(author))
    }
  }

  private static func lastResort(_ author: DeviceDescription) -> String {
    "; if it never comes, 'feedsync devices skip \(author.id.prefix(8))' goes on without it"
  }
}
