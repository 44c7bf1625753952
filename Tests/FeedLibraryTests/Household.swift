import FeedReading
import FeedSync
import Foundation
import Synchronization

@testable import FeedLibrary

/// A synced folder, and the libraries of any number of devices on it, whose time stands still.
final class Household: Sendable {
  let root: URL
  /// Seconds since 1970, the same for all devices that have none of their own.
  private let time = Mutex<Int64>(Household.start)
  private let clocks = Mutex<[String: Int64]>([:])

  /// 2026-11-01.
  static let start: Int64 = 1_793_491_200

  init() throws {
    root =
      FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-library-\(UUID().uuidString)").standardizedFileURL
    try FileManager.default.createDirectory(
      at: root.appending(path: "folder"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  var folder: String { root.appending(path: "folder").path }
  func cache(_ name: String) -> String { root.appending(path: "cache-\(name)").path }
  func state(_ name: String) -> String { root.appending(path: "state-\(name)").path }

  /// The library of a device of this name, which joins if it has not yet.
  func library(_ name: String) throws -> Library {
    let container = try UbiquityContainer.join(
      folder, identifier: "org.example.feeds", deviceName: name, state: state(name))
    return try Library(container, cache: cache(name)) { [self] in
      FeedInstant(secondsSince1970: clocks.withLock { $0[name] } ?? time.withLock { $0 })
    }
  }

  var now: FeedInstant { FeedInstant(secondsSince1970: time.withLock { $0 }) }

  func advance(days: Int) { time.withLock { $0 += Int64(days) * 86_400 } }

  /// Gives a device a clock of its own, which is wrong.
  func setClock(of name: String, to second: Int64?) { clocks.withLock { $0[name] = second } }

  /// Lets all libraries import what the others wrote.
  static func meet(_ libraries: Library...) throws {
    for _ in 0..<2 { for library in libraries { try library.synchronize() } }
  }

  /// How many bytes the logs in the folder have together.
  func logBytes() throws -> Int {
    let logs = root.appending(path: "folder/logs")
    let files = FileManager.default.enumerator(at: logs, includingPropertiesForKeys: [.fileSizeKey])
    return try (files?.compactMap { $0 as? URL } ?? []).reduce(0) { sum, url in
      let values = try url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
      return sum + (values.isRegularFile == true ? values.fileSize ?? 0 : 0)
    }
  }
}

extension Item {
  /// An item of the tests.
  init(
    id: String? = nil, title: String? = nil, link: String? = nil, content: String? = nil,
    published: Int64? = nil
  ) {
    self.init()
    (self.id, self.link, self.content) = (id, link, content)
    self.title = Title(plain: title)
    self.published = published.map { FeedInstant(secondsSince1970: $0) }
  }
}

extension Channel {
  init(_ items: [Item], title: String = "Example") {
    self.init(format: "rss")
    self.title = Title(plain: title)
    self.items = items
  }
}

extension Library {
  /// Merges these items as a document that has just been fetched.
  @discardableResult
  func fetch(_ items: [Item], of feed: FeedKey, at time: FeedInstant) throws -> ChannelUpdate {
    try receive(FetchedChannel(feed: feed, channel: Channel(items), fetched: time))
  }

  /// The titles of the items that have not been read, sorted.
  func unreadTitles() throws -> [String] {
    var query = ItemQuery()
    query.isRead = false
    return try items(query).compactMap(\.title).sorted()
  }
}
