import FeedReading

/// What makes an item the same one when it comes again: its `guid`, else its link, else its title
/// and date.
///
/// Never its content: an edited item keeps its marks. Web addresses are the same with `http:` and
/// `https:`.
public enum ItemIdentity {
  /// The keys of a document's items, in their order; nil for one that nothing identifies.
  ///
  /// An id that stands on items with different titles and links, or titles and dates, names none of
  /// them, since some feeds write one id everywhere; so does a link on items without an id that
  /// differ in their titles.
  public static func keys(of items: [Item]) -> [ItemKey?] {
    let badIDs = shared(by: items, value: { $0.id }, differing: areOthers)
    let badLinks = shared(by: items.filter { id(of: $0, except: badIDs) == nil }) {
      $0.link
    } differing: {
      $0.title != $1.title
    }
    return items.map { item in
      if let id = id(of: item, except: badIDs) { return ItemKey(identity: "i" + id) }
      if let link = item.link.map(WebIdentity.comparable), !badLinks.contains(link) {
        return ItemKey(identity: "l" + link)
      }
      return fallback(item).map { ItemKey(identity: $0) }
    }
  }

  /// Whether two with one id are others: what was edited, and comes twice, has its link and its
  /// date still.
  private static func areOthers(_ one: Item, _ two: Item) -> Bool {
    func differ<Value: Equatable>(_ first: Value?, _ second: Value?) -> Bool {
      first != second && first != nil && second != nil
    }
    return one.title != two.title
      && (differ(one.link, two.link) || differ(one.published, two.published))
  }

  private static func id(of item: Item, except bad: Set<String>) -> String? {
    guard let id = item.id.map(WebIdentity.comparable), !id.isEmpty, !bad.contains(id) else {
      return nil
    }
    return id
  }

  private static func fallback(_ item: Item) -> String? {
    let date = (item.published ?? item.updated).map { String($0.secondsSince1970) }
    if item.title != nil || date != nil {
      return "t" + (item.title?.text ?? "") + "\u{0}" + (date ?? "")
    }
    return item.enclosures.first.map { "e" + WebIdentity.comparable($0.url) }
  }

  /// The values that items share which are not the same.
  private static func shared(
    by items: [Item], value: (Item) -> String?, differing: (Item, Item) -> Bool
  ) -> Set<String> {
    var first: [String: Item] = [:]
    var result: Set<String> = []
    for item in items {
      guard let value = value(item).map(WebIdentity.comparable), !value.isEmpty else { continue }
      if let other = first[value] {
        if differing(other, item) { result.insert(value) }
      } else {
        first[value] = item
      }
    }
    return result
  }
}
