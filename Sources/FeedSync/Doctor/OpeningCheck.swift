import Syncing

/// Whether there is a device to look at: a container chosen, a database that can be opened.
package struct OpeningCheck: DoctorCheck {
  package let name = "device"

  package func findings(in patient: Patient) -> [Finding] {
    if let failure = patient.failure {
      return [Finding(.error, check: name, FeedSyncError(failure, operation: "open the device"))]
    }
    guard let device = patient.device, device.record.leftAt != nil else { return [] }
    let error = FeedSyncError(
      DeviceError.left(device.container.root), operation: "open the device")
    return [Finding(.warning, check: name, error)]
  }
}
