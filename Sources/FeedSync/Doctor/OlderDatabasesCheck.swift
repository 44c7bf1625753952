import Syncing

/// Databases whose place others have taken, and what they may hold alone.
package struct OlderDatabasesCheck: DoctorCheck {
  package let name = "older-databases"

  package func findings(in patient: Patient) throws -> [Finding] {
    try patient.directory.olderDatabases().map { older in
      guard older.isSalvaged else {
        return Finding(.warning, check: name, FeedSyncError(older: older))
      }
      return Finding(
        .note, check: name, file: older.directory.string,
        message: "this is an older database of the device; all that it holds is in the folder",
        hint: "it may be removed; feedsync never does it")
    }
  }
}
