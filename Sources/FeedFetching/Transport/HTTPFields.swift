/// The header fields of an answer, found by their names in any case.
///
///     HTTPFields([("ETag", "\"1\"")])["etag"]   // "\"1\""
public struct HTTPFields: Sendable, Equatable {
  private var values: [String: [String]] = [:]

  /// Fields in the order of the answer.
  public init(_ fields: some Sequence<(name: String, value: String)>) {
    for (name, value) in fields { values[name.lowercased(), default: []].append(value) }
  }

  /// The first value of a field, without white space around it; nil if it is empty.
  public subscript(_ name: String) -> String? {
    values[name.lowercased()]?.first.flatMap(Self.trimmed)
  }

  /// The values of a field that is a list, whichever way it was sent.
  func list(_ name: String) -> [String] {
    (values[name.lowercased()] ?? []).flatMap { $0.split(separator: ",") }
      .compactMap { Self.trimmed(String($0)) }
  }

  /// Each field once, as a parser of feeds wants them.
  var dictionary: [String: String] { values.compactMapValues(\.first) }

  private static func trimmed(_ text: String) -> String? {
    let bytes = text.utf8
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }),
      let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return nil }
    return String(text[first...last])
  }
}

/// A media type such as `text/xml`, without its parameters and in small letters.
///
///     MediaType("Text/XML; charset=utf-8")?.text   // "text/xml"
public struct MediaType: Sendable, Hashable {
  /// The type as one text.
  public let text: String

  /// The type that a `Content-Type` says; nil if it says none.
  public init?(_ field: String?) {
    guard let word = field?.split(separator: ";", omittingEmptySubsequences: false).first else {
      return nil
    }
    let name = word.filter { !$0.isWhitespace }.lowercased()
    guard name.split(separator: "/", omittingEmptySubsequences: false).count == 2,
      name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), name.utf8.count <= 255
    else { return nil }
    text = name
  }

  /// What stands before the slash.
  public var family: String { String(text.prefix { $0 != "/" }) }

  /// Whether it is sound, film, picture or typeface, which no feed is in.
  var isMedia: Bool { ["audio", "video", "image", "font"].contains(family) }
}
