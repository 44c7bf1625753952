extension OPMLDocument {
  /// How many folders may stand in one another; what is deeper is in the last of them.
  static let maximumDepth = 32

  /// Reads a list in any encoding; mistakes in it are mended or passed over.
  ///
  /// An outline that names no feed and has none in it is left out, as are empty folders; feeds that
  /// cannot be taken from a list are ``refused``.
  /// - parameter file: What the document is called in an error, if it has a name.
  /// - throws: ``FeedError`` if the document is empty, too large, or no such list.
  public init(parsing bytes: [UInt8], file: String? = nil) throws(FeedError) {
    let operation = "read the subscriptions"
    guard bytes.count <= FeedLimits.documentBytes else {
      throw FeedError(.tooLarge, operation: operation, file: file)
    }
    let text = TextDecoder.utf8(bytes, charset: nil)
    guard text.contains(where: { !$0.isASCIISpace }) else {
      throw FeedError(.empty, operation: operation, file: file)
    }
    let reader = OPMLReader()
    XMLEventParser.parse(text, handler: reader)
    guard reader.isList else { throw FeedError(.notOPML, operation: operation, file: file) }
    self = reader.finished()
  }
}

/// Collects the outlines of a document as its elements begin and end.
private final class OPMLReader: XMLEventHandler {
  private enum Element {
    case root, head, title, body
    case outline(OutlineFrame)
    case other
  }
  private struct OutlineFrame {
    var name: String?
    var feed: OPMLDocument.Feed?
    var inside: [OPMLDocument.Outline] = []
  }

  private(set) var isList = false
  private var open: [Element] = []
  /// How many of the open elements are outlines.
  private var depth = 0
  private var title: [UInt8] = []
  private var result = OPMLDocument()
  private var feedCount = 0

  func start(_ tag: XMLStartTag) {
    let name = String(cString: tag.local).lowercased()
    switch (name, open.last) {
    // Wherever it stands: the mender puts a root around what has several, or none.
    case ("opml", _) where !isList:
      isList = true
      open.append(.root)
    case ("head", .root): open.append(.head)
    case ("title", .head): open.append(.title)
    case ("body", .root): open.append(.body)
    // An outline that was not closed holds what follows; so may a body that is missing.
    case ("outline", .root), ("outline", .body), ("outline", .outline):
      depth += 1
      open.append(.outline(frame(tag)))
    default: open.append(.other)
    }
  }

  func end() {
    guard let element = open.popLast(), case .outline(let frame) = element else { return }
    depth -= 1
    close(frame)
  }

  func characters(_ text: UnsafeBufferPointer<UInt8>) {
    guard case .title = open.last, title.count < FeedLimits.titleBytes else { return }
    title.append(contentsOf: text)
  }

  /// The list, when the document has ended, wherever that was.
  func finished() -> OPMLDocument {
    while !open.isEmpty { end() }
    result.title = TextCleaning.line(title)
    return result
  }

  private func frame(_ tag: XMLStartTag) -> OutlineFrame {
    var attributes: [String: [UInt8]] = [:]
    for index in 0..<tag.attributeCount {
      guard let attribute = tag.attribute(index) else { continue }
      attributes[String(cString: attribute.local).lowercased()] = Array(attribute.value)
    }
    func line(_ name: String) -> String? { attributes[name].flatMap { TextCleaning.line($0) } }
    func address(_ name: String) -> String? {
      attributes[name].flatMap { value in
        let address = WebAddress.cleaned(String(utf8: value).trimmed)
        let isUsable = !address.isEmpty && address.utf8.count <= FeedLimits.addressBytes
        let isService = FeedParser.address(for: address) != address
        return isUsable && (isService || WebAddress.isHarmless(address)) ? address : nil
      }
    }
    var frame = OutlineFrame(name: line("text") ?? line("title"))
    // That of a link is a page, that of an inclusion another list.
    let isFeed = !["link", "include"].contains(line("type")?.lowercased())
    guard let url = address("xmlurl") ?? (isFeed ? address("url") : nil),
      feedCount < FeedLimits.items
    else {
      let isRefused = address("xmlurl") == nil && result.refused.count < FeedLimits.list
      if isRefused, let refused = line("xmlurl") { result.refused.append(refused) }
      return frame
    }
    feedCount += 1
    let title = (line("title") ?? line("text")).flatMap { $0 == url ? nil : $0 }
    frame.feed = OPMLDocument.Feed(
      url: url, title: title, site: address("htmlurl"), tags: Self.tags(line("category") ?? ""))
    return frame
  }

  /// Categories are set apart by commas; a slash in front means the same as none.
  private static func tags(_ text: String) -> [String] {
    var result: [String] = []
    for part in text.utf8.split(separator: UInt8(ascii: ",")) {
      let word = String(utf8: part).trimmed
      let tag = word.hasPrefix("/") ? String(word.dropFirst()).trimmed : word
      if !tag.isEmpty, !result.contains(tag), result.count < FeedLimits.list { result.append(tag) }
    }
    return result
  }

  private func close(_ frame: OutlineFrame) {
    var outlines: [OPMLDocument.Outline] = frame.feed.map { [.feed($0)] } ?? []
    if !frame.inside.isEmpty {
      // What stands in a feed, as Radio UserLand wrote it, stands beside it here.
      let isFolder = frame.feed == nil && depth < OPMLDocument.maximumDepth && frame.name != nil
      if isFolder, let name = frame.name {
        outlines.append(.folder(name, frame.inside))
      } else {
        outlines += frame.inside
      }
    }
    // Taken out, so that it is changed in place.
    switch open.popLast() {
    case .outline(var parent):
      parent.inside += outlines
      open.append(.outline(parent))
    case let other:
      if let other { open.append(other) }
      result.outlines += outlines
    }
  }
}
