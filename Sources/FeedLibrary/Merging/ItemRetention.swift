import FeedReading

/// Which items are let go of: those that the feed has had no more for long, and what is too much.
///
/// Never one that is offered, starred or tagged.
enum ItemRetention {
  /// For how many days an item stays after the feed last had it, where nobody chose otherwise.
  static let usualDays = 365

  /// How much stays of what one feed has no more, far above what people write in a year: a server
  /// may offer other items each time, without end.
  struct Limits {
    var items = 50_000
    /// Of what the items say.
    var bytes = 256 << 20
    /// How many that were let go are remembered, so that they are not new when they come again.
    var remembered = 100_000
  }

  /// The items to let go.
  static func expired(
    _ items: [CachedItem], days: Int?, now: FeedInstant, limits: Limits = Limits()
  ) -> [ItemKey] {
    let seconds = Int64(max(0, min(days ?? usualDays, 100_000))) * 86_400
    let first = now.secondsSince1970 - seconds
    let dropped = items.filter { !$0.isOffered && !$0.isStarred && $0.tags.isEmpty }
    let old = dropped.filter { $0.lastOffered.secondsSince1970 < first }
    let young = dropped.filter { $0.lastOffered.secondsSince1970 >= first }
    return (old + tooMuch(of: young, limits)).map(\.reference.item)
  }

  /// What does not fit any more: what the feed had last stays.
  private static func tooMuch(of items: [CachedItem], _ limits: Limits) -> ArraySlice<CachedItem> {
    let latest = items.sorted {
      ($1.lastOffered, $1.date, $1.reference.item) < ($0.lastOffered, $0.date, $0.reference.item)
    }
    var bytes = 0
    let fitting = latest.prefix(max(0, limits.items)).prefix { item in
      bytes += item.content.textBytes
      return bytes <= limits.bytes
    }
    return latest[fitting.endIndex...]
  }
}

extension Item {
  /// How much it says, about.
  var textBytes: Int {
    [title?.text, link, summary, content].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
