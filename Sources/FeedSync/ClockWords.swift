import Replication
import Syncing

/// What is said of clocks, by `status` and in diagnoses.
package enum ClockWords {
  package static func sentence(_ found: ClockSurvey.Device, name: String?) -> String {
    let author = DeviceDescription(id: found.stream.description, name: name)
    let skew = found.skew
    let span = FindingWords.span(skew.ahead)
    let times =
      "seen first at \(FindingWords.moment(skew.since)), last at"
      + " \(FindingWords.moment(skew.lastSeen))"
    return skew.ahead > 0
      ? "the clock of \(author.words) is \(span) ahead of this machine's (\(times))"
      : "the clock of \(author.words) is \(span) behind this machine's, or all of its files take"
        + " that long to arrive (\(times))"
  }

  package static func sentence(_ own: ClockSurvey.Own) -> String {
    switch own {
    case .wentBack(let by):
      "this machine's clock went back: it is \(FindingWords.span(by)) behind what it showed when"
        + " this device last wrote"
    case .apart(let skew, let devices):
      "this machine's clock is \(FindingWords.span(skew.ahead))"
        + " \(skew.ahead > 0 ? "ahead of" : "behind") those of all \(devices) other devices"
        + " (seen last at \(FindingWords.moment(skew.lastSeen)))"
        + (skew.isCertain ? "" : ", or all of their files take that long to arrive")
    }
  }
}
