/// What a deflate stream of format 1 may refer to before its first byte.
///
/// A segment of one small transaction has little to compress against itself; names that documents
/// often have and the usual parts of addresses save about a tenth of it. Frozen with the format;
/// the later in the list, the cheaper the reference.
enum DeflateDictionary {
  static let bytes: [UInt8] = Array(parts.joined().utf8)

  private static let parts = [
    "identifier", "enclosure", "thumbnail", "subtitle", "publisher", "language", "category",
    "comments", "position", "priority", "location", "duration", "modified", "children",
    "attachments", "description", "summary", "content", "body", "text", "html", "note", "count",
    "size", "type", "kind", "value", "version", "status", "state", "color", "order", "parent",
    "folder", "email", "phone", "address", "completed", "archived", "deleted", "pinned", "done",
    "dueAt", "createdAt", "updatedAt", "publishedAt", "created", "updated", "published", "date",
    "items", "tags", "labels", "feeds", "articles", "settings", "image", "icon", "name",
    "\u{0}rating", "\u{0}readAt", "\u{0}isRead", "\u{0}starred", "\u{0}author", "\u{0}url",
    "\u{0}link", "\u{0}title", ".html", ".xml", ".jpg", ".png", "index", "atom", "feed", "rss",
    "blog", "news", "article", "/archives/", "/entry/", "/story/", "/post/", "/posts/", "?id=",
    "example", ".de/", ".co.uk/", ".io/", ".net/", ".org/", ".com/20", "00:00:00Z", "2024-",
    "2025-", "2026-", "/2024/", "/2025/", "/2026/", "http://", "https://www.",
  ]
}
