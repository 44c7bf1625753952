import Syncing

/// Whether what the user has said of how this device looks after its files can be read.
///
/// Where it cannot, nothing is compacted, and whoever would do that in passing only warns of it.
package struct SettingsCheck: DoctorCheck {
  package let name = "settings"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device, device.record.leftAt == nil else { return [] }
    do {
      _ = try patient.directory.settings(of: device.record.container)
      return []
    } catch {
      return [Finding(.warning, check: name, FeedSyncError(error, operation: "read the settings"))]
    }
  }
}
