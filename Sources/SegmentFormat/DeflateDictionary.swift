/// What a deflate stream may refer to before its first byte.
///
/// A segment of one small transaction has little to compress against itself; names that documents
/// often have and the usual parts of addresses save about a tenth of it. Frozen with the format;
/// the later in the list, the cheaper the reference.
package enum DeflateDictionary: UInt64, CaseIterable, Sendable {
  /// What the first segments were written with; read for ever.
  case first = 1
  /// Has names as they stand in the table of paths, with their lengths: of M as 20,000 files of one
  /// transaction each, a fiftieth less.
  case second = 2

  /// What is written.
  package static let newest = second

  var bytes: [UInt8] {
    switch self {
    case .first: Self.firstBytes
    case .second: Self.secondBytes
    }
  }

  private static let firstBytes: [UInt8] = Array(
    (names.dropLast(marked.count) + marked.map { "\u{0}" + $0 } + addresses).joined().utf8)

  /// Last but one stand the flags of a transaction in a file of its own, and the end of the time
  /// after a whole millisecond.
  private static let secondBytes: [UInt8] =
    Array(addresses.dropLast().joined().utf8)
    + names.flatMap { [UInt8($0.utf8.count + 1), 0] + $0.utf8 }
    + [0x0B, 0x80, 0x80] + Array(addresses.suffix(1).joined().utf8)

  private static let marked = [
    "rating", "readAt", "isRead", "starred", "author", "url", "link", "title",
  ]

  private static let names =
    [
      "identifier", "enclosure", "thumbnail", "subtitle", "publisher", "language", "category",
      "comments", "position", "priority", "location", "duration", "modified", "children",
      "attachments", "description", "summary", "content", "body", "text", "html", "note", "count",
      "size", "type", "kind", "value", "version", "status", "state", "color", "order", "parent",
      "folder", "email", "phone", "address", "completed", "archived", "deleted", "pinned", "done",
      "dueAt", "createdAt", "updatedAt", "publishedAt", "created", "updated", "published", "date",
      "items", "tags", "labels", "feeds", "articles", "settings", "image", "icon", "name",
    ] + marked

  private static let addresses = [
    ".html", ".xml", ".jpg", ".png", "?id=",
    "index", "atom", "rss", "/archives/", "/entry/", "/story/", "/article/", "/news/", "/blog/",
    ".de/", ".co.uk/", ".io/", ".net/", ".org/", "00:00:00Z", "2024-", "2025-", "2026-",
    "/2024/", "/2025/", "/2026/", "http://", ".example.com/posts/2026/", "https://www.feed",
  ]
}
