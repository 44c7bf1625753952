import FeedReading

/// A feed as lines for people.
enum TextForm {
  static func text(of channel: Channel) -> String {
    var lines = [channel.title?.text ?? "(no title)"]
    for detail in [channel.link, channel.updated?.text] { if let detail { lines.append(detail) } }
    let count = channel.items.count
    lines.append("\(count) item\(count == 1 ? "" : "s"), \(channel.format)")
    for item in channel.items {
      lines.append("")
      lines.append(item.title?.text ?? "(no title)")
      let authors = item.authors.compactMap { $0.name ?? $0.email }.joined(separator: ", ")
      let facts = [(item.published ?? item.updated)?.text, authors.isEmpty ? nil : authors]
      let line = facts.compactMap { $0 }.joined(separator: "  ")
      if !line.isEmpty { lines.append("  " + line) }
      if let link = item.link { lines.append("  " + link) }
      for enclosure in item.enclosures { lines.append("  + " + enclosure.url) }
    }
    return lines.joined(separator: "\n")
  }
}
