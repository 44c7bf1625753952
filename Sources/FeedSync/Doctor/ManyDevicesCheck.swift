import SegmentFormat
import Syncing

/// Whether so many devices have written into the container that a write will not be able to name
/// them all some day.
package struct ManyDevicesCheck: DoctorCheck {
  package let name = "many-devices"
  private let patience: Int

  /// - parameter patience: how many streams are no reason to warn yet.
  package init(patience: Int = 1_000) { self.patience = patience }

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    let entries = try device.database.contextEntries()
    guard entries >= patience else { return [] }
    return [
      Finding(
        .warning, check: name, file: device.container.root.string,
        message: "\(CountText.of(entries, "device")), former and present, have written into"
          + " this container; from \(SegmentFile.writtenContextEntries + 1) on nothing can be"
          + " written any more, and each write names all of them",
        hint: "do not make a device anew for each run (keep its state); to begin again, take what"
          + " is here along into a new container: 'feedsync dump', 'feedsync init' on another"
          + " folder, and 'feedsync load'")
    ]
  }
}
