import Syncing

/// Whether something waits to be published that should not have to.
package struct OutboxCheck: DoctorCheck {
  package let name = "unpublished"
  /// A write publishes what it has written; only one that was interrupted leaves it to the next.
  static let patience: Int64 = 10 * 60_000

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand, device.record.leftAt == nil,
      let oldest = try device.database.oldestUnpublished()
    else { return [] }
    let written = Int64(oldest.milliseconds)
    let count = try device.database.unpublishedCount()
    let age = device.ambient.now() - written
    // Once a device with a clock far ahead was heard of, all that is written bears its time.
    guard age > Self.patience || age < 0 else { return [] }
    let since = age < 0 ? "" : ", the first written at \(FindingWords.moment(written))"
    return [
      Finding(
        .warning, check: name, file: device.container.root.string,
        message:
          "not in the folder yet: \(CountText.of(count, "transaction")) of this device"
          + since,
        hint: "run 'feedsync import --once', which publishes what waits or says why it cannot")
    ]
  }
}
