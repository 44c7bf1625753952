import Syncing

/// Whether what arrives is imported: by a watch that is alive, or by somebody else.
package struct WatcherCheck: DoctorCheck {
  package let name = "watch"
  /// Longer than a line in cron lets files wait.
  static let patience: Int64 = 15 * 60_000

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device, device.record.leftAt == nil,
      let state = patient.deviceState
    else { return [] }
    let holder = WatchLock.holder(state: state, files: patient.directory.files)
    let waiting = try patient.listing.flatMap { try device.waitingFiles(in: $0) }
      .flatMap { device.ambient.now() - $0.since > Self.patience ? $0 : nil }
    var findings: [Finding] = []
    if case .dead(let process) = holder {
      findings.append(
        Finding(
          waiting == nil ? .note : .warning, check: name,
          message: "the last watch (process \(process)) ended without saying so: it was killed, or"
            + " the power went",
          hint: "start 'feedsync watch' again, or have it done by 'feedsync service install'; the"
            + " lock that it left is no obstacle"))
    }
    if let waiting { findings.append(finding(waiting, holder: holder, device: device)) }
    return findings
  }

  private func finding(
    _ waiting: Syncing.Device.WaitingFiles, holder: WatchLock.Holder, device: Syncing.Device
  ) -> Finding {
    let files = CountText.of(waiting.count, "file")
    let since = FindingWords.moment(waiting.since)
    let what = "what has arrived is not imported: \(files) of other devices, since \(since)"
    if case .process(let process) = holder {
      return Finding(
        .error, check: name, file: device.container.logs.string,
        message: "\(what), though a watch runs (process \(process))",
        hint: "look at what it printed, then start it anew: kill \(process)")
    }
    return Finding(
      .warning, check: name, file: device.container.logs.string, message: what,
      hint: "run 'feedsync import --once', or have it done: 'feedsync service install'")
  }
}
