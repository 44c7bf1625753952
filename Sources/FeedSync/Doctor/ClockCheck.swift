import DocumentStorage
import Replication
import Syncing

/// Whose clock is off, and by how much.
package struct ClockCheck: DoctorCheck {
  package let name = "clock"

  package init() {}

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    let names = try device.database.streamSummaries().map { ($0.stream, $0.name) }
    let known = Dictionary(uniqueKeysWithValues: names)
    let survey = try device.clockSurvey()
    let own = DeviceDescription(id: device.record.stream.description, name: device.record.name)
    return (survey.own.map { [finding($0, own: own)] } ?? [])
      + survey.devices.map { found in
        let author = DeviceDescription(
          id: found.stream.description, name: known[found.stream] ?? nil)
        return Finding(
          .warning, check: name, device: author,
          message: ClockWords.sentence(found, name: author.name),
          hint: "set the clock of \(author.words) (timedatectl set-ntp true), or this machine's if"
            + " that is the wrong one; nothing is refused for it, but of two values written at once"
            + " the one of the faster clock shows")
      }
  }

  private func finding(_ own: ClockSurvey.Own, own device: DeviceDescription) -> Finding {
    Finding(
      .warning, check: name, device: device, message: ClockWords.sentence(own),
      hint: "look at 'timedatectl', and set this machine's clock (timedatectl set-ntp true)")
  }
}
