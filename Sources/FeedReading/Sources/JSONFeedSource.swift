/// JSON Feed 1.0 and 1.1. <https://www.jsonfeed.org/version/1.1/>
enum JSONFeedSource: FeedSource {
  static func channel(json: JSONValue, from origin: FeedOrigin) -> Channel? {
    let version = json["version"]?.text ?? ""
    // Some forget the version, but nothing else has a list of items under a title.
    let isFeed = version.contains("jsonfeed.org") || json["title"] != nil && json["items"] != nil
    guard isFeed, json.isObject else { return nil }
    var channel = Channel(format: "json")
    channel.read(jsonFeed: json, from: origin)
    return channel
  }
}

extension Channel {
  fileprivate mutating func read(jsonFeed json: JSONValue, from origin: FeedOrigin) {
    let base = origin.base
    title = Title(plain: json["title"]?.text)
    link = Reading.address(json["home_page_url"]?.text, base: base)
    id = Reading.identity(json["feed_url"]?.text)
    summary = json["description"]?.text.flatMap { Reading.body(plain: Array($0.utf8)) }
    language = Reading.language(json["language"]?.text ?? origin.language)
    image = Reading.address(json["icon"]?.text, base: base)
    icon = Reading.address(json["favicon"]?.text, base: base)
    authors = [Author](jsonFeed: json, base: base)
    for item in (json["items"]?.elements ?? []).prefix(FeedLimits.items) where item.isObject {
      items.append(Item(jsonFeed: item, base: link ?? base))
    }
  }
}

extension Item {
  fileprivate init(jsonFeed json: JSONValue, base: String) {
    self.init()
    id = Reading.identity(json["id"]?.text)
    title = Title(plain: json["title"]?.text)
    link =
      Reading.address(json["url"]?.text, base: base)
      ?? Reading.address(json["external_url"]?.text, base: base)
    summary = json["summary"]?.text.flatMap { Reading.body(plain: Array($0.utf8)) }
    if let html = json["content_html"]?.text {
      content = Reading.body(html: Array(html.utf8), base: link ?? base)
    }
    if content == nil, let plain = json["content_text"]?.text {
      content = Reading.body(plain: Array(plain.utf8))
    }
    published = Reading.instant(json["date_published"]?.text)
    updated = Reading.instant(json["date_modified"]?.text)
    image =
      Reading.address(json["image"]?.text, base: base)
      ?? Reading.address(json["banner_image"]?.text, base: base)
    authors = [Author](jsonFeed: json, base: base)
    for tag in json["tags"]?.elements ?? [] { categories.addOnce(tag.text) }
    for file in json["attachments"]?.elements ?? [] {
      guard let url = Reading.address(file["url"]?.text, base: base) else { continue }
      enclosures.addOnce(
        Enclosure(
          url: url, type: Reading.word(file["mime_type"]?.text),
          length: file["size_in_bytes"]?.size))
    }
  }
}

extension [Author] {
  /// Version 1.1 has a list of authors, version 1.0 one.
  fileprivate init(jsonFeed json: JSONValue, base: String) {
    self.init()
    let list = json["authors"]?.elements ?? []
    for author in list.isEmpty ? json["author"]?.elements ?? [] : list {
      if let text = author.text {
        addOnce(Author(line: text))
      } else {
        addOnce(
          Author(
            name: Reading.line(author["name"]?.text), email: Reading.line(author["email"]?.text),
            url: Reading.address(author["url"]?.text, base: base)))
      }
    }
  }
}
