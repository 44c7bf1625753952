import SharedFolder
import Syncing
import SystemFiles

/// What else is in the state directory: devices of containers that are gone, and what was left.
package struct OtherStatesCheck: DoctorCheck {
  package let name = "other-states"

  package func findings(in patient: Patient) throws -> [Finding] {
    let directory = patient.directory
    guard (try? directory.files.status(of: directory.root)) != nil else { return [] }
    if case .unfit = directory.fitness() { return [] }
    let examined = patient.containerID
    // What `init --adopt` has left behind is another check's.
    let adopted = try Set(directory.olderDatabases().map(\.directory))
    return try directory.containers()
      .filter { $0.id != examined && !adopted.contains(directory.directory(of: $0.id)) }
      .compactMap { finding($0, in: directory) }
  }

  private func finding(_ known: KnownContainer, in directory: DeviceDirectory) -> Finding? {
    let place = directory.directory(of: known.id)
    guard let details = known.details else {
      let error = known.failure.map { FeedSyncError($0, operation: "open the container") }
      return Finding(
        .warning, check: name, file: error?.file ?? place.string,
        message: "another container of this state cannot be opened: \(error?.message ?? "")",
        hint: error?.hint)
    }
    let folder = details.device.path.string
    let typed = ShellWord.quoted(folder)
    let unpublished = CountText.of(
      details.unpublished, "transaction there is", "transactions there are")
    let waiting = details.unpublished > 0 ? "; \(unpublished) not published" : ""
    if details.device.leftAt != nil {
      return Finding(
        .note, check: name, file: place.string,
        message: "this state has left the container \(details.identifier) in \(folder)\(waiting)",
        // Where another container stands in the folder by now, `leave` would mean that one.
        hint: details.isPresent
          ? "'feedsync leave --delete-state --container \(typed)' removes what is left of it"
          : "if the folder is gone for good, remove \(place.string)")
    }
    guard !details.isPresent else { return nil }
    if let failure = known.failure as? ContainerError, case .otherContainer = failure {
      return Finding(
        waiting.isEmpty ? .note : .warning, check: name, file: folder,
        message: "another container has come in the place of \(details.identifier)\(waiting)",
        hint: "'feedsync init \(typed) --adopt' joins it with all that is here; or, if that is not"
          + " wanted, put the first one's folder back")
    }
    return Finding(
      waiting.isEmpty ? .note : .warning, check: name, file: folder,
      message: "the folder of another container, \(details.identifier), is not there\(waiting)",
      hint: "mount it; or, if it is gone for good, remove \(place.string)")
  }
}
