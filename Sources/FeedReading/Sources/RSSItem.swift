extension Item {
  /// Reads an item of RSS with the modules that are used in it.
  init(rss element: XMLElement) {
    self.init()
    var body = RSSBodies()
    var fallback = RSSFallbacks()
    element.forEachChild { child in
      switch child.key {
      case .title: title = title ?? child.rssTitle
      case .link:
        link = link ?? Reading.address(child.text ?? child.attribute("href"), base: child.base)
      case .guid, .id: id = id ?? Reading.identity(child.text)
      case .pubdate, .dctermsIssued, .atomPublished, .published:
        published = published ?? Reading.instant(child.text)
      case .dctermsModified, .atomUpdated, .updated, .lastbuilddate:
        updated = updated ?? Reading.instant(child.text)
      case .dcDate, .date: fallback.date = fallback.date ?? Reading.instant(child.text)
      case .enclosure: readRSSEnclosure(child)
      case .author, .dcCreator, .dcAuthor, .atomAuthor:
        for author in child.rssAuthors { authors.addOnce(author) }
      default:
        if !body.read(child) && !fallback.read(child) { categories.addRSS(child) }
      }
    }
    body.finish(&self, fallback)
    fallback.finish(&self)
    finishRSS(element)
  }

  private mutating func readRSSEnclosure(_ child: XMLElement) {
    let source = child.attribute("url") ?? child.attribute("href") ?? child.attribute("resource")
    guard let url = Reading.address(source ?? child.text, base: child.base) else { return }
    enclosures.addOnce(
      Enclosure(
        url: url, type: Reading.word(child.attribute("type")),
        length: Reading.size(child.attribute("length"))))
  }

  /// What is known only when all elements have been read.
  private mutating func finishRSS(_ element: XMLElement) {
    if id == nil { id = Reading.identity(element.attribute("about")) }
    if link == nil { link = element.rssAlternateLink }
    guard let guid = element.first(.guid), let text = guid.text else { return }
    let isPermaLink = guid.attribute("ispermalink")?.lowercased().trimmed != "false"
    if isPermaLink, link == nil, WebAddress.isAbsolute(text) || text.hasPrefix("/") {
      link = Reading.address(text, base: guid.base)
    }
  }
}

/// The texts of an item: a short one and a whole one, which RSS has under many names.
private struct RSSBodies {
  private var short: String?
  private var whole: String?
  private var second: String?

  /// Reads the element if it is a text.
  mutating func read(_ child: XMLElement) -> Bool {
    switch child.key {
    case .description, .summary, .atomSummary, .abstract:
      if short == nil { short = child.rssBody } else { second = second ?? child.rssBody }
    case .contentEncoded, .xhtmlBody, .body, .fullitem, .xhtmlDiv, .atomContent, .content:
      whole = whole ?? child.rssBody
    default: return false
    }
    return true
  }

  func finish(_ item: inout Item, _ fallback: RSSFallbacks) {
    item.summary = short ?? fallback.summary
    item.content = whole ?? second
  }
}

/// What modules say where RSS's own elements say nothing.
private struct RSSFallbacks {
  private(set) var summary: String?
  private var title: Title?
  private var author: Author?
  private var image: String?
  private var media: [Enclosure] = []
  private var published: FeedInstant?
  private var id: String?
  /// A date of which it is not said what happened then.
  var date: FeedInstant?

  mutating func read(_ child: XMLElement) -> Bool {
    switch child.key {
    case .dcTitle, .itunesTitle, .atomTitle: title = title ?? child.rssTitle
    case .mediaTitle: title = title ?? child.mediaTitle
    case .dcDescription, .itunesSummary, .dctermsAbstract, .itunesSubtitle, .mediaDescription,
      .googlePlayDescription:
      summary = summary ?? child.rssBody
    case .itunesAuthor: author = author ?? Author(line: child.text)
    case .dctermsCreated: published = published ?? Reading.instant(child.text)
    case .dcIdentifier, .atomID: id = id ?? Reading.identity(child.text)
    case .itunesImage, .googlePlayImage, .image, .itunesLink: image = image ?? child.rssImage
    case .mediaThumbnail:
      image = image ?? Reading.address(child.attribute("url"), base: child.base)
    case .mediaContent: readMedia(child)
    case .mediaGroup: child.forEachChild { _ = read($0) }
    default: return false
    }
    return true
  }

  private mutating func readMedia(_ child: XMLElement) {
    child.forEachChild { inner in
      if inner.key != .mediaContent, inner.key != .mediaGroup { _ = read(inner) }
    }
    guard let url = Reading.address(child.attribute("url"), base: child.base) else { return }
    let type = Reading.word(child.attribute("type"))
    let kind = child.attribute("medium") ?? type ?? ""
    if kind.hasPrefix("image") {
      image = image ?? url
    } else if kind.hasPrefix("audio") || kind.hasPrefix("video") {
      media.addOnce(
        Enclosure(url: url, type: type, length: Reading.size(child.attribute("filesize"))))
    }
  }

  func finish(_ item: inout Item) {
    item.title = item.title ?? title
    item.image = item.image ?? image
    item.updated = item.updated ?? date
    item.published = item.published ?? published ?? date
    item.id = item.id ?? id
    if item.authors.isEmpty { item.authors.addOnce(author) }
    if item.enclosures.isEmpty { item.enclosures = media }
  }
}
