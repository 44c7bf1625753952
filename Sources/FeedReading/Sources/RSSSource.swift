/// RSS in all its versions: 0.9x and 2.0 under `rss`, 0.90 and 1.0 under `rdf:RDF`, 1.1 alone.
enum RSSSource: FeedSource {
  static func reader(root: XMLElement, origin: FeedOrigin) -> (any XMLFeedReader)? {
    switch root.key {
    case .rss: return RSSReader(format: "rss", origin: origin)
    case .rdf: return RSSReader(format: "rdf", origin: origin)
    case .channel where root.localName != "CHANNEL" && root.attribute("href") == nil:
      return RSSReader(format: "rss", origin: origin)
    default: return nil
    }
  }
}

/// Reads RSS: collects the items, and then the channel around them.
final class RSSReader: XMLFeedReader {
  private var channel: Channel
  private let origin: FeedOrigin

  init(format: String, origin: FeedOrigin) {
    channel = Channel(format: format)
    self.origin = origin
  }

  func isItem(_ element: XMLElement) -> Bool { element.key == .item }

  func readItem(_ element: XMLElement) {
    guard channel.items.count < FeedLimits.items else { return }
    channel.items.append(Item(rss: element))
  }

  func readChannel(_ root: XMLElement) {
    channel.readRSS(root)
    channel.language = channel.language ?? Reading.language(root.language ?? origin.language)
  }

  func finished() -> Channel { channel }
}

extension Channel {
  /// Reads what the feed says of itself, inside `channel` or, by mistake, around it.
  fileprivate mutating func readRSS(_ root: XMLElement) {
    let isChannel = root.key == .channel
    let channel = isChannel ? root : root.first(.channel)
    if let channel {
      if let language = channel.language { self.language = Reading.language(language) }
      id = Reading.identity(channel.attribute("about"))
      channel.forEachChild { readRSSChild($0) }
    }
    if !isChannel {
      // RSS 1.0 has the image beside the channel; 0.90 may lack the channel.
      root.forEachChild { child in
        if child.key == .image || channel == nil { readRSSChild(child) }
      }
    }
    if title == nil { title = channel?.first(.itunesTitle).flatMap { Title(plain: $0.text) } }
    link = link ?? channel?.rssAlternateLink
  }

  private mutating func readRSSChild(_ child: XMLElement) {
    switch child.key {
    case .title: title = title ?? child.rssTitle
    case .dcTitle: title = title ?? child.rssTitle
    case .link:
      link = link ?? Reading.address(child.text ?? child.attribute("href"), base: child.base)
    case .description: summary = child.rssBody ?? summary
    case .dcDescription, .itunesSubtitle, .itunesSummary, .atomSubtitle, .googlePlayDescription:
      summary = summary ?? child.rssBody
    case .dctermsAbstract, .abstract, .summary: summary = summary ?? child.rssBody
    case .language, .dcLanguage: language = Reading.language(child.text) ?? language
    case .atomID, .guid, .id, .dcIdentifier: id = id ?? Reading.identity(child.text)
    case .image, .itunesImage, .googlePlayImage, .logo, .atomLogo, .mediaThumbnail, .itunesLink:
      readRSSImage(child)
    case .icon, .atomIcon: icon = icon ?? Reading.address(child.text, base: child.base)
    default: readRSSDetail(child)
    }
  }

  private mutating func readRSSImage(_ child: XMLElement) {
    let address = child.rssImage
    // The picture that is meant for readers comes before the one for podcast directories.
    image = child.key == .image ? address ?? image : image ?? address
  }

  private mutating func readRSSDetail(_ child: XMLElement) {
    switch child.key {
    case .pubdate, .dctermsIssued, .dctermsCreated, .atomPublished, .published:
      published = published ?? Reading.instant(child.text)
    case .lastbuilddate, .dcDate, .dctermsModified, .atomUpdated, .updated, .date:
      updated = updated ?? Reading.instant(child.text)
    case .managingeditor, .author, .dcCreator, .dcAuthor, .atomAuthor:
      for author in child.rssAuthors { authors.addOnce(author) }
    case .itunesAuthor:
      if authors.isEmpty { authors.addOnce(Author(line: child.text)) }
    default: categories.addRSS(child)
    }
  }
}

extension [String] {
  /// The subjects that an element of RSS or one of its modules names.
  mutating func addRSS(_ element: XMLElement) {
    switch element.key {
    case .category, .dcSubject:
      addOnce(element.text ?? element.attribute("term") ?? element.attribute("text"))
    case .atomCategory: addOnce(element.attribute("term") ?? element.attribute("label"))
    case .mediaCategory: addOnce(element.text ?? element.attribute("label"))
    case .itunesCategory:
      addOnce(element.attribute("text"))
      element.forEachChild { addRSS($0, depth: 1) }
    case .itunesKeywords, .mediaKeywords, .tags, .keywords:
      for word in (element.text ?? "").split(separator: ",") { addOnce(String(word).trimmed) }
    default: break
    }
  }

  /// Apple's subjects are nested once.
  private mutating func addRSS(_ element: XMLElement, depth: Int) {
    if element.key == .itunesCategory { addOnce(element.attribute("text")) }
  }
}
