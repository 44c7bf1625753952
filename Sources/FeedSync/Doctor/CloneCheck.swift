import DocumentStorage
import Syncing

/// Whether a device was copied, or put back to an older state, while both went on.
package struct CloneCheck: DoctorCheck {
  package let name = "clone"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand else { return [] }
    return try device.database.streamSummaries().filter { $0.branches > 1 }.map { stream in
      let author = DeviceDescription(id: stream.stream.description, name: stream.name)
      let isOwn = stream.isOwn || stream.wasOwn
      return Finding(
        .note, check: name, device: author,
        message: "\(isOwn ? "this device" : author.words) was copied, or put back to an older"
          + " state, and both have written since: \(stream.branches) branches of"
          + " logs/\(author.id) are imported, and nothing is lost",
        hint: "each goes on as a device of its own; see the page 'Copies and restores' of the"
          + " documentation")
    }
  }
}
