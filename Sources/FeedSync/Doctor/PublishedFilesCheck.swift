import Syncing

/// Whether the folder still holds all that this device has published.
package struct PublishedFilesCheck: DoctorCheck {
  package let name = "published"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand else { return [] }
    let missing = try device.missingOwnTransactions()
    guard !missing.isEmpty else { return [] }
    let ranges = missing.prefix(5).map { FindingWords.range($0.lowerBound, $0.upperBound) }
    let more = missing.count > ranges.count ? " and others" : ""
    return [
      Finding(
        .error, check: name,
        device: DeviceDescription(
          id: device.record.stream.description, name: device.record.name),
        file: device.container.directory(of: device.record.stream).string,
        message: "the folder does not hold \(ranges.joined(separator: ", "))\(more) of this"
          + " device, which it has published: machines that do not have them yet will not get them",
        hint: "'feedsync import' puts back what this device has kept, beside what is damaged; if"
          + " that does not end it, bring the files back from the syncer's versions (.stversions),"
          + " another machine or a backup; the documents are here all the same")
    ]
  }
}
