import Foundation

/// Times, sizes and ranges for sentences.
enum FindingWords {
  /// A span of time in its largest unit, such as "2 days" or "90 minutes".
  static func span(_ milliseconds: Int64) -> String {
    let seconds = abs(milliseconds) / 1000
    let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
    for (length, name) in units where seconds + length / 2 >= 2 * length {
      return CountText.of(Int((seconds + length / 2) / length), name)
    }
    return CountText.of(Int(seconds), "second")
  }

  /// A moment in UTC, to the second.
  static func moment(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
  }

  static func range(_ first: UInt64, _ last: UInt64) -> String {
    first == last ? "transaction \(first)" : "transactions \(first) to \(last)"
  }

  static func size(_ bytes: UInt64) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}

extension DeviceDescription {
  /// For sentences: the name, or else the beginning of the id.
  var words: String { name ?? "the device \(id.prefix(8))" }
}
