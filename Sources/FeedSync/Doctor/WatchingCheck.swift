import SystemFiles
import SystemPackage

/// How a watch learns of changes: from the kernel, or only by looking every few seconds.
package struct WatchingCheck: DoctorCheck {
  package let name = "watching"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand else { return [] }
    let folder = device.container
    if case .remote(let kind) = try folder.files.kind(of: folder.root) {
      return [
        Finding(
          .note, check: name, file: folder.root.string,
          message:
            "the folder is on \(kind), which does not tell of changes made elsewhere: 'watch'"
            + " looks every five seconds",
          hint: "nothing; where it must be faster, sync the folder onto a local disk")
      ]
    }
    let directories =
      [folder.root, folder.logs]
      + (patient.listing?.directories ?? []).map {
        folder.logs.appending($0)
      }
    return patient.facts.watching(directories).map { reason in
      [
        Finding(
          .warning, check: name, file: folder.root.string,
          message: "'watch' cannot have the kernel tell of changes, and looks every five seconds:"
            + " \(reason)",
          hint: "raise the limit: sudo sysctl fs.inotify.max_user_watches=524288"
            + " fs.inotify.max_user_instances=512 (and in /etc/sysctl.d/ for good)")
      ]
    } ?? []
  }
}
