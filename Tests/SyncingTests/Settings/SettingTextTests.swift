import Syncing
import Testing

@Suite("A setting's value as users write it") struct SettingTextTests {
  @Test(
    "is a number and a unit",
    arguments: [
      ("90d", UpkeepSetting.horizon, 7_776_000_000), ("2w", .horizon, 1_209_600_000),
      ("36h", .grace, 129_600_000), ("0", .grace, 0), ("0s", .grace, 0),
      ("15m", .interval, 900_000), ("never", .interval, 0), ("90s", .budget, 90_000),
      ("1500ms", .budget, 1_500), ("512KiB", .fileSize, 512 << 10),
      ("2MiB", .fileSize, 2 << 20), ("100000", .fileSize, 100_000), ("16", .fanOut, 16),
      ("yes", .forget, 1), ("no", .forget, 0),
    ] as [(String, UpkeepSetting, Int64)])
  func read(text: String, setting: UpkeepSetting, value: Int64) throws {
    #expect(try SettingText.value(text, of: setting) == value)
  }

  @Test("is written so that it is read again as the same")
  func written() throws {
    for setting in UpkeepSetting.allCases {
      let range = setting.range
      for value in [
        range.lowerBound, setting.standard, range.upperBound,
        min(range.lowerBound + 1, range.upperBound),
      ] {
        let text = SettingText.text(value, of: setting)
        #expect(try SettingText.value(text, of: setting) == value, "\(setting): \(text)")
      }
    }
    #expect(SettingText.text(UpkeepSetting.horizon.standard, of: .horizon) == "90d")
    #expect(SettingText.text(0, of: .interval) == "never")
  }

  @Test(
    "that says nothing of the kind is refused",
    arguments: [
      ("", UpkeepSetting.horizon), ("90", .horizon), ("d", .horizon), ("90 d", .horizon),
      ("-1d", .grace), ("1.5h", .grace), ("2MiB", .grace), ("never", .grace), ("90d", .fanOut),
      ("32x", .fanOut), ("2MB", .fileSize), ("9999999999999999999d", .horizon), ("٣d", .grace),
      ("1", .forget), ("maybe", .forget), ("", .forget),
    ] as [(String, UpkeepSetting)])
  func unreadable(text: String, setting: UpkeepSetting) {
    #expect(throws: SettingError.unreadable(setting, text)) {
      try SettingText.value(text, of: setting)
    }
  }

  @Test(
    "that is too small or too large is refused, also where it overflows",
    arguments: [
      ("1m", UpkeepSetting.horizon), ("999999999999w", .horizon), ("0s", .budget), ("1", .fanOut),
      ("1GiB", .horizon), ("63KiB", .fileSize), ("31d", .interval),
    ] as [(String, UpkeepSetting)])
  func outOfRange(text: String, setting: UpkeepSetting) {
    #expect(throws: SettingError.self) { try SettingText.value(text, of: setting) }
  }
}
