import CanonicalJSON

/// A condition in SQL that looks at one document alone, judged by its text.
///
/// What a change of a document can alter is then known from that document. SQLite itself judges
/// everything else when the statement is prepared under ``QueryRules``.
package struct QueryCondition: Hashable, Sendable {
  package let text: String

  /// Why a text is no condition on one document.
  package enum Problem: Error, Equatable, Sendable {
    /// A bracket or quotation mark without its other half.
    case unbalanced
    /// A comment or a semicolon.
    case mark(String)
    /// It reads other documents.
    case otherDocuments
    /// A parameter with a number, which would count from the statement's beginning.
    case numbered
  }

  package init(_ text: String) throws(Problem) {
    self.text = text
    var scan = Scan(rest: Array(text.utf8)[...])
    try scan.run()
  }
}

/// Goes through the text once, past what is quoted.
private struct Scan {
  var rest: ArraySlice<UInt8>
  private var depth = 0
  /// Whether a word has shown that tables can be named, and a literal that one would be.
  private var hasFrom = false
  private var hasLiteral = false
  /// Whether a literal would name a table here: before it, but for blanks, is `IN`, or the dot of a
  /// name in several parts.
  private var isBeforeName = false

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  private static let view = QueryRules.view
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  mutating func run() throws(QueryCondition.Problem) {
    while let byte = rest.first {
      try take(byte)
    }
    guard depth == 0 else { throw .unbalanced }
    // SQLite takes a literal for a table's name where it expects one.
    guard !(hasFrom && hasLiteral) else { throw .otherDocuments }
  }

  private mutating func take(_ byte: UInt8) throws(QueryCondition.Problem) {
    // SQLite takes that for a blank, too, where it is not within a word.
    if rest.starts(with: Self.byteOrderMark) {
      rest = rest.dropFirst(Self.byteOrderMark.count)
      return
    }
    let wasBeforeName = isBeforeName
    isBeforeName = wasBeforeName && Self.isBlank(byte) || byte == UInt8(ascii: ".")
    switch byte {
    case UInt8(ascii: "'"):
      guard try quoted(until: byte) == Self.view else { return }
      // Without a FROM.
      guard !wasBeforeName else { throw .otherDocuments }
      hasLiteral = true
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      guard try quoted(until: byte) != Self.view else { throw .otherDocuments }
    case UInt8(ascii: "["):
      guard try quoted(until: UInt8(ascii: "]")) != Self.view else { throw .otherDocuments }
    case UInt8(ascii: "("): step { $0.depth += 1 }
    case UInt8(ascii: ")"):
      step { $0.depth -= 1 }
      guard depth >= 0 else { throw .unbalanced }
    default: try takePlain(byte)
    }
  }

  private mutating func takePlain(_ byte: UInt8) throws(QueryCondition.Problem) {
    if byte == UInt8(ascii: ";") { throw .mark(";") }
    for mark in ["--", "/*"] where rest.starts(with: mark.utf8) { throw .mark(mark) }
    if byte == UInt8(ascii: "?"), let next = rest.dropFirst().first, Self.isDigit(next) {
      throw .numbered
    }
    let word = rest.prefix { Self.isLetter($0) || Self.isDigit($0) }
    guard !word.isEmpty else { return step { _ in } }
    rest = rest.dropFirst(word.count)
    switch String(decoding: word, as: UTF8.self).lowercased() {
    case Self.view: throw .otherDocuments
    case "from", "join": hasFrom = true
    case "in": isBeforeName = true
    default: break
    }
  }

  private mutating func step(_ body: (inout Scan) -> Void) {
    rest = rest.dropFirst()
    body(&self)
  }

  /// What stands in quotation marks; two of them at once are none.
  private mutating func quoted(until end: UInt8) throws(QueryCondition.Problem) -> String {
    var content: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == end else {
        content.append(byte)
        continue
      }
      guard rest.first == end, end != UInt8(ascii: "]") else {
        return String(decoding: content, as: UTF8.self).lowercased()
      }
      content.append(end)
      rest = rest.dropFirst()
    }
    throw .unbalanced
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
      || byte == UInt8(ascii: "_")
  }
}
