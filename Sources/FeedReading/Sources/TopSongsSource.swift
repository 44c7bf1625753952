/// Apple's list of the songs that sell best, as its web service gives it in JSON.
///
/// Its JSON is Atom in other clothes: a member's text is in `label`, what were attributes in
/// `attributes`, and a list with one element is that element.
enum TopSongsSource: FeedSource {
  private static let defaultCount = 10
  private static let counts = 1...200

  /// The service's address for `itunes:topsongs?limit=20&country=de`.
  static func address(for subscription: String) -> String? {
    let parts = subscription.trimmed.split(separator: "?", maxSplits: 1)
    guard let name = parts.first?.lowercased(), name == "itunes:topsongs" else { return nil }
    var count = defaultCount
    var country = "us"
    for parameter in parts.dropFirst().joined().split(separator: "&") {
      let pair = parameter.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { continue }
      if pair[0] == "limit", let number = Int(pair[1]) {
        count = min(max(number, counts.lowerBound), counts.upperBound)
      }
      let isCountry = pair[1].utf8.count == 2 && pair[1].utf8.allSatisfy(\.isASCIILetter)
      if pair[0] == "country", isCountry { country = pair[1].lowercased() }
    }
    return "https://itunes.apple.com/\(country)/rss/topsongs/limit=\(count)/json"
  }

  static func channel(json: JSONValue, from origin: FeedOrigin) -> Channel? {
    guard let feed = json["feed"], feed["title"]?["label"] != nil || feed["entry"] != nil else {
      return nil
    }
    var channel = Channel(format: "itunes")
    let base = origin.base
    channel.title = Title(plain: feed["title"]?.label)
    channel.id = Reading.identity(feed["id"]?.label)
    channel.updated = Reading.instant(feed["updated"]?.label)
    channel.icon = Reading.address(feed["icon"]?.label, base: base)
    channel.link = feed.links(base).first { $0.relation == "alternate" }?.url
    if let author = feed["author"] {
      channel.authors.addOnce(
        Author(
          name: Reading.line(author["name"]?.label),
          url: Reading.address(author["uri"]?.label, base: base)))
    }
    for entry in (feed["entry"]?.elements ?? []).prefix(FeedLimits.items) where entry.isObject {
      channel.items.append(Item(topSong: entry, base: base))
    }
    return channel
  }
}

extension Item {
  fileprivate init(topSong json: JSONValue, base: String) {
    self.init()
    id = Reading.identity(json["id"]?.label)
    title = Title(plain: json["title"]?.label ?? json["im:name"]?.label)
    let links = json.links(base)
    link = (links.first { $0.relation == "alternate" } ?? links.first)?.url
    for link in links where link.relation == "enclosure" {
      enclosures.addOnce(Enclosure(url: link.url, type: link.type))
    }
    if let artist = json["im:artist"] {
      let url = Reading.address(artist["attributes"]?["href"]?.text, base: base)
      authors.addOnce(Author(name: Reading.line(artist.label), url: url))
    }
    for category in json["category"]?.elements ?? [] {
      let attributes = category["attributes"]
      categories.addOnce(attributes?["label"]?.text ?? attributes?["term"]?.text)
    }
    published = Reading.instant(json["im:releaseDate"]?.label)
    updated = Reading.instant(json["updated"]?.label)
    // They stand in the order of their sizes.
    image = Reading.address(json["im:image"]?.elements.last?.label, base: base)
    let html = json["content"]?.label ?? json["summary"]?.label
    content = html.flatMap { Reading.body(html: Array($0.utf8), base: base) }
  }
}

extension JSONValue {
  fileprivate var label: String? { self["label"]?.text ?? text }

  fileprivate func links(_ base: String) -> [(relation: String, type: String?, url: String)] {
    (self["link"]?.elements ?? []).compactMap { link in
      guard let attributes = link["attributes"],
        let url = Reading.address(attributes["href"]?.text, base: base)
      else { return nil }
      let relation = attributes["rel"]?.text ?? "alternate"
      return (relation, Reading.word(attributes["type"]?.text), url)
    }
  }
}
