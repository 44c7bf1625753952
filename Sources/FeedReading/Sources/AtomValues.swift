/// A text construct of Atom: plain, HTML or XHTML, as RFC 4287 section 3.1 and Atom 0.3 have it.
struct AtomText {
  private enum Form {
    case plain([UInt8])
    case html([UInt8])
  }

  private let form: Form
  private let base: String

  init(_ element: XMLElement) {
    base = element.base
    form = element.namespace == .atom03 ? Self.older(element) : Self.current(element)
  }

  var title: Title? {
    switch form {
    case .plain(let text): Title(plain: String(utf8: text))
    case .html(let html): Title(html: html, base: base)
    }
  }

  /// Harmless HTML.
  var body: String? {
    switch form {
    case .plain(let text): Reading.body(plain: text)
    case .html(let html): Reading.body(html: html, base: base)
    }
  }

  private static func current(_ element: XMLElement) -> Form {
    let type = element.attribute("type")?.trimmed.lowercased() ?? "text"
    switch type {
    case "xhtml": return .html(element.inlineMarkup(strippingDiv: true))
    case "html", "text/html", "text/x-html":
      guard element.hasElements else { return .html(element.textBytes) }
      // Elements where escaped markup belongs, which may hold it all the same.
      let isEscaping = !looksLikeHTML(element.textBytes)
      return .html(element.inlineMarkup(strippingDiv: true, escapingText: isEscaping))
    case "application/xhtml+xml": return .html(element.inlineMarkup(strippingDiv: true))
    default: break
    }
    // Markup that stands in text by mistake is meant as such.
    if element.hasElements { return .html(element.inlineMarkup(strippingDiv: true)) }
    if type.isEmpty || type == "text" || type == "plain" || type.hasPrefix("text/") {
      return .plain(element.textBytes)
    }
    if type.hasSuffix("+xml") || type.hasSuffix("/xml") { return .html(element.textBytes) }
    // Any other media type is in Base64, unless a producer made the type up.
    guard type.contains("/"), let bytes = Base64.decode(element.textBytes) else {
      return .plain(element.textBytes)
    }
    return .html(TextDecoder.utf8(bytes, charset: nil))
  }

  /// Atom 0.3: a media type, and a mode that says how it is written down.
  private static func older(_ element: XMLElement) -> Form {
    let type = element.attribute("type")?.trimmed.lowercased() ?? "text/plain"
    let mode = element.attribute("mode")?.trimmed.lowercased() ?? "xml"
    let isHTML = type.contains("html")
    var bytes = element.textBytes
    if mode == "base64", let decoded = Base64.decode(bytes) {
      bytes = TextDecoder.utf8(decoded, charset: nil)
      let isMarked = type != "text/plain" || looksLikeHTML(bytes)
      return isHTML || isMarked ? .html(bytes) : .plain(bytes)
    }
    if element.hasElements { return .html(element.inlineMarkup(strippingDiv: false)) }
    if isHTML || type.hasSuffix("xml") { return .html(bytes) }
    // Many wrote HTML without a type, few meant a tag to be read as it stands.
    let isTyped = element.attribute("type") != nil
    return !isTyped && looksLikeHTML(bytes) ? .html(bytes) : .plain(bytes)
  }

  /// Whether a text has an end tag, or a reference, and so was meant as HTML.
  private static func looksLikeHTML(_ text: [UInt8]) -> Bool {
    text.firstIndex(of: "</", from: 0) != nil || text.firstIndex(of: "/>", from: 0) != nil
  }
}

extension XMLElement {
  /// The markup inside; of XHTML in Atom 1.0 without the `div` that is no part of the content.
  func inlineMarkup(strippingDiv isStripping: Bool, escapingText: Bool = true) -> [UInt8] {
    let inside = children
    if isStripping, inside.count == 1, let only = inside.first, only.localName == "div" {
      return only.markup(escapingText: escapingText)
    }
    return markup(escapingText: escapingText)
  }
}

extension Author {
  /// Reads a person of Atom; somebody may have put a name alone where elements belong.
  init?(atom element: XMLElement) {
    guard element.hasElements else {
      self.init(line: element.text)
      return
    }
    self.init()
    element.forEachChild { child in
      switch child.key {
      case .atomName, .name, .dcTitle: name = name ?? Reading.line(child.text)
      case .atomEmail, .email: email = email ?? Reading.line(child.text)
      case .atomURI, .atomURL, .atomHomepage, .url, .homepage, .href:
        url = url ?? Reading.address(child.text, base: child.base)
      default: break
      }
    }
    if let text = name, email == nil, text.contains("@"), let split = Author(line: text) {
      name = split.name ?? name
      email = split.email
    }
  }
}

/// The links of a feed or an entry by what they are for.
struct AtomLinks {
  private(set) var enclosures: [Enclosure] = []
  private var alternate: String?
  private var isHTML = false
  private var fallback: String?

  /// The page: the alternate in HTML, else the first alternate, else what has no relation at all.
  var page: String? { alternate ?? fallback }

  mutating func read(_ element: XMLElement) {
    let source = element.attribute("href") ?? element.text
    guard let url = Reading.address(source, base: element.base) else { return }
    let type = Reading.word(element.attribute("type"))?.lowercased()
    switch Self.relation(element) {
    case "alternate":
      let isPage = type == nil || type?.contains("html") == true
      if alternate == nil || isPage && !isHTML {
        alternate = url
        isHTML = isPage
      }
    case "enclosure":
      let size = Reading.size(element.attribute("length"))
      enclosures.addOnce(Enclosure(url: url, type: type, length: size))
    case "self", "edit", "replies", "hub", "next", "prev", "previous", "first", "last", "license",
      "service.post", "service.edit", "service.feed", "payment", "search", "stylesheet", "image":
      break
    case "related", "via": break
    default: fallback = fallback ?? url
    }
  }

  /// The relation without the registry's address before it; `alternate` if there is none.
  private static func relation(_ element: XMLElement) -> String {
    let text = element.attribute("rel")?.trimmed.lowercased().nonEmpty ?? "alternate"
    let registry = "http://www.iana.org/assignments/relation/"
    return text.hasPrefix(registry) ? String(text.dropFirst(registry.count)) : text
  }
}

extension [String] {
  /// The subject that an element of Atom names.
  mutating func addAtom(_ element: XMLElement) {
    addOnce(element.attribute("term") ?? element.attribute("label") ?? element.text)
  }
}

extension Reading {
  /// An `id`, which is taken as it is written unless it is a path, which names nothing by itself.
  static func atomIdentity(_ element: XMLElement) -> String? {
    guard let text = identity(element.text) else { return nil }
    return text.hasPrefix("/") ? WebAddress.resolve(text, element.base) : text
  }
}

extension Item {
  /// What Media RSS and Apple's words say inside an entry of Atom.
  init(media element: XMLElement) {
    self.init()
    element.forEachChild { child in
      switch child.key {
      case .mediaGroup:
        let inside = Item(mediaGroup: child)
        title = title ?? inside.title
        summary = summary ?? inside.summary
        image = image ?? inside.image
        enclosures = enclosures.isEmpty ? inside.enclosures : enclosures
      case .itunesSummary, .dcDescription, .dctermsAbstract: summary = summary ?? child.rssBody
      case .dcTitle: title = title ?? child.rssTitle
      default: break
      }
    }
    let direct = Item(mediaGroup: element)
    title = title ?? direct.title
    summary = summary ?? direct.summary
    image = image ?? direct.image
    if enclosures.isEmpty { enclosures = direct.enclosures }
  }

  private init(mediaGroup element: XMLElement) {
    self.init()
    element.forEachChild { child in
      switch child.key {
      case .mediaTitle: title = title ?? child.mediaTitle
      case .mediaDescription: summary = summary ?? child.rssBody
      case .mediaThumbnail, .itunesImage: image = image ?? child.rssImage
      case .mediaContent:
        guard let url = Reading.address(child.attribute("url"), base: child.base) else { return }
        let type = Reading.word(child.attribute("type"))
        let kind = child.attribute("medium") ?? type ?? ""
        if kind.hasPrefix("image") { image = image ?? url }
        if kind.hasPrefix("audio") || kind.hasPrefix("video") {
          enclosures.addOnce(
            Enclosure(url: url, type: type, length: Reading.size(child.attribute("filesize"))))
        }
      default: break
      }
    }
  }
}
