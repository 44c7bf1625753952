/// Settings as users write and read them: `90d`, `2MiB`, `32`, `never`, `yes`.
///
///     try SettingText.value("36h", of: .grace)  // 129600000
///     SettingText.text(129_600_000, of: .grace)  // 36h
package enum SettingText {
  /// The units, the largest first, so that a number is written with the largest that leaves none.
  private static let durations: [(unit: String, factor: Int64)] = [
    ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ("ms", 1),
  ]
  private static let sizes: [(unit: String, factor: Int64)] = [
    ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
  ]
  private static let never = "never"
  private static let flags: KeyValuePairs<String, Int64> = ["yes": 1, "no": 0]
  /// No setting has more digits, in any unit.
  private static let maximumDigits = 12

  /// Reads what a user has written.
  ///
  /// - throws: ``SettingError/unreadable(_:_:)`` or ``SettingError/outOfRange(_:_:)``.
  package static func value(_ text: String, of setting: UpkeepSetting) throws(SettingError) -> Int64
  {
    if setting.mayBeNever, text == never || text == "0" { return 0 }
    if setting.kind == .flag {
      guard let flag = flags.first(where: { $0.key == text }) else {
        throw .unreadable(setting, text)
      }
      return flag.value
    }
    let digits = text.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, digits.utf8.count <= maximumDigits, let count = Int64(digits) else {
      throw .unreadable(setting, text)
    }
    let unit = text.dropFirst(digits.count)
    let factor: Int64? =
      switch setting.kind {
      // That nothing shall be waited for needs no unit.
      case .duration: count == 0 && unit.isEmpty ? 1 : factor(of: unit, in: durations)
      case .size: unit.isEmpty ? 1 : factor(of: unit, in: sizes)
      case .count: unit.isEmpty ? 1 : nil
      case .flag: nil
      }
    guard let factor else { throw .unreadable(setting, text) }
    let (value, overflow) = count.multipliedReportingOverflow(by: factor)
    guard !overflow, setting.range.contains(value) else { throw .outOfRange(setting, text) }
    return value
  }

  /// A value in the form that ``value(_:of:)`` reads.
  package static func text(_ value: Int64, of setting: UpkeepSetting) -> String {
    if setting.mayBeNever, value == 0 { return never }
    return switch setting.kind {
    case .count: String(value)
    case .flag: flags.first { $0.value == value }?.key ?? String(value)
    case .size: text(value, in: sizes[...])
    // Ninety days are more readily compared with seven than 12 weeks and 6 days.
    case .duration: value == 0 ? "0s" : text(value, in: durations.dropFirst())
    }
  }

  /// What may be said, for an error's text.
  package static func range(of setting: UpkeepSetting) -> String {
    let range = setting.range
    if setting.kind == .flag { return flags.map(\.key).joined(separator: " or ") }
    return "\(text(range.lowerBound, of: setting)) to \(text(range.upperBound, of: setting))"
      + (setting.mayBeNever ? ", or \(never)" : "")
  }

  private static func factor(
    of unit: Substring, in units: [(unit: String, factor: Int64)]
  ) -> Int64? {
    units.first { $0.unit == unit }?.factor
  }

  private static func text(
    _ value: Int64, in units: ArraySlice<(unit: String, factor: Int64)>
  ) -> String {
    guard let unit = units.first(where: { value % $0.factor == 0 }) else { return String(value) }
    return "\(value / unit.factor)\(unit.unit)"
  }
}
