/// Microsoft's Channel Definition Format of 1997, which some old feeds are in.
///
/// <https://www.w3.org/TR/NOTE-CDFsubmit.html>
enum CDFSource: FeedSource {
  static func reader(root: XMLElement, origin: FeedOrigin) -> (any XMLFeedReader)? {
    root.key == .channel ? CDFReader() : nil
  }
}

final class CDFReader: XMLFeedReader {
  private var channel = Channel(format: "cdf")

  func isItem(_ element: XMLElement) -> Bool { element.key == .item }

  func readItem(_ element: XMLElement) {
    guard channel.items.count < FeedLimits.items else { return }
    var item = Item()
    item.link = Reading.address(element.attribute("href"), base: element.base)
    item.updated = Reading.instant(element.attribute("lastmod"))
    item.title = element.first(.title)?.rssTitle
    item.summary = element.first(.abstract)?.rssBody
    channel.items.append(item)
  }

  func readChannel(_ root: XMLElement) {
    channel.link = Reading.address(root.attribute("href"), base: root.base)
    channel.updated = Reading.instant(root.attribute("lastmod"))
    channel.title = root.first(.title)?.rssTitle
    channel.summary = root.first(.abstract)?.rssBody
    for logo in root.children where logo.key == .logo {
      let address = Reading.address(logo.attribute("href"), base: logo.base)
      if logo.attribute("style")?.lowercased() == "icon" {
        channel.icon = address
      } else {
        channel.image = channel.image ?? address
      }
    }
  }

  func finished() -> Channel { channel }
}
