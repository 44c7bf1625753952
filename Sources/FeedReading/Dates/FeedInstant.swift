/// A moment in time, to the second.
///
/// Feeds write times in dozens of ways, and ``init(_:)`` reads those that have been seen:
///
///     FeedInstant("Thu, 01 Jan 2004 19:48:21 GMT")?.text  // "2004-01-01T19:48:21Z"
///     FeedInstant("2003-12-31")?.text                     // "2003-12-31T00:00:00Z"
///     FeedInstant("soon")                                 // nil
public struct FeedInstant: Sendable, Equatable, Comparable, Hashable {
  /// Seconds since 1970 in UTC, without leap seconds.
  public let secondsSince1970: Int64

  /// A moment by its seconds since 1970.
  public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

  /// The moment that a text says; nil if it says none, or one that does not exist.
  ///
  /// Without a zone it is in UTC. At most 200 bytes are looked at.
  public init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(200))
    guard let fields = DateReader(bytes).fields(), let seconds = fields.seconds else { return nil }
    secondsSince1970 = seconds
  }

  /// Whether one moment is before another.
  public static func < (one: FeedInstant, other: FeedInstant) -> Bool {
    one.secondsSince1970 < other.secondsSince1970
  }

  /// As RFC 3339 writes it, in UTC.
  public var text: String {
    let days = Int64((Double(secondsSince1970) / 86_400).rounded(.down))
    let second = Int(secondsSince1970 - days * 86_400)
    let (year, month, day) = CalendarDay.date(ofDay: days)
    return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
      + Self.padded(second / 3_600, 2) + ":" + Self.padded(second / 60 % 60, 2) + ":"
      + Self.padded(second % 60, 2) + "Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Days of the Gregorian calendar, also before it was introduced.
///
/// <https://howardhinnant.github.io/date_algorithms.html> explains the arithmetic: years begin in
/// March, so that the leap day comes last, and 400 of them always have 146,097 days.
enum CalendarDay {
  static func day(year: Int, month: Int, day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }

  static func date(ofDay day: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = Int(day) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let civil = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (civil <= 2 ? 1 : 0)
    return (year, civil, dayOfYear - (153 * month + 2) / 5 + 1)
  }

  static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

/// A date by its parts, as it was written.
struct DateFields {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// East of Greenwich.
  var offsetSeconds = 0

  /// The seconds since 1970; nil if there is no such day or time.
  var seconds: Int64? {
    guard 1...9_999 ~= year, 1...12 ~= month, day >= 1,
      day <= CalendarDay.length(ofMonth: month, year: year), 0...24 ~= hour, 0...59 ~= minute,
      0...60 ~= second, hour < 24 || minute == 0 && second == 0,
      abs(offsetSeconds) <= 26 * 3_600
    else { return nil }
    // A leap second is the last one of its minute.
    let time = hour * 3_600 + minute * 60 + min(second, 59) - offsetSeconds
    return CalendarDay.day(year: year, month: month, day: day) * 86_400 + Int64(time)
  }
}
