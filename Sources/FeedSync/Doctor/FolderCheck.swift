/// Whether the folder is there, with this device's container in it.
package struct FolderCheck: DoctorCheck {
  package let name = "folder"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device, let absence = patient.absence else { return [] }
    let waiting = try device.database.unpublishedCount()
    let price =
      waiting == 0
      ? "" : "; waiting for it: \(CountText.of(waiting, "transaction")) of this device"
    return [
      Finding(
        .error, check: name, file: absence.file, message: absence.message + price,
        hint: absence.hint)
    ]
  }
}

/// Whether this device and the folder's other users can read each other's files.
package struct SharingCheck: DoctorCheck {
  package let name = "permissions"

  package func findings(in patient: Patient) -> [Finding] {
    guard let device = patient.deviceAtHand else { return [] }
    return device.folderProblems(patient.facts.accounts).map {
      Finding(.error, check: name, FeedSyncError($0, accounts: patient.facts.accounts))
    }
  }
}
