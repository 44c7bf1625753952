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
        hint: "run 'feedsync rebuild', which puts the database aside, publishes what it still"
          + " gives, and reads the folder anew as another device")
    }
  }
}
