/// Which marks are old enough to go.
///
/// The rule looks at synced documents alone, never at a clock: of all months in which something was
/// marked, in whatever feed, the latest ``MarkLimits/months`` are kept. A device whose clock is
/// wrong adds a month or two to them, and cannot make anybody forget the others.
enum MarkRetirement {
  /// The first month that is kept; nil if all are.
  static func firstKeptMonth(of shards: some Sequence<FeedShard>) -> Int? {
    let months = Set(shards.map(\.shard.month)).sorted(by: >)
    return months.count > MarkLimits.months ? months[MarkLimits.months - 1] : nil
  }

  /// The shards that go, in the order of their feeds.
  ///
  /// - parameter mayRetire: Whether this device can tell which items of a feed are still offered,
  ///   and so have to keep their marks; else another device does it.
  static func retired(
    of shards: some Collection<FeedShard>, mayRetire: (FeedKey) -> Bool
  ) -> [FeedKey: [MarkShard]] {
    guard let first = firstKeptMonth(of: shards) else { return [:] }
    let old = shards.filter { $0.shard.month < first && mayRetire($0.feed) }
    return Dictionary(grouping: old, by: \.feed).mapValues { $0.map(\.shard).sorted() }
  }

  /// The read items of retired shards that the feed still offers: they are marked again, since
  /// nothing else would tell a new device that they were read.
  static func carried(
    from retired: [MarkShard], of marks: ReadMarks, offered: Set<ItemKey>
  ) -> [ItemKey] {
    let shards = Set(retired)
    return offered.filter { item in
      guard let latest = marks.latest(item) else { return false }
      return latest.isRead && shards.contains(latest.shard)
    }.sorted()
  }

  /// The month that marks are written into: the present one, unless the clock has fallen so far
  /// behind that it would be retired at once, being one too many.
  static func month(ofSecond second: Int64, among shards: some Sequence<FeedShard>) -> Int {
    let present = MarkShard.month(ofSecond: second)
    let months = Set(shards.map(\.shard.month))
    let kept = months.union([present]).sorted(by: >).prefix(MarkLimits.months)
    return kept.contains(present) ? present : months.max() ?? present
  }
}
