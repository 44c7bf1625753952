import FeedSync
import Foundation

/// A point in time as a user names it: ISO 8601, or how long ago.
///
///     try Moment.parse("2026-11-20T18:30", now: .now)  // by the local time zone
///     try Moment.parse("3d", now: .now)                // three times 24 hours ago
package enum Moment {
  /// - parameter zone: what holds where the text names no zone.
  package static func parse(_ text: String, now: Date, zone: TimeZone = .current) throws -> Date {
    if let seconds = secondsAgo(text) { return now.addingTimeInterval(-seconds) }
    if let date = date(text, zone: zone) { return date }
    throw FeedSyncError(
      .usage, operation: "read a time", message: "'\(text)' is no time",
      hint: "write it as 2026-11-20, 2026-11-20T18:30, 2026-11-20T18:30:00Z, or as 90s, 15m, 2h,"
        + " 3d or 2w ago")
  }

  private static func secondsAgo(_ text: String) -> Double? {
    guard let match = text.wholeMatch(of: /(\d{1,9})([smhdw])/), let count = Double(match.1) else {
      return nil
    }
    let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    return units[match.2].map { count * $0 }
  }

  private static func date(_ text: String, zone: TimeZone) -> Date? {
    let form =
      #/
      (\d{4})-(\d\d)-(\d\d)
      (?: [T\ ] (\d\d):(\d\d) (?: :(\d\d) (?: [.,](\d{1,9}) )? )?
        (Z|[+-]\d\d(?::?\d\d)?)? )?
      /#
    guard let match = text.wholeMatch(of: form) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    if let offset = match.8 {
      guard let found = timeZone(offset) else { return nil }
      calendar.timeZone = found
    }
    func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
    let parts = DateComponents(
      calendar: calendar, timeZone: calendar.timeZone, year: number(match.1),
      month: number(match.2), day: number(match.3), hour: number(match.4),
      minute: number(match.5), second: number(match.6))
    // A time that a change of the clocks leaves out is the moment that it would have been.
    guard number(match.4) < 24, number(match.5) < 60, number(match.6) < 60,
      DateComponents(
        calendar: calendar, year: number(match.1), month: number(match.2), day: number(match.3)
      ).isValidDate, let date = calendar.date(from: parts)
    else { return nil }
    return date.addingTimeInterval(match.7.flatMap { Double("0.\($0)") } ?? 0)
  }

  private static func timeZone(_ text: Substring) -> TimeZone? {
    guard text != "Z" else { return .gmt }
    let digits = text.filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int("0" + digits.dropFirst(2)),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = (hours * 60 + minutes) * 60
    return TimeZone(secondsFromGMT: text.hasPrefix("-") ? -seconds : seconds)
  }
}
