import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// Subscriptions from other readers and back.
@Suite struct SubscriptionListTests {
  let house: Household
  let library: Library

  init() throws {
    house = try Household()
    library = try house.library("ann")
  }

  @Test(arguments: ["netnewswire", "newsboat", "miniflux"])
  func aListIsSubscribedToOnceAndComesBack(_ name: String) throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "fixtures/opml")
    let data = try Data(contentsOf: fixtures.appending(path: "\(name).opml"))
    let list = try OPMLDocument(parsing: Array(data))
    let start = try library.store.committedChanges(after: nil).position
    let result = try library.subscribe(to: list)
    #expect(result.added.count == 3 && result.known == 0 && result.refused.isEmpty)
    #expect(try library.store.committedChanges(after: start).changes.count == 1)
    #expect(try library.subscribe(to: list).known == 3)
    let written = try library.subscriptionList(title: list.title)
    let order: (OPMLDocument.Entry, OPMLDocument.Entry) -> Bool = { $0.feed.url < $1.feed.url }
    // The order of the tags means nothing.
    func sorted(_ list: OPMLDocument) -> [OPMLDocument.Entry] {
      list.entries.map { entry in
        var entry = entry
        entry.feed.tags.sort()
        return entry
      }.sorted(by: order)
    }
    #expect(sorted(written) == sorted(list))
    #expect(try OPMLDocument(parsing: written.bytes) == written)
  }

  @Test func whatCannotBeSubscribedToIsNamed() throws {
    let feeds = ["https://a.org/1", "mailto:ann@example.org", "https://", "http://a.org/1"]
    let list = OPMLDocument(title: nil, outlines: feeds.map { .feed(OPMLDocument.Feed(url: $0)) })
    let result = try library.subscribe(to: list)
    #expect(result.added.map(\.subscription.url) == ["https://a.org/1"])
    #expect(result.refused == ["mailto:ann@example.org", "https://"])
    #expect(result.known == 1)
  }

  @Test("A file that was exported is named when it is refused by an import")
  func aFileIsNamedWhenItIsRefused() throws {
    try library.subscribe(to: Subscription(url: "file:///tmp/feed.xml"))
    let list = try OPMLDocument(parsing: library.subscriptionList().bytes)
    let result = try library.subscribe(to: list)
    #expect(result.added.isEmpty && result.refused == ["file:///tmp/feed.xml"])
  }

  @Test(arguments: ["", "x", "javascript:alert(1)", "https://", "https://a b", "file:"])
  func whatIsNoAddressIsRefusedWithWhatToDo(_ text: String) {
    let error = #expect(throws: LibraryError.self) {
      try library.subscribe(to: Subscription(url: text))
    }
    #expect(error?.code == .usage && error?.hint != nil)
  }

  @Test func settingsAreChangedOneByOne() throws {
    let feed = try library.subscribe(
      to: Subscription(url: "https://a.org/", title: "A", folder: ["News", "Local"], tags: ["x"])
    ).feed.key
    // Another version of the program has written something that this one does not know.
    try library.store.write {
      try $0.patch(["color": "red"], at: feed.text, in: SyncedCollections.subscriptions)
    }
    try library.update(feed) { subscription in
      subscription.title = nil
      subscription.tags.insert("y")
      subscription.tags.remove("x")
      subscription.interval = 60
    }
    let subscription = try library.feed(named: feed.text).subscription
    #expect(subscription.title == nil && subscription.folder == ["News", "Local"])
    #expect(subscription.tags == ["y"] && subscription.interval == 60)
    let body = try library.store.read {
      try $0.document(feed.text, in: SyncedCollections.subscriptions)?.body
    }
    #expect(body?.canonical.contains("\"color\":\"red\"") == true)
  }

  @Test("A subscription of another form that is changed is told as that, and no cache is blamed")
  func aDocumentOfAnotherFormIsToldAsThat() throws {
    let feed = try library.subscribe(to: Subscription(url: "https://a.org/")).feed.key
    try library.store.write {
      try $0.patch(["folder": [1]], at: feed.text, in: SyncedCollections.subscriptions)
    }
    #expect(try library.feeds().map(\.key) == [feed])
    let error = #expect(throws: LibraryError.self) { try library.update(feed) { $0.title = "A" } }
    #expect(error?.code == .badInput && error?.subject == feed.text)
    #expect(error?.hint?.contains("remove the file") == false)
  }

  @Test(arguments: ["", " x", "a,b", "a/b", "a\u{1B}b"])
  func aTagThatIsNoneIsRefused(_ tag: String) {
    let item = "AAAAAAAA/BBBBBBBB"
    let error = #expect(throws: LibraryError.self) {
      try library.mark([try library.reference(named: item)], .tagged(tag, true))
    }
    #expect(error?.code == .usage)
    // Those of feeds are of the same kind.
    #expect(throws: LibraryError.self) { try Library.checkTag(tag) }
  }
}
