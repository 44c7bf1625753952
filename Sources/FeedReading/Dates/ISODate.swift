/// ISO 8601 in the forms that the numbers alone tell apart, and RFC 3339, which is the usual one.
enum ISODate {
  /// The date if the text is one of these forms, and nothing else stands in it.
  static func fields(_ bytes: [UInt8]) -> DateFields? {
    var reader = ISOReader(bytes)
    var fields = DateFields()
    guard reader.readDate(&fields) else { return nil }
    if reader.isAtEnd { return fields }
    guard reader.readTime(&fields), reader.isAtEnd else { return nil }
    return fields
  }
}

/// Reads from the left, digit by digit.
private struct ISOReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  init(_ bytes: [UInt8]) {
    let start = bytes.firstIndex { !$0.isASCIISpace } ?? bytes.count
    let end = bytes.lastIndex { !$0.isASCIISpace }.map { $0 + 1 } ?? bytes.count
    self.bytes = bytes[start..<max(start, end)]
    index = start
  }

  var isAtEnd: Bool { index >= bytes.endIndex }
  private var next: UInt8 { isAtEnd ? 0 : bytes[index] }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte, !isAtEnd else { return false }
    index += 1
    return true
  }

  /// How many digits follow.
  private var digits: Int { bytes[index...].prefix(while: \.isASCIIDigit).count }

  private mutating func number(_ count: Int) -> Int? {
    guard digits >= count else { return nil }
    var value = 0
    for _ in 0..<count {
      value = value * 10 + Int(bytes[index] - 0x30)
      index += 1
    }
    return value
  }

  /// The date, whose form follows from the lengths of its runs of digits.
  mutating func readDate(_ fields: inout DateFields) -> Bool {
    if next == ASCII.hyphen { return readCentury(&fields) }
    switch digits {
    case 4:
      fields.year = number(4) ?? 0
      return isAtEnd || take(ASCII.hyphen) && readMonth(&fields)
    case 8:
      (fields.year, fields.month, fields.day) = (number(4) ?? 0, number(2) ?? 0, number(2) ?? 0)
      return isAtEnd || next | 0x20 == 0x74
    case 14:
      (fields.year, fields.month, fields.day) = (number(4) ?? 0, number(2) ?? 0, number(2) ?? 0)
      return true
    case 6:
      (fields.year, fields.month, fields.day) =
        (2_000 + (number(2) ?? 0), number(2) ?? 0, number(2) ?? 0)
      return isAtEnd
    case 5:
      // A year and the day in it.
      fields.year = 2_000 + (number(2) ?? 0)
      return setDayOfYear(number(3) ?? 0, &fields) && isAtEnd && fields.year < 2_020
    case 2:
      let year = number(2) ?? 0
      guard take(ASCII.hyphen), digits == 2 else { return false }
      fields.year = 2_000 + year
      return readMonth(&fields) && isAtEnd
    default: return false
    }
  }

  /// `-0312` and `-03-12`: the year of the century, and the month.
  private mutating func readCentury(_ fields: inout DateFields) -> Bool {
    guard take(ASCII.hyphen), let year = number(2) else { return false }
    _ = take(ASCII.hyphen)
    guard let month = number(2), isAtEnd else { return false }
    (fields.year, fields.month) = (2_000 + year, month)
    return true
  }

  private mutating func readMonth(_ fields: inout DateFields) -> Bool {
    switch digits {
    case 1, 2: fields.month = number(digits) ?? 0
    case 3:
      let value = number(3) ?? 0
      // A day of the year, unless a day follows: then it is a month with a zero too many.
      guard take(ASCII.hyphen) else { return setDayOfYear(value, &fields) }
      fields.month = value
      guard 1...2 ~= digits, let day = number(digits) else { return false }
      fields.day = day
      return true
    default: return false
    }
    guard take(ASCII.hyphen) else { return true }
    guard 1...2 ~= digits, let day = number(digits) else { return false }
    fields.day = day
    return true
  }

  private func setDayOfYear(_ day: Int, _ fields: inout DateFields) -> Bool {
    guard 1...366 ~= day else { return false }
    let start = CalendarDay.day(year: fields.year, month: 1, day: 1)
    let date = CalendarDay.date(ofDay: start + Int64(day - 1))
    (fields.month, fields.day) = (date.month, date.day)
    return true
  }

  /// The time behind `T` or white space, and the zone behind it.
  mutating func readTime(_ fields: inout DateFields) -> Bool {
    if next | 0x20 == 0x74 { index += 1 }
    skipSpace()
    guard 1...6 ~= digits else { return false }
    let isCompact = digits > 2
    guard let hour = number(isCompact ? 2 : digits) else { return false }
    fields.hour = hour
    if isCompact || take(ASCII.colon) {
      guard let minute = number(2) else { return false }
      fields.minute = minute
      if isCompact ? digits == 2 : take(ASCII.colon) {
        guard let second = number(2) else { return false }
        fields.second = second
      }
    }
    if next == 0x2E || next == 0x2C {
      index += 1
      index += digits
    }
    return readZone(&fields)
  }

  private mutating func readZone(_ fields: inout DateFields) -> Bool {
    skipSpace()
    if isAtEnd { return true }
    if next | 0x20 == 0x7A {
      index += 1
      return true
    }
    let letters = bytes[index...].prefix(while: \.isASCIILetter)
    if !letters.isEmpty {
      let word = String(utf8: letters).lowercased()
      // Half a day is for who reads words.
      guard DateWords.afternoon(word) == nil, let offset = DateWords.zone(word) else {
        return false
      }
      fields.offsetSeconds = offset
      index += letters.count
      return true
    }
    guard next == 0x2B || next == ASCII.hyphen else { return false }
    let sign = next == 0x2B ? 1 : -1
    index += 1
    guard 1...4 ~= digits, digits != 3, let hours = number(min(digits, 2)) else { return false }
    _ = take(ASCII.colon)
    let minutes = isAtEnd ? 0 : number(2)
    guard let minutes, hours <= 26, minutes < 60 else { return false }
    fields.offsetSeconds = sign * (hours * 3_600 + minutes * 60)
    return true
  }

  private mutating func skipSpace() { while !isAtEnd, next.isASCIISpace { index += 1 } }
}
