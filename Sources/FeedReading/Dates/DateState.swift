/// What is known of a date after some of its parts.
struct DateState {
  private var numbers: [(value: Int, digits: Int)] = []
  /// How many numbers stood before the name of the month.
  private var month: (value: Int, position: Int)?
  /// Whether the month may be none: `mar` is Tuesday in French, Spanish and Italian.
  private var mayBeTuesday = false
  private var time: [Int] = []
  private var isInTime = false
  private var fraction = false
  private var offset: Int?
  private var sign: Int?
  private var zoneDigits: [(value: Int, digits: Int)] = []
  private var isAfternoon: Bool?
  private var separator: UInt8 = 0
  /// Whether the offset's hours have had their colon, and its minutes must follow.
  private var needsZoneMinutes = false
  private var isInParentheses = false

  /// Takes the next part; false if it can be part of no date.
  mutating func take(_ token: DateToken, after previous: DateToken?) -> Bool {
    switch token.kind {
    case .number(let value, let digits): return takeNumber(value, digits, previous)
    case .sign(let byte): return takeSign(byte, token, previous)
    case .word(let word): return takeWord(word)
    }
  }

  private mutating func takeNumber(_ value: Int, _ digits: Int, _ previous: DateToken?) -> Bool {
    // In `+0000 2012` the year comes last.
    if sign != nil, zoneDigits.isEmpty || needsZoneMinutes {
      zoneDigits.append((value, digits))
      needsZoneMinutes = false
      return true
    }
    if fraction {
      fraction = false
      return true
    }
    if isInTime {
      isInTime = false
      time.append(value)
      return time.count <= 3
    }
    numbers.append((value, digits))
    return numbers.count <= 5
  }

  private mutating func takeSign(
    _ byte: UInt8, _ token: DateToken, _ previous: DateToken?
  ) -> Bool {
    switch byte {
    case ASCII.colon:
      if sign != nil {
        needsZoneMinutes = true
        return zoneDigits.count == 1
      }
      // The number before it was the hour, or the minute.
      if time.isEmpty, let hour = numbers.popLast() { time = [hour.value] }
      guard !time.isEmpty else { return false }
      isInTime = true
      return time.count <= 2
    case 0x2B, ASCII.hyphen:
      if !time.isEmpty, sign == nil, !isInTime {
        sign = byte == 0x2B ? 1 : -1
        return true
      }
      separator = byte
      return byte == ASCII.hyphen
    case 0x2E where !time.isEmpty:
      fraction = true
      return true
    case ASCII.slash, 0x2E:
      separator = byte
      return true
    case 0x28, 0x29:
      isInParentheses = byte == 0x28
      return true
    default:
      return byte == 0x2C || byte == ASCII.apostrophe || byte == 0x60
    }
  }

  private mutating func takeWord(_ word: String) -> Bool {
    if let value = DateWords.month(word), month == nil || mayBeTuesday {
      mayBeTuesday = month == nil && numbers.isEmpty && time.isEmpty && word == "mar"
      month = (value, numbers.count)
      return true
    }
    if isInParentheses { return true }
    if needsZoneMinutes { return false }
    if let half = DateWords.afternoon(word) {
      isAfternoon = half
      // Korean sites leave the zone out.
      if word == "오전" || word == "오후" { offset = offset ?? 9 * 3_600 }
      return true
    }
    if DateWords.isFiller(word), time.isEmpty || DateWords.zone(word) ?? 0 == 0 {
      return takeUnit(word)
    }
    // A sign may follow, as in `GMT+01:00`.
    guard !time.isEmpty || DateWords.isKnownZone(word), let zone = DateWords.zone(word) else {
      return false
    }
    offset = offset ?? zone
    return true
  }

  /// Korean, Japanese and Chinese write the unit behind the number.
  private mutating func takeUnit(_ word: String) -> Bool {
    switch word {
    case "시", "時", "时", "点", "h":
      if let hour = numbers.popLast() { time = [hour.value] }
      isInTime = !time.isEmpty
    case "분", "分":
      isInTime = time.count == 2
    default: break
    }
    if word == "년", offset == nil { offset = 9 * 3_600 }
    return true
  }

  func fields() -> DateFields? {
    var fields = DateFields()
    guard !needsZoneMinutes, setDate(&fields), time.count != 1 || isAfternoon != nil || isInTime
    else { return nil }
    fields.hour = time.first ?? 0
    fields.minute = time.count > 1 ? time[1] : 0
    fields.second = time.count > 2 ? time[2] : 0
    if let isAfternoon {
      guard fields.hour <= 12 || isAfternoon else { return nil }
      if isAfternoon, fields.hour < 12 { fields.hour += 12 }
      if !isAfternoon, fields.hour == 12 { fields.hour = 0 }
    }
    guard let offset = zoneOffset() else { return nil }
    fields.offsetSeconds = offset
    return fields
  }

  private func zoneOffset() -> Int? {
    guard let sign else { return offset ?? 0 }
    guard let first = zoneDigits.first else { return offset ?? 0 }
    var (hours, minutes) = (first.value, zoneDigits.count > 1 ? zoneDigits[1].value : 0)
    if zoneDigits.count == 1, first.digits > 2 {
      (hours, minutes) = (first.value / 100, first.value % 100)
    }
    guard hours <= 26, minutes < 60 else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }

  private func setDate(_ fields: inout DateFields) -> Bool {
    if let month {
      fields.month = month.value
      return setNamedDate(&fields, before: month.position)
    }
    guard numbers.count == 3 else { return false }
    let (first, second, third) = (numbers[0], numbers[1], numbers[2])
    if first.digits == 4 {
      (fields.year, fields.month, fields.day) = (first.value, second.value, third.value)
    } else {
      guard third.digits == 4 || third.digits == 2 else { return false }
      fields.year = Self.fullYear(third)
      // With slashes the month comes first, as in America, unless it cannot be one.
      let isMonthFirst = separator == ASCII.slash && first.value <= 12
      (fields.month, fields.day) =
        isMonthFirst ? (first.value, second.value) : (second.value, first.value)
    }
    return true
  }

  /// Day and year around the name of a month: `1 Jan 2004`, `Jan 1 2004`, `2004 Jan 1`.
  private func setNamedDate(_ fields: inout DateFields, before position: Int) -> Bool {
    guard numbers.count == 2 else {
      // A month and a year alone.
      guard numbers.count == 1, numbers[0].digits == 4 else { return false }
      fields.year = numbers[0].value
      return true
    }
    let (first, second) = (numbers[0], numbers[1])
    if first.digits >= 3 {
      (fields.year, fields.day) = (first.value, second.value)
    } else {
      (fields.year, fields.day) = (Self.fullYear(second), first.value)
    }
    return fields.day <= 31
  }

  /// RFC 2822 section 4.3: two digits are of this century up to 49.
  ///
  /// Up to 69 here, as POSIX has it: feeds are younger than 1970.
  private static func fullYear(_ number: (value: Int, digits: Int)) -> Int {
    guard number.digits <= 2 else {
      return number.digits == 3 ? number.value + 1_900 : number.value
    }
    return number.value + (number.value < 70 ? 2_000 : 1_900)
  }
}
