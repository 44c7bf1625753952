import SharedFolder
import SystemFiles
import SystemPackage

/// Whether the local state lies where a database may, for its owner alone.
package struct StatePlaceCheck: DoctorCheck {
  package let name = "state"

  package func findings(in patient: Patient) throws -> [Finding] {
    let files = patient.directory.files
    // A state that is not there has no place yet.
    guard (try? files.status(of: patient.directory.root)) != nil else { return [] }
    let root = try files.canonicalPath(of: patient.directory.root)
    var findings: [Finding] = []
    if let place = SyncedPlace.around(root, files: files) {
      findings.append(
        Finding(
          .error, check: name, file: root.string,
          message: "the local state lies in \(place.folder.string), which \(place.syncer) syncs",
          hint: "a database that is synced is damaged sooner or later: end all feedsync processes,"
            + " move the state elsewhere (mv), and name the new place with FEEDSYNC_STATE"))
    }
    if case .unknown(let kind) = patient.directory.fitness() {
      findings.append(
        Finding(
          .note, check: name, file: root.string,
          message: "the local state is on \(kind), behind which may be a network",
          hint: "if other machines can write there, set FEEDSYNC_STATE to a local disk"))
    }
    return findings
      + openPlaces(patient).map { path, mode in
        Finding(
          .warning, check: name, file: path.string,
          message: "other users may look into the local state (mode \(String(mode, radix: 8)))",
          hint: "chmod go= '\(path.string)'")
      }
  }

  /// The files of the state that others than the owner have a right to.
  private func openPlaces(_ patient: Patient) -> [(FilePath, UInt32)] {
    let files = patient.directory.files
    let database = patient.deviceState?.appending("store.sqlite")
    return [patient.directory.root, patient.deviceState, database].compactMap { $0 }
      .compactMap { path in
        guard let status = try? files.status(of: path), status.mode & 0o077 != 0 else { return nil }
        return (path, status.mode & 0o777)
      }
  }
}
