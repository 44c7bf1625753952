/// Something that a diagnosis has found, and what to do about it.
///
///     for finding in UbiquityContainer.diagnose() where finding.severity != .note {
///       print(finding.message, finding.hint ?? "")
///     }
public struct Finding: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, CaseIterable, Sendable {
    /// Worth knowing; nothing has to be done.
    case note
    /// Something does not work as it should, or will not for long.
    case warning
    /// Documents do not get through, or are at risk.
    case error
  }

  /// How bad it is.
  public let severity: Severity
  /// Which check has found it: one lower-case word or two, such as `gap` or `set-aside`.
  public let check: String
  /// The device that it concerns, if one.
  public let device: DeviceDescription?
  /// The file or folder that it concerns, if one.
  public let file: String?
  /// What was found.
  public let message: String
  /// What to do about it.
  public let hint: String?

  /// A finding of these parts.
  public init(
    _ severity: Severity, check: String, device: DeviceDescription? = nil, file: String? = nil,
    message: String, hint: String?
  ) {
    self.severity = severity
    self.check = check
    self.device = device
    self.file = file
    self.message = message
    self.hint = hint
  }

  /// What an error says, as a finding.
  package init(_ severity: Severity, check: String, _ error: FeedSyncError) {
    self.init(
      severity, check: check, file: error.file, message: error.message, hint: error.hint)
  }
}
