/// The user's systemd, asked through `systemctl --user`; never for longer than a limit.
package struct UserManager: Sendable {
  /// Questions are answered at once; starting and stopping may wait for the unit.
  private static let answerSeconds = 10
  private static let jobSeconds = 60

  private let runner: any CommandRunner

  package init(runner: any CommandRunner) { self.runner = runner }

  /// What it says, or why it says nothing.
  package enum Answer: Equatable, Sendable {
    case unit(UnitProperties)
    case unreachable(String)
  }

  package func properties(of unit: UnitName) -> Answer {
    let question = [
      "show", unit.description, "--property=" + UnitProperties.names.joined(separator: ","),
    ]
    switch runner.run(Self.words(question), seconds: Self.answerSeconds) {
    case .ended(0, let output, _): return .unit(UnitProperties(parsing: output))
    case let failure: return .unreachable(Self.reason(failure))
    }
  }

  /// Has it read its unit files anew.
  func reload() throws(ServiceError) {
    try perform(["daemon-reload"], seconds: Self.answerSeconds)
  }

  func restart(_ unit: UnitName) throws(ServiceError) {
    try perform(["restart", unit.description], seconds: Self.jobSeconds)
  }

  func stop(_ unit: UnitName) throws(ServiceError) {
    try perform(["stop", unit.description], seconds: Self.jobSeconds)
  }

  private func perform(_ words: [String], seconds: Int) throws(ServiceError) {
    let outcome = runner.run(Self.words(words), seconds: seconds)
    if case .ended(0, _, _) = outcome { return }
    throw .refused(
      command: "systemctl --user " + words.joined(separator: " "), detail: Self.reason(outcome))
  }

  private static func words(_ words: [String]) -> [String] {
    ["systemctl", "--user", "--no-pager", "--no-ask-password"] + words
  }

  private static func reason(_ outcome: CommandOutcome) -> String {
    switch outcome {
    case .missing: "there is no systemctl"
    case .timedOut(let seconds): "systemctl did not answer within \(seconds) s"
    case .ended(let status, _, let errors):
      errors.split(separator: "\n").first.map { String($0) } ?? "systemctl: status \(status)"
    }
  }
}
