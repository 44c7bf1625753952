/// Which marks that are not there any more were taken back; others may have been retired.
///
/// As many months with marks as are kept come after each that is retired. It errs on the side of
/// what was read: a mark that comes again makes an item read again, and one that was retired never
/// comes.
final class GoneMarks {
  private let shards: () throws -> [FeedShard]
  private let isAnythingMissing: () throws -> Bool
  private var known: (firstKept: Int?, isCertain: Bool)?

  /// - parameters:
  ///   - shards: All that there are; asked for once at most, and mostly not at all.
  ///   - isAnythingMissing: Whether there may be more.
  init(
    besides shards: @escaping () throws -> [FeedShard],
    isAnythingMissing: @escaping () throws -> Bool
  ) {
    self.shards = shards
    self.isAnythingMissing = isAnythingMissing
  }

  private func look() throws -> (firstKept: Int?, isCertain: Bool) {
    if let known { return known }
    // Where there are fewer months than are kept, what came before the first may have been retired
    // by who had more; where there are as many, those of the first, since of a feed that nobody
    // fetches marks stay behind those that are retired.
    let months = Set(try shards().map(\.shard.month)).sorted(by: >)
    let isFull = months.count >= MarkLimits.months
    let firstKept = months.prefix(MarkLimits.months).last.map { isFull ? $0 + 1 : $0 }
    // The shard of a mark may be there without it, with what one device has marked in it.
    let found = (firstKept, isCertain: try !isAnythingMissing())
    known = found
    return found
  }

  /// Whether an item without a mark had one that was taken back.
  ///
  /// - parameter mark: The shard by which the item was read; nil if that is not known.
  func isTakenBack(_ mark: String?) throws -> Bool {
    guard let shard = mark.flatMap({ MarkShard(name: $0[...]) }) else { return false }
    // Marks of earlier months may have been retired.
    let (firstKept, isCertain) = try look()
    return isCertain && firstKept.map { shard.month >= $0 } ?? false
  }
}

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
