/// Whether SQLite finds the local database sound.
package struct DatabaseCheck: DoctorCheck {
  package let name = "database"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    let file = device.database.file
    return try device.database.integrityProblems().map { problem in
      Finding(
        .error, check: name, file: file.string,
        message: "the local database is damaged: \(problem)",
        hint: "move the directory \(file.removingLastComponent().string) away and run 'feedsync"
          + " init DIR', which reads the folder anew as another device: only what was not"
          + " published is then missing")
    }
  }
}
