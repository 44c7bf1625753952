/// What an element is by its name and namespace: the words that feeds are written in.
///
/// Names are in small letters, since producers write `pubdate` and CDF writes everything large;
/// those of other namespaces than the feed's own carry the usual prefix. Atom's are one with or
/// without it, since both versions stand inside RSS, too.
enum ElementKey: String, Sendable {
  case other
  // Documents
  case rss, feed, channel, item, entry
  case rdf = "rdf:rdf"
  // RSS, RSS 1.0, CDF and what others have made up for them
  case title, link, description, language, pubdate, lastbuilddate, guid, author, category, enclosure
  case image, url, managingeditor, summary, body, fullitem, tags, abstract, logo, icon, name, email
  case homepage, published, updated, content, id, href, keywords, date
  // Atom
  case atomTitle = "atom:title"
  case atomLink = "atom:link"
  case atomSubtitle = "atom:subtitle"
  case atomTagline = "atom:tagline"
  case atomInfo = "atom:info"
  case atomID = "atom:id"
  case atomUpdated = "atom:updated"
  case atomModified = "atom:modified"
  case atomPublished = "atom:published"
  case atomIssued = "atom:issued"
  case atomCreated = "atom:created"
  case atomAuthor = "atom:author"
  case atomName = "atom:name"
  case atomEmail = "atom:email"
  case atomURI = "atom:uri"
  case atomURL = "atom:url"
  case atomHomepage = "atom:homepage"
  case atomCategory = "atom:category"
  case atomContent = "atom:content"
  case atomSummary = "atom:summary"
  case atomIcon = "atom:icon"
  case atomLogo = "atom:logo"
  case atomFeed = "atom:feed"
  case atomEntry = "atom:entry"
  case atomSource = "atom:source"
  // Modules
  case dcTitle = "dc:title"
  case dcCreator = "dc:creator"
  case dcAuthor = "dc:author"
  case dcDate = "dc:date"
  case dcSubject = "dc:subject"
  case dcDescription = "dc:description"
  case dcLanguage = "dc:language"
  case dcIdentifier = "dc:identifier"
  case dctermsIssued = "dcterms:issued"
  case dctermsCreated = "dcterms:created"
  case dctermsModified = "dcterms:modified"
  case dctermsAbstract = "dcterms:abstract"
  case contentEncoded = "content:encoded"
  case itunesAuthor = "itunes:author"
  case itunesSummary = "itunes:summary"
  case itunesSubtitle = "itunes:subtitle"
  case itunesImage = "itunes:image"
  case itunesCategory = "itunes:category"
  case itunesKeywords = "itunes:keywords"
  case itunesTitle = "itunes:title"
  case itunesLink = "itunes:link"
  case googlePlayImage = "googleplay:image"
  case googlePlayDescription = "googleplay:description"
  case mediaGroup = "media:group"
  case mediaContent = "media:content"
  case mediaThumbnail = "media:thumbnail"
  case mediaTitle = "media:title"
  case mediaDescription = "media:description"
  case mediaCategory = "media:category"
  case mediaKeywords = "media:keywords"
  case xhtmlBody = "xhtml:body"
  case xhtmlDiv = "xhtml:div"

  init(namespace: XMLNamespace, local: String) {
    let prefix: String
    switch namespace {
    case .core: prefix = ""
    case .atom10, .atom03: prefix = "atom:"
    case .dc: prefix = "dc:"
    case .dcterms: prefix = "dcterms:"
    case .content: prefix = "content:"
    case .media: prefix = "media:"
    case .itunes: prefix = "itunes:"
    case .googlePlay: prefix = "googleplay:"
    case .xhtml: prefix = "xhtml:"
    case .rdf: prefix = "rdf:"
    default:
      self = .other
      return
    }
    self = ElementKey(rawValue: prefix + local.lowercased()) ?? .other
  }
}
