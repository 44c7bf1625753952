import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary

/// Where feeds are that their servers send elsewhere.
@Suite struct FeedPlaceTests {
  let house: Household
  let ann: Library
  let ben: Library
  private let asked = "https://a.org/rss"
  private let signed = "https://store.org/1?until=1"

  init() throws {
    house = try Household()
    ann = try house.library("ann")
    ben = try house.library("ben")
  }

  @Test("A feed that has moved is known by the address that it had, on each device")
  func theAddressThatItHadIsKnown() throws {
    let feed = try ann.subscribe(to: Subscription(url: asked)).feed.key
    #expect(try ann.place(of: feed)?.home == asked)
    for number in 1...3 { try ann.move(feed, to: "https://store.org/\(number)") }
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      let place = try #require(try library.place(of: feed))
      #expect(place.url == "https://store.org/3" && place.home == asked && place.moves == 3)
    }
  }

  @Test("One that led elsewhere when it was subscribed to keeps the address that was given")
  func theAddressThatWasGivenIsKept() throws {
    let feed = try ann.subscribe(to: Subscription(url: signed), home: asked).feed.key
    #expect(try ann.feeds().map(\.subscription.url) == [signed])
    try Household.meet(ann, ben)
    try ben.move(feed, to: "https://store.org/2?until=2")
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      let place = try #require(try library.place(of: feed))
      #expect(place.url == "https://store.org/2?until=2" && place.home == asked)
      // Whoever asks for it again has it.
      #expect(try library.feed(at: "http://a.org/rss")?.key == feed)
      #expect(try !library.subscribe(to: Subscription(url: asked)).isNew)
    }
    try ben.move(feed, to: asked)
    #expect(try ben.feeds().map(\.subscription.url) == [asked])
  }

  @Test("Who asks again at an address that leads elsewhere each time finds the marks")
  func whoAsksAgainFindsTheMarks() throws {
    let feed = try ann.subscribe(to: Subscription(url: signed), home: asked).feed.key
    try ann.unsubscribe(feed)
    try Household.meet(ann, ben)
    let other = Subscription(url: "https://store.org/2?until=2")
    #expect(try ben.subscribe(to: other, home: asked).feed.key == feed)
    try ben.unsubscribe(feed)
    #expect(try ben.subscribe(to: Subscription(url: asked)).feed.key == feed)
  }

  @Test("Another scheme is no other address, and who subscribes anew begins anew")
  func whoSubscribesAnewBeginsAnew() throws {
    let feed = try ann.subscribe(to: Subscription(url: asked), home: "http://a.org/rss").feed.key
    #expect(try ann.place(of: feed)?.home == asked)
    try ann.move(feed, to: signed)
    try ann.unsubscribe(feed)
    #expect(try ann.place(of: feed) == nil)
    #expect(try ann.feed(at: signed) == nil)
    try ann.subscribe(to: Subscription(url: asked))
    let place = try #require(try ann.place(of: feed))
    #expect(place.url == asked && place.home == asked && place.moves == 0)
  }

  @Test("Two devices that are sent elsewhere by turns follow so often, and no more")
  func twoDevicesThatAreSentElsewhereEndIt() throws {
    let feed = try ann.subscribe(to: Subscription(url: asked)).feed.key
    try Household.meet(ann, ben)
    var followed = 0
    for turn in 0..<(3 * MarkLimits.moves) {
      let library = turn.isMultiple(of: 2) ? ann : ben
      guard try library.place(of: feed)?.isRestless == false else { continue }
      try library.move(feed, to: "https://\(turn.isMultiple(of: 2) ? "us" : "de").a.org/rss")
      followed += 1
      try Household.meet(ann, ben)
    }
    #expect(followed == MarkLimits.moves)
    #expect(try ann.place(of: feed) == ben.place(of: feed))
  }

  @Test("What says where another subscription went means nothing, whatever stands in it")
  func whatIsOfAnotherSubscriptionMeansNothing() {
    let subscription = Subscription(url: asked)
    let other: JSON = ["from": "https://b.org", "to": "https://c.org", "home": "x", "moves": 99]
    let place = FeedPlace(of: subscription, document: other)
    #expect(place.url == asked && place.home == asked && place.moves == 0)
    for moves in [JSON.integer(-5), "many", .integer(.max)] {
      let odd: JSON = ["from": .string(ByteString(asked)), "to": "https://c.org", "moves": moves]
      let place = FeedPlace(of: subscription, document: odd)
      #expect(place.url == "https://c.org" && place.home == asked)
      #expect(place.isRestless == (moves == .integer(.max)))
    }
  }
}
