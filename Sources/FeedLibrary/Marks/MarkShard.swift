/// A part of the read marks of a feed: those that were made in a month.
///
/// Shards are in order; where an item stands in several, the latest decides. So whoever marks it
/// writes into the latest that has it, whatever the clock says.
struct MarkShard: Hashable, Comparable, Sendable {
  /// Months since the year 0.
  let month: Int
  /// Counts the parts of a month in which so much was marked that one document is too small.
  let part: Int

  init(month: Int, part: Int = 0) { (self.month, self.part) = (month, part) }

  /// The month of a moment, in UTC.
  static func month(ofSecond second: Int64) -> Int {
    // <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
    let days = Int((Double(second) / 86_400).rounded(.down)) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let day = days - era * 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0)) * 12 + month - 1
  }

  /// Such as `2026-11`, and `2026-11.1` for its second part.
  var name: String {
    let (year, month) = (month / 12, month % 12 + 1)
    let text = Self.padded(year, 4) + "-" + Self.padded(month, 2)
    return part == 0 ? text : text + ".\(part)"
  }

  /// A shard from its name; nil if it is none.
  init?(name: Substring) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, let year = Int(numbers[0]), let month = Int(numbers[1]),
      0...9_999 ~= year, 1...12 ~= month, parts.count <= 2
    else { return nil }
    guard let part = parts.count == 2 ? Int(parts[1]) : 0, 0...9_999 ~= part else { return nil }
    self.init(month: year * 12 + month - 1, part: part)
    // Another spelling of the same would be another document.
    guard self.name == name else { return nil }
  }

  static func < (one: MarkShard, other: MarkShard) -> Bool {
    (one.month, one.part) < (other.month, other.part)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// A shard of a feed, which is one document of the collection ``SyncedCollections/read``.
struct FeedShard: Hashable, Sendable {
  let feed: FeedKey
  let shard: MarkShard

  init(_ feed: FeedKey, _ shard: MarkShard) { (self.feed, self.shard) = (feed, shard) }

  /// Reads the id of a document; nil if it is of another form.
  init?(id: String) {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let feed = FeedKey(text: String(parts[0])),
      let shard = MarkShard(name: parts[1])
    else { return nil }
    self.init(feed, shard)
  }

  var id: String { "\(feed)/\(shard.name)" }
}
