import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary

/// So many stars and tags of one feed that a document has no room for them.
@Suite struct MemberPlanTests {
  private let feed = FeedKey(address: "https://e.org")
  private let items = (0..<60).map { ItemKey(identity: "\($0)") }.sorted()
  /// Room for 20 stars, each of which takes 13 bytes.
  private let limit = 20 * 13

  private func object(_ items: some Sequence<ItemKey>, _ value: JSON = 1) throws -> JSONObject {
    try #require(JSONObject(items.map { (ByteString($0.text), value) }))
  }

  @Test("What has no room in a document goes into the next one, and into the first that has some")
  func whatHasNoRoomGoesIntoTheNext() throws {
    let plan = MemberPlan(items, isAdded: true, in: [:], limit: limit)
    #expect(plan.count == 60 && plan.patches.keys.sorted() == [0, 1, 2])
    #expect(plan.patches.values.allSatisfy { $0.members.count == 20 })
    let parts = [0: try object(items[0..<20]), 1: try object(items[20..<25])]
    let more = MemberPlan(Array(items[15..<30]), isAdded: true, in: parts, limit: limit)
    #expect(more.count == 5)
    #expect(more.patches == [1: try object(items[25..<30])])
  }

  @Test("What two devices have put into two documents is taken from both")
  func whatIsInTwoIsTakenFromBoth() throws {
    let parts = [0: try object(items[0..<2]), 3: try object(items[1..<3])]
    let plan = MemberPlan(Array(items[1..<5]), isAdded: false, in: parts, limit: limit)
    #expect(plan.count == 2)
    #expect(plan.patches == [0: try object([items[1]], .null), 3: try object(items[1..<3], .null)])
    #expect(MemberPlan([items[1]], isAdded: true, in: parts, limit: limit).count == 0)
  }

  @Test("A tag is apart from the other tags of its item, wherever they are")
  func aTagIsApart() throws {
    let first: JSON = ["old": 1, "none": 0]
    let parts = [0: try object(items[0..<60], first)]
    let new = MemberPlan([items[7]], tag: "new", isAdded: true, in: parts, limit: limit)
    #expect(new.patches == [1: try object([items[7]], ["new": 1])])
    #expect(MemberPlan([items[7]], tag: "old", isAdded: true, in: parts, limit: limit).count == 0)
    #expect(MemberPlan([items[7]], tag: "none", isAdded: true, in: parts, limit: limit).count == 1)
    let gone = MemberPlan([items[7]], tag: "old", isAdded: false, in: parts, limit: limit)
    var null = JSONObject()
    null["old"] = JSON.null
    #expect(gone.patches == [0: try object([items[7]], .object(null))])
  }

  @Test("What is too much of a document goes into others where something is taken from it")
  func whatIsTooMuchGoesIntoOthers() throws {
    let parts = [0: try object(items), 1: try object(items[0..<5])]
    // Room for 50 of the 60, of which one goes anyway; 15 more fit into the second.
    let plan = MemberPlan(
      [items[59]], isAdded: false, in: parts, limit: limit, most: 50 * 13)
    #expect(plan.count == 1)
    #expect(plan.patches == [0: try object(items[50...], .null), 1: try object(items[50..<59])])
    let small = MemberPlan([items[59]], isAdded: false, in: parts, limit: limit, most: 60 * 13)
    #expect(small.patches == [0: try object([items[59]], .null)])
    let tagged = [0: try object(items, ["a": 1, "b": 1])]
    let others = MemberPlan(
      [items[58]], tag: "a", isAdded: false, in: tagged, limit: 1_000, most: 59 * 24 - 6)
    var null = JSONObject()
    null["a"] = JSON.null
    var patch = try object([items[59]], .null)
    patch[ByteString(items[58].text)] = .object(null)
    #expect(others.patches == [0: patch, 1: try object([items[59]], ["a": 1, "b": 1])])
    // The last item's tags stand in two, and the one that is taken is in the second alone.
    var two = [0: try object(items, ["a": 1]), 1: try object([items[59]], ["b": 1])]
    two[0]?[ByteString(items[0].text)] = ["b": 1]
    let both = MemberPlan(
      [items[0], items[59]], tag: "b", isAdded: false, in: two, limit: 1_000, most: 59 * 18)
    #expect(both.patches[1] == (try object([items[59]], ["a": 1, "b": .null])))
    #expect(both.patches[0]?[ByteString(items[59].text)] == JSON.null)
  }

  @Test("A star is taken from a document that devices have filled beyond what may be written")
  func aStarIsTakenFromADocumentThatIsTooLarge() throws {
    let house = try Household()
    let (ann, ben) = (try house.library("ann"), try house.library("ben"))
    let feed = try ann.subscribe(to: Subscription(url: "https://e.org")).feed.key
    let many = (0..<90_000).map { ItemKey(identity: "i\($0)") }
    // As older versions did, which had one document.
    for (library, half) in [(ann, many[..<45_000]), (ben, many[45_000...])] {
      let stars = JSON.object(try object(half))
      _ = try library.store.write {
        try $0.patch(stars, at: feed.text, in: SyncedCollections.stars)
      }
    }
    try Household.meet(ann, ben)
    let (first, last) = (ItemReference(feed, many[0]), ItemReference(feed, many[89_999]))
    #expect(try ann.mark([first], .starred(false)).changed == 1)
    try Household.meet(ann, ben)
    #expect(try ben.mark([last], .starred(false)).changed == 1)
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      #expect(try library.store.marks(of: feed).starred == Set(many[1..<89_999]))
    }
  }

  @Test("Names of documents read back, and other spellings are none")
  func namesReadBack() {
    for part in [FeedPart(feed, 0), FeedPart(feed, 1), FeedPart(feed, 12)] {
      #expect(FeedPart(id: part.id) == part)
    }
    #expect(FeedPart(feed, 0).id == feed.text)
    for name in ["", "/", "\(feed)/", "\(feed)/0", "\(feed)/01", "\(feed)/1/2", "\(feed)1"] {
      #expect(FeedPart(id: name) == nil, "\(name)")
    }
  }

  @Test("More stars than a document holds are given and taken, and are there on each device")
  func moreStarsThanADocumentHolds() throws {
    let house = try Household()
    let (ann, ben) = (try house.library("ann"), try house.library("ben"))
    let feed = try ann.subscribe(to: Subscription(url: "https://e.org")).feed.key
    try ann.fetch([Item(id: "0", title: "0"), Item(id: "1", title: "1")], of: feed, at: house.now)
    let here = try ann.items(ItemQuery()).map(\.reference)
    let many = (2..<90_000).map { ItemReference(feed, ItemKey(identity: "i\($0)")) }
    #expect(try ann.mark(many + here, .starred(true)).changed == 90_000)
    for tag in ["a", "b"] { try ann.mark(here, .tagged(tag, true)) }
    try Household.meet(ann, ben)
    try ben.fetch([Item(id: "0", title: "0"), Item(id: "1", title: "1")], of: feed, at: house.now)
    for library in [ann, ben] {
      #expect(try library.items(ItemQuery()).allSatisfy { $0.isStarred && $0.tags == ["a", "b"] })
    }
    #expect(try ben.mark([here[0]], .starred(false)).changed == 1)
    try Household.meet(ann, ben)
    let starred = try ann.items(ItemQuery()).filter(\.isStarred).map(\.reference)
    #expect(starred == [here[1]])
  }
}
