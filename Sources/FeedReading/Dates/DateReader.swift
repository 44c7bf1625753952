/// Cuts a date into numbers and words, and puts them together by what they can only be.
///
/// So one reader understands RFC 822 with its mistakes, RFC 3339, `asctime`, and dates in other
/// languages; ISO 8601's rarer forms are ``ISODate``'s.
struct DateReader {
  private let tokens: [DateToken]
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tokens = DateToken.tokens(of: bytes)
  }

  /// The date, or nil for what is none.
  func fields() -> DateFields? {
    guard !tokens.isEmpty else { return nil }
    if let iso = ISODate.fields(bytes) { return iso }
    if let moment = unixTime() { return moment }
    var state = DateState()
    for index in tokens.indices {
      guard state.take(tokens[index], after: index > 0 ? tokens[index - 1] : nil) else {
        return nil
      }
    }
    return state.fields()
  }

  /// Seconds or milliseconds since 1970, as some programs write them.
  private func unixTime() -> DateFields? {
    guard tokens.count == 1, case .number(let value, let digits) = tokens[0].kind,
      digits == 10 || digits == 13
    else { return nil }
    let seconds = Int64(digits == 13 ? value / 1_000 : value)
    let day = seconds / 86_400
    let time = Int(seconds - day * 86_400)
    let date = CalendarDay.date(ofDay: day)
    return DateFields(
      year: date.year, month: date.month, day: date.day, hour: time / 3_600,
      minute: time / 60 % 60, second: time % 60)
  }
}

/// A number, a word or a sign of a date.
struct DateToken {
  enum Kind: Equatable {
    case number(Int, digits: Int)
    case word(String)
    case sign(UInt8)
  }

  let kind: Kind
  /// Whether it follows the one before without white space.
  let isAttached: Bool

  static func tokens(of bytes: [UInt8]) -> [DateToken] {
    var result: [DateToken] = []
    var index = 0
    var isAttached = false
    while index < bytes.count, result.count < 40 {
      let byte = bytes[index]
      let start = index
      if byte.isASCIISpace || byte == 0xC2 && index + 1 < bytes.count && bytes[index + 1] == 0xA0 {
        index += byte == 0xC2 ? 2 : 1
        isAttached = false
        continue
      }
      if byte.isASCIIDigit {
        var value = 0
        while index < bytes.count, bytes[index].isASCIIDigit {
          value = min(value * 10 + Int(bytes[index] - 0x30), 1 << 50)
          index += 1
        }
        result.append(
          DateToken(kind: .number(value, digits: index - start), isAttached: isAttached))
      } else if byte.isASCIILetter || byte >= 0x80 {
        while index < bytes.count, bytes[index].isASCIILetter || bytes[index] >= 0x80 { index += 1 }
        let word = String(utf8: bytes[start..<index]).lowercased()
        result.append(DateToken(kind: .word(word), isAttached: isAttached))
      } else {
        result.append(DateToken(kind: .sign(byte), isAttached: isAttached))
        index += 1
      }
      isAttached = true
    }
    return result
  }
}
