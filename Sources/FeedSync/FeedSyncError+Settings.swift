import Syncing

extension FeedSyncError {
  init(setting error: SettingError, operation: String) {
    self.init(
      .usage, operation: operation, message: Self.message(for: error), hint: Self.hint(for: error))
  }

  /// What somebody has written into the file by hand.
  init(settingsFile error: SettingsFileError, operation: String) {
    self.init(
      .configuration, operation: operation, file: error.file.string,
      message: "the settings cannot be read: \(error.cause.map(Self.message) ?? error.detail)",
      hint: error.cause.map { cause in
        "correct the file, or remove it, which resets all settings; " + Self.hint(for: cause)
      } ?? "remove the file, which resets all settings")
  }

  private static func message(for error: SettingError) -> String {
    switch error {
    case .unknown(let name): "there is no setting '\(name)'"
    case .unreadable(let setting, let text): "'\(text)' is no value of '\(setting.rawValue)'"
    case .outOfRange(let setting, let text):
      "\(text) is out of range: '\(setting.rawValue)' is \(SettingText.range(of: setting))"
    case .horizonTooShort(let horizon, let acknowledgeAfter):
      "'horizon' (\(SettingText.text(horizon, of: .horizon))) has to be longer than"
        + " 'acknowledge-after' ("
        + SettingText.text(acknowledgeAfter, of: .acknowledgeAfter)
        + "): else a device whose user only reads counts as away before it says anything"
    }
  }

  private static func hint(for error: SettingError) -> String {
    switch error {
    case .unknown:
      "there are \(UpkeepSetting.allCases.map(\.rawValue).joined(separator: ", "))"
    case .unreadable(let setting, _), .outOfRange(let setting, _):
      switch setting.kind {
      case .duration: "write a span of time as 90s, 15m, 6h, 7d or 2w"
      case .flag: "write yes or no"
      case .size: "write a size as 512KiB or 2MiB"
      case .count: "write a whole number"
      }
    case .horizonTooShort: "change the other one first"
    }
  }
}
