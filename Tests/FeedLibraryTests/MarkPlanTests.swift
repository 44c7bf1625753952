import FeedSync
import Testing

@testable import FeedLibrary

/// Which documents a mark is written into.
@Suite struct MarkPlanTests {
  private let items = (0..<5).map { ItemKey(identity: "\($0)") }
  private let november = 2_026 * 12 + 10

  private func marks(_ months: [Int: [ItemKey: Bool]]) -> ReadMarks {
    ReadMarks(
      Dictionary(
        uniqueKeysWithValues: months.map { month, items in
          let members = items.map { key, isRead in
            (ByteString(key.text), isRead ? MarkValue.read : MarkValue.unread)
          }
          return (MarkShard(month: month), JSONObject(members) ?? JSONObject())
        }))
  }

  @Test func aNewMarkGoesIntoTheMonthInWhichItIsMade() {
    let plan = MarkPlan(
      [items[0], items[1], items[0]], isRead: true, in: ReadMarks(), month: november)
    #expect(plan.patches.keys.map(\.name) == ["2026-11"])
    #expect(plan.patches[MarkShard(month: november)]?.members.count == 2)
  }

  @Test func whatIsMarkedSoAlreadyIsNotWritten() {
    let marks = marks([november - 3: [items[0]: true, items[1]: false]])
    #expect(MarkPlan([items[0]], isRead: true, in: marks, month: november).patches.isEmpty)
    #expect(MarkPlan([items[1]], isRead: false, in: marks, month: november).patches.isEmpty)
  }

  @Test func aMarkIsTakenBackWhereItDecidesWhateverTheClockSays() {
    let before = marks([november + 900: [items[0]: true], november - 2: [items[1]: true]])
    let plan = MarkPlan(Array(items[0...1]), isRead: false, in: before, month: november)
    #expect(plan.patches.keys.map(\.month).sorted() == [november, november + 900])
    let after = ReadMarks([
      MarkShard(month: november + 900): [ByteString(items[0].text): MarkValue.unread],
      MarkShard(month: november): [ByteString(items[1].text): MarkValue.unread],
      MarkShard(month: november - 2): [ByteString(items[1].text): MarkValue.read],
    ])
    #expect(after.isRead(items[0]) == false)
    #expect(after.isRead(items[1]) == false)
    #expect(after.isRead(items[2]) == nil)
  }

  @Test func aFullDocumentIsFollowedByAnother() {
    let many = (0..<45_000).map { ItemKey(identity: "many \($0)") }
    let plan = MarkPlan(many, isRead: true, in: ReadMarks(), month: november)
    let sizes = plan.patches.sorted { $0.key < $1.key }.map {
      ($0.key.name, $0.value.members.count)
    }
    #expect(sizes.map(\.0) == ["2026-11", "2026-11.1", "2026-11.2"])
    #expect(sizes.map(\.1) == [20_000, 20_000, 5_000])
    let next = MarkPlan(items, isRead: true, in: ReadMarks(plan.patches), month: november)
    #expect(next.patches.keys.map(\.name) == ["2026-11.2"])
  }

  @Test func namesOfShardsReadBackAndOtherSpellingsAreNone() {
    for shard in [MarkShard(month: november), MarkShard(month: 23, part: 12)] {
      #expect(MarkShard(name: Substring(shard.name)) == shard)
    }
    for name in ["2026-1", "2026-11.0", "2026-11.01", "2026-13", "02026-11", "2026", "", "+026-11"]
    {
      #expect(MarkShard(name: Substring(name)) == nil, "\(name)")
    }
    #expect(MarkShard(month: MarkShard.month(ofSecond: 1_793_491_200)).name == "2026-11")
    #expect(MarkShard(month: MarkShard.month(ofSecond: 1_793_491_199)).name == "2026-10")
    #expect(MarkShard(month: MarkShard.month(ofSecond: 951_782_400)).name == "2000-02")
    #expect(MarkShard(month: MarkShard.month(ofSecond: -1)).name == "1969-12")
  }

  @Test func theLatestMonthsWithMarksAreKeptWhateverTheClockSays() {
    let feeds = ["a", "b"].map { FeedKey(address: $0) }
    var shards = (0..<30).map { FeedShard(feeds[$0 % 2], MarkShard(month: november - $0)) }
    #expect(MarkRetirement.firstKeptMonth(of: shards) == november - 23)
    let retired = MarkRetirement.retired(of: shards) { _ in true }
    #expect(retired.values.flatMap { $0 }.count == 6)
    #expect(MarkRetirement.retired(of: shards) { $0 == feeds[0] }.keys.map(\.self) == [feeds[0]])
    shards.append(FeedShard(feeds[0], MarkShard(month: november + 1_000)))
    #expect(MarkRetirement.firstKeptMonth(of: shards) == november - 22)
    #expect(MarkRetirement.firstKeptMonth(of: shards.prefix(24)) == nil)
  }

  @Test func aClockThatHasFallenBackDoesNotMakeMarksThatAreRetiredAtOnce() {
    let feed = FeedKey(address: "a")
    let shards = (0..<30).map { FeedShard(feed, MarkShard(month: november - $0)) }
    #expect(MarkRetirement.month(ofSecond: 0, among: shards) == november)
    // As many months as are kept: another one before them would go at once.
    #expect(
      MarkRetirement.month(ofSecond: 0, among: Array(shards.prefix(MarkLimits.months)))
        == november)
    #expect(MarkRetirement.month(ofSecond: 0, among: Array(shards.prefix(3))) == 1_970 * 12)
    #expect(MarkRetirement.month(ofSecond: 0, among: []) == 1_970 * 12)
    #expect(MarkRetirement.month(ofSecond: 1_793_491_200, among: shards) == november)
  }
}
