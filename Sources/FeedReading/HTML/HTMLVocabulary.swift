/// What is known of HTML's elements and attributes: what may be kept, and how it behaves.
enum HTMLVocabulary {
  struct Element: OptionSet {
    let rawValue: UInt16
    /// May be kept.
    static let allowed = Element(rawValue: 1 << 0)
    /// Has no content and no end tag.
    static let void = Element(rawValue: 1 << 1)
    /// Goes with all that is inside it.
    static let dropped = Element(rawValue: 1 << 2)
    /// Has no tags inside, only text up to its end tag.
    static let raw = Element(rawValue: 1 << 3)
    /// Ends a paragraph that is open.
    static let block = Element(rawValue: 1 << 4)
    /// Of a table: ends of other elements do not reach beyond it.
    static let tablePart = Element(rawValue: 1 << 5)
    /// Of SVG or MathML.
    static let foreign = Element(rawValue: 1 << 6)
    /// Starts an item of a list, which ends the item before.
    static let item = Element(rawValue: 1 << 7)
    /// Holds items or rows of its own.
    static let container = Element(rawValue: 1 << 8)
  }

  enum Attribute {
    case plain
    case address
    /// An address that is loaded when the text is shown.
    case source
    case sourceSet
    case style
    /// Only in SVG and MathML.
    case foreign
  }

  static let elements = NameTable(elementList)
  static let attributes = NameTable(attributeList)

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
  }

  private static let elementList: [(String, Element)] =
    words(
      """
      a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd mark
      meter nobr output picture progress q rp rt ruby s samp small source span strike strong sub
      sup time track tt u var video audio area map wbr br input button select option optgroup
      textarea label legend datalist keygen command canvas datagrid event-source m multicol nextid
      sound spacer
      """
    ).map { ($0, voidNames.contains($0) ? [.allowed, .void] : .allowed) }
    + words(
      """
      address article aside blockquote center details dialog dir div dl fieldset figcaption form
      figure footer h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table
      ul
      """
    ).map { name in
      var element: Element = [.allowed, .block]
      if voidNames.contains(name) { element.insert(.void) }
      if ["ol", "ul", "dl", "dir", "menu", "table"].contains(name) { element.insert(.container) }
      return (name, element)
    }
    + words("li dt dd").map { ($0, [.allowed, .block, .item]) }
    + words("caption colgroup tbody td tfoot th thead tr").map {
      ($0, [.allowed, .block, .tablePart])
    }
    + [("col", [.allowed, .void])]
    + words("script style title").map {
      ($0, [.dropped, .raw])
    }
    + words(
      """
      applet template foreignobject animate animatemotion animatetransform set handler listener
      annotation annotation-xml
      """
    ).map { ($0, .dropped) }
    + words(
      """
      svg circle ellipse line path polygon polyline rect text tspan g defs desc lineargradient
      radialgradient stop marker switch metadata
      """
    ).map { ($0, [.allowed, .foreign]) }
    + words(
      """
      math mi mo mn ms mtext mspace mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced
      menclose msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd maction none
      mprescripts
      """
    ).map { ($0, [.allowed, .foreign]) }

  private static let voidNames: Set<String> = [
    "area", "br", "hr", "img", "input", "keygen", "command", "source", "track", "wbr",
  ]

  private static let attributeList: [(String, Attribute)] =
    words(
      """
      abbr align alt axis bgcolor border cellpadding cellspacing char charoff charset checked class
      clear color cols colspan compact controls coords datetime dir disabled div face frame
      headers height high hreflang hspace id ismap itemprop kind label lang loop low max media min
      multiple muted name noshade nowrap open optimum pattern placeholder preload prompt pqg
      readonly rel required rev reversed rows rowspan rules scope shape size sizes span srclang
      start step summary tabindex title type valign value vspace width wrap xml:lang
      """
    ).map { ($0, .plain) }
    + words("href cite longdesc").map { ($0, .address) }
    + words("src poster background").map { ($0, .source) }
    + [("srcset", .sourceSet), ("style", .style), ("xlink:href", .address)]
    + words(
      """
      xlink:title xlink:type xlink:show baseprofile version viewbox cx cy r rx ry
      x x1 x2 y y1 y2 d points fill fill-opacity fill-rule stroke stroke-width stroke-linecap
      stroke-linejoin stroke-opacity stroke-dasharray opacity offset stop-color stop-opacity
      transform gradientunits markerwidth markerheight markerunits orient refx refy font-size
      font-family font-weight font-style text-anchor dx dy preserveaspectratio display mathvariant
      mathsize mathcolor stretchy fence separator lspace rspace accent accentunder columnalign
      rowalign columnspacing rowspacing columnlines rowlines linethickness depth displaystyle
      scriptlevel notation close separators
      """
    ).map { ($0, .foreign) }

  private static let addressNames: Set<String> = [
    "href", "src", "cite", "longdesc", "poster", "background", "usemap", "action",
  ]

  /// Whether the attribute holds an address, which `xml:base` moves.
  static func isAddress(_ name: String) -> Bool { addressNames.contains(name.lowercased()) }
}
