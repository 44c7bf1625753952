/// Makes HTML of unknown origin safe to show: keeps what is known to be harmless, and nothing else.
///
/// The output holds no script, no event handler, no style that could leave its place, no address
/// but those of harmless schemes, and no image that only counts readers. It is well-formed, and
/// cleaning it again gives the same:
///
///     HTMLSanitizer.clean("<p onclick=x>Hi <script>…</script><b>you")  // <p>Hi <b>you</b></p>
///
/// Unknown tags go, their text stays. Depth is limited to 100 elements; the time it takes is
/// proportional to the length.
public enum HTMLSanitizer {
  /// The harmless form of `html`, with relative addresses joined to `base` if that is known, and
  /// harmless itself.
  ///
  ///     HTMLSanitizer.clean("<a href='b'>b</a>", base: "http://example.org/a")
  ///     // <a href="http://example.org/b">b</a>
  public static func clean(_ html: String, base: String = "") -> String {
    String(utf8: clean(Array(html.utf8), base: WebAddress.cleaned(base)))
  }

  /// - parameter unknownAsText: How many tags of unknown names are text, as in a title.
  static func clean(_ html: [UInt8], base: String = "", unknownAsText: Int = 0) -> [UInt8] {
    // Each address that is joined to it would have its scheme.
    var cleaner = HTMLCleaner(html, base: WebAddress.isHarmless(base) ? base : "")
    cleaner.unknownAsText = unknownAsText
    return cleaner.run()
  }

  /// The text of HTML, without tags and in one line.
  static func line(of html: [UInt8], limit: Int = 8_192, unknownAsText: Int = 0) -> String? {
    // Most titles hold nothing that HTML could mean.
    guard html.contains(where: { $0 == ASCII.less || $0 == ASCII.ampersand }) else {
      return TextCleaning.line(html, limit: limit)
    }
    // Where the rest is cut off anyhow, it need not be read.
    var extractor = HTMLCleaner(Array(html.prefix(limit * 16)), base: "")
    extractor.keepsTags = false
    extractor.unknownAsText = unknownAsText
    return TextCleaning.line(extractor.run(), limit: limit)
  }
}
