import FeedLibrary
import FeedReading
import FeedSync

/// Items as they are printed.
enum ItemForm {
  /// Number, state, day, feed and title, in one line.
  static func text(_ item: ItemLine) -> String {
    let number = String(item.number)
    let padding = String(repeating: " ", count: max(0, 6 - number.count))
    let state = (item.isRead ? " " : "N") + (item.isStarred ? "*" : " ")
    let day = item.date.text.prefix(10)
    var line =
      "\(padding)\(number) \(state) \(day)  \(TerminalText.line(item.feedTitle)): "
      + TerminalText.line(item.title ?? item.link ?? "(no title)")
    for tag in item.tags { line += "  #\(TerminalText.line(tag))" }
    return line
  }

  static func json(_ item: ItemLine) -> JSON {
    [
      "number": .number(item.number), "item": .text(item.reference.description),
      "feed": .text(item.reference.feed.text), "feed_title": .text(item.feedTitle),
      "title": .text(item.title), "link": .text(item.link), "date": .text(item.date.text),
      "read": .bool(item.isRead), "starred": .bool(item.isStarred), "tags": .texts(item.tags),
    ]
  }

  /// All of an item, for reading.
  static func text(_ item: CachedItem, feedTitle: String) -> String {
    let content = item.content
    var head = [content.title?.text ?? "(no title)", feedTitle, item.date.text]
    let authors = content.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", ")
    if !authors.isEmpty { head.append(authors) }
    if let link = content.link { head.append(link) }
    if !item.tags.isEmpty { head.append(item.tags.map { "#" + $0 }.joined(separator: " ")) }
    let body = PlainText(content.content ?? content.summary ?? "")
    var text = head.map { TerminalText.line($0) }.joined(separator: "\n")
    if !body.text.isEmpty { text += "\n\n" + TerminalText.lines(body.text) }
    if !body.links.isEmpty || !content.enclosures.isEmpty { text += "\n" }
    for (index, link) in body.links.enumerated() {
      text += "\n[\(index + 1)] \(TerminalText.line(link))"
    }
    for file in content.enclosures {
      let type = file.type.map { " (\(TerminalText.line($0)))" } ?? ""
      text += "\n+ \(TerminalText.line(file.url))\(type)"
    }
    return text
  }

  static func json(_ item: CachedItem, feedTitle: String) -> JSON {
    let content = item.content
    return [
      "number": item.number.map { .number($0) } ?? .null,
      "item": .text(item.reference.description), "feed": .text(item.reference.feed.text),
      "feed_title": .text(feedTitle), "id": .text(content.id),
      "title": .text(content.title?.text), "link": .text(content.link),
      "date": .text(item.date.text), "published": .text(content.published?.text),
      "updated": .text(content.updated?.text), "summary": .text(content.summary),
      "content": .text(content.content), "image": .text(content.image),
      "authors": .array(
        content.authors.map {
          ["name": .text($0.name), "email": .text($0.email), "url": .text($0.url)]
        }),
      "categories": .texts(content.categories),
      "enclosures": .array(
        content.enclosures.map {
          [
            "url": .text($0.url), "type": .text($0.type),
            "length": $0.length.map { .number($0) } ?? .null,
          ]
        }),
      "read": .bool(item.isRead), "starred": .bool(item.isStarred), "tags": .texts(item.tags),
    ]
  }
}
