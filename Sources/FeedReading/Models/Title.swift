/// A title, as text and as HTML, since many are written with markup.
///
///     Title(html: Array("AT&amp;T <b>now</b>".utf8))?.text  // "AT&T now"
public struct Title: Sendable, Equatable {
  /// One line without markup; empty if the title is nothing but a picture.
  public let text: String
  private let markup: String?

  /// Harmless HTML that shows the title.
  public var html: String { markup ?? Self.escaped(text) }

  /// A title that is plain text; nil if it is empty.
  public init?(plain text: String?) {
    guard let line = Reading.line(text) else { return nil }
    (self.text, markup) = (line, nil)
  }

  /// A title that is HTML; nil if it shows nothing.
  ///
  /// - parameter mayBePlain: Whether producers put plain text here as well, as they do in RSS; then
  ///   a few tags that HTML does not know are text.
  init?(html: [UInt8], base: String = "", mayBePlain: Bool = false) {
    let unknown = mayBePlain ? 8 : 0
    let cut = Array(html.prefix(FeedLimits.titleBytes * 2))
    guard html.contains(where: { $0 == ASCII.less || $0 == ASCII.ampersand }) else {
      guard let line = Reading.line(html: cut) else { return nil }
      (text, markup) = (line, nil)
      return
    }
    let clean = HTMLSanitizer.clean(cut, base: base, unknownAsText: unknown)
    text =
      HTMLSanitizer.line(of: cut, limit: FeedLimits.titleBytes, unknownAsText: unknown) ?? ""
    let isMarked = text.isEmpty ? Self.showsPicture(clean) : clean.contains(ASCII.less)
    markup = isMarked ? String(utf8: clean).trimmed : nil
    if text.isEmpty, !isMarked { return nil }
  }

  private static func showsPicture(_ html: [UInt8]) -> Bool {
    ["<img", "<svg", "<video", "<audio"].contains { html.firstIndex(of: $0, from: 0) != nil }
  }

  /// The text with only that escaped which HTML would not take as it stands.
  private static func escaped(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { $0 == ASCII.less || $0 == ASCII.ampersand }) else { return text }
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      let isTag =
        next.isASCIILetter || next == ASCII.slash || next == ASCII.exclamation
        || next == ASCII.question
      if byte == ASCII.less, isTag {
        result.append("&lt;")
      } else if byte == ASCII.ampersand,
        CharacterReference(in: bytes, at: index, end: bytes.count) != nil
      {
        result.append("&amp;")
      } else {
        result.append(byte)
      }
    }
    return String(utf8: result)
  }
}
