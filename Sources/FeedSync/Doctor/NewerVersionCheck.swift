/// Whether a newer feedsync has written what this one understands only in part.
package struct NewerVersionCheck: DoctorCheck {
  package let name = "newer-version"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    let counts = try device.database.counts()
    guard counts.newerTransactions > 0 else { return [] }
    return [
      Finding(
        .warning, check: name,
        message: "a newer feedsync has written what this one understands only in part:"
          + " \(CountText.of(counts.newerTransactions, "transaction")),"
          + " \(CountText.of(counts.newerDocuments, "document"))",
        hint: "update feedsync on this machine; until then it is kept, and not shown")
    ]
  }
}
