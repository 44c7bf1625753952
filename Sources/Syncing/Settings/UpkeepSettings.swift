/// How a device looks after its files: what its user has said, and for the rest what is usual.
///
///     var settings = UpkeepSettings()
///     try settings.set(.horizon, to: 30 * 86_400_000)
///     settings[.grace]  // 604800000: as it comes
package struct UpkeepSettings: Sendable, Equatable {
  /// What was said; all within their ranges.
  private var values: [UpkeepSetting: Int64] = [:]

  package init() {}

  /// What holds, in the unit of the setting's kind.
  package subscript(setting: UpkeepSetting) -> Int64 { values[setting] ?? setting.standard }

  /// Whether the user has said it.
  package func isSet(_ setting: UpkeepSetting) -> Bool { values[setting] != nil }

  /// Takes what a user says.
  ///
  /// - throws: ``SettingError``; then nothing is changed.
  package mutating func set(_ setting: UpkeepSetting, to value: Int64) throws(SettingError) {
    guard setting.range.contains(value) || setting.mayBeNever && value == 0 else {
      throw .outOfRange(setting, SettingText.text(value, of: setting))
    }
    var changed = self
    changed.values[setting] = value
    try changed.check()
    self = changed
  }

  /// Goes back to what is usual.
  ///
  /// - throws: ``SettingError/horizonTooShort(horizon:acknowledgeAfter:)``; then nothing is
  ///   changed.
  package mutating func reset(_ setting: UpkeepSetting) throws(SettingError) {
    var changed = self
    changed.values[setting] = nil
    try changed.check()
    self = changed
  }

  private func check() throws(SettingError) {
    guard self[.horizon] > self[.acknowledgeAfter] else {
      throw .horizonTooShort(
        horizon: self[.horizon], acknowledgeAfter: self[.acknowledgeAfter])
    }
  }

  /// What a compaction goes by.
  package var limits: CompactionLimits {
    let standard = CompactionLimits.standard
    return CompactionLimits(
      fanOut: Int(self[.fanOut]), mostParts: standard.mostParts, bytes: Int(self[.fileSize]),
      grace: self[.grace], horizon: self[.horizon], silence: self[.acknowledgeAfter],
      interval: self[.interval], operations: standard.operations,
      bodyBytes: standard.bodyBytes, drops: self[.forget] != 0,
      savedShare: standard.savedShare,
      // Whoever looks rarely, but always, is there all the time.
      attention: max(standard.attention, self[.interval] + standard.attention / 3))
  }
}
