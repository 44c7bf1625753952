import DocumentStorage
import Replication
import Syncing

/// Whether something of a device is missing though later parts of it are here, or others have seen
/// it.
package struct GapCheck: DoctorCheck {
  package let name = "gap"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    return try gaps(device) + unseen(device) + givenUp(device)
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
    let known = try KnownDevices(device)
    return try device.database.missingParts().map { part in
      let author = known.description(of: part.stream)
      let since = known.gapSince(of: part.stream).map { FindingWords.moment($0) }
      var message = "missing from \(author.words)"
      if let since { message += ", since \(since)" }
      message += ": others have built on it up to transaction \(part.last)"
      if !part.waiting.isEmpty {
        message +=
          "; until it comes, what \(known.words(part.waiting)) wrote after that"
          + " is imported, and not taken for seen by what is written here"
      }
      if !part.statements.isEmpty {
        message +=
          "; until it comes, what \(known.words(part.statements)) dropped since then may show here"
      }
      if !part.removals.isEmpty {
        let waiting = CountText.of(part.removals.count, "removal here waits", "removals here wait")
        message += "; \(waiting) for it"
      }
      return Finding(
        .warning, check: name, device: author, message: message,
        hint: "let the syncer finish; if that device is gone, a device that has its writes can"
          + " bring them back with 'feedsync devices retire \(author.id.prefix(8))'"
          + Self.lastResort(author))
    }
  }

  /// What others have dropped, and shows here for good, since what was written instead of it was
  /// given up.
  private func givenUp(_ device: Device) throws -> [Finding] {
    let authors = try device.database.statementsGivenUp()
    guard !authors.isEmpty else { return [] }
    let known = try KnownDevices(device)
    return authors.sorted { $0.key < $1.key }.map { stream, authors in
      let lost = known.description(of: stream)
      return Finding(
        .warning, check: name, device: lost,
        message: "given up of \(lost.words): what \(known.words(authors.sorted())) dropped after"
          + " having seen it may go on showing here, where others show it no more",
        hint: "a device that has what is missing brings it back with 'feedsync devices retire"
          + " \(lost.id.prefix(8))'; it is imported then as if it had not been given up")
    }
  }

  private static func lastResort(_ author: DeviceDescription) -> String {
    "; if it never comes, 'feedsync devices skip \(author.id.prefix(8))' goes on without it"
  }
}

/// The devices that are known, for findings that name several.
private struct KnownDevices {
  private let summaries: [StreamID: StreamSummary]

  init(_ device: Device) throws {
    summaries = Dictionary(
      uniqueKeysWithValues: try device.database.streamSummaries().map { ($0.stream, $0) })
  }

  func description(of stream: StreamID) -> DeviceDescription {
    DeviceDescription(id: stream.description, name: summaries[stream]?.name)
  }

  func gapSince(of stream: StreamID) -> Int64? { summaries[stream]?.gapSince }

  func words(_ streams: [StreamID]) -> String {
    streams.map { description(of: $0).words }.joined(separator: ", ")
  }
}
