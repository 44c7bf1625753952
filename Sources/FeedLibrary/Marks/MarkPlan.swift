import FeedSync

/// What is to be written to mark items of a feed: a merge patch for each shard.
struct MarkPlan {
  private(set) var patches: [MarkShard: JSONObject] = [:]

  /// The patches that make `items` read or unread; none for those that are already.
  ///
  /// - parameter month: The present one.
  init(_ items: [ItemKey], isRead: Bool, in marks: ReadMarks, month: Int) {
    var members: [MarkShard: [ByteString: JSON]] = [:]
    var current = marks.current(in: month)
    var room = MarkLimits.itemsPerShard - marks.count(in: current)
    for item in Set(items).sorted() {
      let latest = marks.latest(item)
      // An item without a mark may have had one that was retired: unread is written, too.
      if latest?.isRead == isRead { continue }
      var shard = latest.map { max($0.shard, current) } ?? current
      if shard == current, latest?.shard != current {
        if room == 0 {
          current = MarkShard(month: month, part: current.part + 1)
          room = MarkLimits.itemsPerShard
          shard = current
        }
        room -= 1
      }
      members[shard, default: [:]][ByteString(item.text)] =
        isRead ? MarkValue.read : MarkValue.unread
    }
    patches = members.mapValues { JSONObject($0.map { ($0.key, $0.value) }) ?? JSONObject() }
  }
}

extension ReadMarks {
  /// How many items a shard has.
  func count(in shard: MarkShard) -> Int {
    shards.first { $0.shard == shard }?.members.members.count ?? 0
  }
}
