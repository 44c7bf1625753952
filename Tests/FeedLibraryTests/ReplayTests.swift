import FeedReading
import Testing

@testable import FeedLibrary

/// Sixty days of a feed that changes as feeds do, read on two devices.
@Suite struct ReplayTests {
  /// The document of a day: the latest items, some edited, in any order, with or without ids, and
  /// from the thirtieth day on by https.
  private static func document(day: Int, random: inout Chance) -> [Item] {
    var items = (max(0, day * 3 - 25)...(day * 3)).map { number in
      let scheme = day < 30 ? "http" : "https"
      let link = "\(scheme)://example.org/\(number)"
      let isEdited = random.next() % 4 == 0
      let edition = isEdited ? " (edited on day \(day))" : ""
      let title = "Item \(number)" + edition
      switch number % 3 {
      // By its link as id, by an id, and with nothing but its link.
      case 0: return Item(id: link, title: title, link: link + "?from=feed", content: title)
      case 1: return Item(id: "tag:example.org,2026:\(number)", title: title, link: link)
      default: return Item(title: title, link: link, content: title)
      }
    }
    items.shuffle(using: &random)
    // One that comes twice, and one that the server forgot today.
    items.append(items[0])
    items.remove(at: Int(random.next() % UInt64(items.count - 1)))
    return items
  }

  private static func number(_ item: ItemLine) -> Int {
    Int(item.title?.split(separator: " ")[1] ?? "") ?? -1
  }

  @Test(arguments: [1, 2] as [UInt64])
  func noItemThatWasReadIsEverUnreadAgain(_ seed: UInt64) throws {
    let house = try Household()
    let (ann, ben) = (try house.library("ann"), try house.library("ben"))
    let feed = try ann.subscribe(to: Subscription(url: "http://example.org/feed")).feed.key
    try Household.meet(ann, ben)
    var random = Chance(state: seed)
    var read: Set<Int> = []
    for day in 0..<60 {
      house.advance(days: 1)
      for library in [ann, ben] where random.next() % 4 > 0 {
        try library.fetch(Self.document(day: day, random: &random), of: feed, at: house.now)
        var query = ItemQuery()
        query.isRead = false
        let unread = try library.items(query)
        let chosen = unread.filter { _ in random.next() % 2 == 0 }
        try library.mark(chosen.map(\.reference), .read(true))
        read.formUnion(chosen.map(Self.number))
        if random.next() % 3 == 0 { try library.synchronize() }
      }
      guard day % 10 == 9 else { continue }
      try Household.meet(ann, ben)
      for library in [ann, ben] {
        let all = try library.items(ItemQuery())
        // Once each, whatever became of their ids and links.
        #expect(Set(all.map(Self.number)).count == all.count, "day \(day)")
        for item in all {
          #expect(item.isRead == read.contains(Self.number(item)), "day \(day): \(item)")
        }
      }
    }
    #expect(read.count > 100)
  }
}

/// Numbers that look like chance, and are the same for a seed.
struct Chance: RandomNumberGenerator {
  var state: UInt64

  // <https://prng.di.unimi.it/splitmix64.c>
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
