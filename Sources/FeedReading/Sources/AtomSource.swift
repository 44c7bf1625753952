/// Atom 1.0 (RFC 4287), 0.3 and what was there before, also as a single entry.
enum AtomSource: FeedSource {
  static func reader(root: XMLElement, origin: FeedOrigin) -> (any XMLFeedReader)? {
    switch root.key {
    case .atomFeed, .feed: AtomReader(origin: origin)
    case .atomEntry, .entry: AtomReader(origin: origin, isEntry: true)
    default: nil
    }
  }
}

/// Reads Atom: collects the entries, and then the feed around them.
final class AtomReader: XMLFeedReader {
  private var channel = Channel(format: "atom")
  private let origin: FeedOrigin
  private let isEntry: Bool

  init(origin: FeedOrigin, isEntry: Bool = false) {
    self.origin = origin
    self.isEntry = isEntry
  }

  func isItem(_ element: XMLElement) -> Bool {
    element.key.inAtom == .atomEntry || element.key == .item
  }

  func readItem(_ element: XMLElement) {
    guard channel.items.count < FeedLimits.items else { return }
    channel.items.append(Item(atom: element))
  }

  func readChannel(_ root: XMLElement) {
    if isEntry {
      readItem(root)
      channel.title = channel.items.last?.title
    } else {
      channel.readAtom(root)
    }
    channel.language = channel.language ?? Reading.language(root.language ?? origin.language)
  }

  func finished() -> Channel { channel }
}

extension Channel {
  fileprivate mutating func readAtom(_ root: XMLElement) {
    var links = AtomLinks()
    root.forEachChild { child in
      switch child.key.inAtom {
      case .atomTitle: title = title ?? AtomText(child).title
      case .atomSubtitle, .atomTagline: summary = summary ?? AtomText(child).body
      case .atomLink: links.read(child)
      case .atomID: id = id ?? Reading.atomIdentity(child)
      case .atomUpdated, .atomModified: updated = Reading.instant(child.text) ?? updated
      case .atomPublished, .atomIssued, .atomCreated:
        published = published ?? Reading.instant(child.text)
      case .atomAuthor: authors.addOnce(Author(atom: child))
      case .atomCategory: categories.addAtom(child)
      case .atomLogo: image = image ?? Reading.address(child.text, base: child.base)
      case .atomIcon: icon = icon ?? Reading.address(child.text, base: child.base)
      case .itunesImage, .mediaThumbnail: image = image ?? child.rssImage
      case .language, .dcLanguage: language = language ?? Reading.language(child.text)
      case .dcDate: updated = updated ?? Reading.instant(child.text)
      default: readOther(child)
      }
    }
    link = links.page
    if let summary = root.first(.atomInfo), self.summary == nil {
      self.summary = AtomText(summary).body
    }
  }

  private mutating func readOther(_ child: XMLElement) {
    switch child.key {
    case .dcTitle: title = title ?? child.rssTitle
    case .dcCreator, .dcAuthor: for author in child.rssAuthors { authors.addOnce(author) }
    case .dcDescription, .description, .itunesSummary: summary = summary ?? child.rssBody
    default: categories.addRSS(child)
    }
  }
}

extension Item {
  /// Reads an entry of Atom with the modules that are used in it.
  init(atom element: XMLElement) {
    self.init()
    var links = AtomLinks()
    element.forEachChild { child in
      switch child.key.inAtom {
      case .atomTitle: title = title ?? AtomText(child).title
      case .atomSummary: summary = summary ?? AtomText(child).body
      case .atomContent: readAtomContent(child)
      case .atomLink: links.read(child)
      case .atomID: id = id ?? Reading.atomIdentity(child)
      case .atomUpdated, .atomModified: updated = Reading.instant(child.text) ?? updated
      case .atomPublished, .atomIssued: published = Reading.instant(child.text) ?? published
      case .atomCreated, .dctermsIssued, .pubdate:
        published = published ?? Reading.instant(child.text)
      case .dcDate, .dctermsModified: updated = updated ?? Reading.instant(child.text)
      case .atomAuthor: authors.addOnce(Author(atom: child))
      case .atomCategory: categories.addAtom(child)
      case .dcCreator, .dcAuthor: for author in child.rssAuthors { authors.addOnce(author) }
      default: categories.addRSS(child)
      }
    }
    link = link ?? links.page
    for enclosure in links.enclosures { enclosures.addOnce(enclosure) }
    readAtomFallbacks(element)
  }

  private mutating func readAtomContent(_ child: XMLElement) {
    if let source = child.attribute("src") {
      // The content is elsewhere: a page, or a file.
      guard let url = Reading.address(source, base: child.base) else { return }
      let type = Reading.word(child.attribute("type"))
      if type?.hasPrefix("audio/") == true || type?.hasPrefix("video/") == true {
        enclosures.addOnce(Enclosure(url: url, type: type))
      }
      return
    }
    content = content ?? AtomText(child).body
  }

  private mutating func readAtomFallbacks(_ element: XMLElement) {
    if let source = element.first(.atomSource), authors.isEmpty {
      source.forEachChild { if $0.key == .atomAuthor { authors.addOnce(Author(atom: $0)) } }
    }
    var media = Item(media: element)
    if title == nil { title = media.title }
    if summary == nil { summary = media.summary }
    if image == nil { image = media.image }
    if enclosures.isEmpty { swap(&enclosures, &media.enclosures) }
  }
}

extension ElementKey {
  /// The element of Atom that one without a namespace is in a document that forgot to declare it.
  var inAtom: ElementKey {
    switch self {
    case .title: .atomTitle
    case .link: .atomLink
    case .id: .atomID
    case .updated: .atomUpdated
    case .published: .atomPublished
    case .author: .atomAuthor
    case .category: .atomCategory
    case .content: .atomContent
    case .summary: .atomSummary
    case .icon: .atomIcon
    case .logo: .atomLogo
    case .entry: .atomEntry
    default: self
    }
  }
}
