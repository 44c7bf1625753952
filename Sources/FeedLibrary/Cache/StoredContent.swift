import FeedReading
import Foundation

/// An item's content as JSON in the cache.
struct StoredItem: Codable {
  var id: String?
  var title: String?
  var link: String?
  var summary: String?
  var content: String?
  var published: Int64?
  var updated: Int64?
  var image: String?
  var authors: [StoredAuthor]?
  var categories: [String]?
  var enclosures: [StoredEnclosure]?
}

struct StoredAuthor: Codable {
  var name: String?
  var email: String?
  var url: String?

  init(_ author: Author) { (name, email, url) = (author.name, author.email, author.url) }
  var author: Author { Author(name: name, email: email, url: url) }
}

struct StoredEnclosure: Codable {
  var url: String
  var type: String?
  var length: Int?

  init(_ file: Enclosure) { (url, type, length) = (file.url, file.type, file.length) }
  var enclosure: Enclosure { Enclosure(url: url, type: type, length: length) }
}

/// What a channel says of itself, as JSON in the cache.
struct StoredChannel: Codable {
  var format: String
  var title: String?
  var link: String?
  var summary: String?
  var id: String?
  var updated: Int64?
  var published: Int64?
  var language: String?
  var image: String?
  var icon: String?
  var authors: [StoredAuthor]?
  var categories: [String]?
}

extension StoredItem {
  init(_ item: Item) {
    self.init(
      id: item.id, title: item.title?.text, link: item.link, summary: item.summary,
      content: item.content, published: item.published?.secondsSince1970,
      updated: item.updated?.secondsSince1970, image: item.image,
      authors: item.authors.isEmpty ? nil : item.authors.map { StoredAuthor($0) },
      categories: item.categories.isEmpty ? nil : item.categories,
      enclosures: item.enclosures.isEmpty ? nil : item.enclosures.map { StoredEnclosure($0) })
  }

  var item: Item {
    var item = Item()
    (item.id, item.link, item.summary, item.content) = (id, link, summary, content)
    item.title = Title(plain: title)
    item.published = published.map { FeedInstant(secondsSince1970: $0) }
    item.updated = updated.map { FeedInstant(secondsSince1970: $0) }
    item.image = image
    item.authors = (authors ?? []).map(\.author)
    item.categories = categories ?? []
    item.enclosures = (enclosures ?? []).map(\.enclosure)
    return item
  }
}

extension StoredChannel {
  init(_ channel: Channel) {
    self.init(
      format: channel.format, title: channel.title?.text, link: channel.link,
      summary: channel.summary, id: channel.id, updated: channel.updated?.secondsSince1970,
      published: channel.published?.secondsSince1970, language: channel.language,
      image: channel.image, icon: channel.icon,
      authors: channel.authors.isEmpty ? nil : channel.authors.map { StoredAuthor($0) },
      categories: channel.categories.isEmpty ? nil : channel.categories)
  }

  var channel: Channel {
    var channel = Channel(format: format)
    (channel.link, channel.summary, channel.id) = (link, summary, id)
    channel.title = Title(plain: title)
    channel.updated = updated.map { FeedInstant(secondsSince1970: $0) }
    channel.published = published.map { FeedInstant(secondsSince1970: $0) }
    (channel.language, channel.image, channel.icon) = (language, image, icon)
    channel.authors = (authors ?? []).map(\.author)
    channel.categories = categories ?? []
    return channel
  }
}
