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
  /// differ in their titles or dates, and that to the feed's own page.
  ///
  /// - parameter site: The page that it is the feed of.
  public static func keys(of items: [Item], site: String? = nil) -> [ItemKey?] {
    let badIDs = shared(by: items, value: { $0.id }, differing: areOthers)
    var badLinks = shared(by: items.filter { id(of: $0, except: badIDs) == nil }) {
      $0.link
    } differing: {
      $0.title != $1.title || differ($0.published, $1.published)
    }
    if let site { badLinks.insert(WebIdentity.comparable(site)) }
    return items.map { item in
      let id = id(of: item, except: badIDs).map { "i" + $0 }
      let link = link(of: item)
      let goodLink = link.flatMap { badLinks.contains($0) ? nil : "l" + $0 }
      // Where nothing else tells what it is, it is the one with this link.
      let identity = id ?? goodLink ?? fallback(item) ?? link.map { "l" + $0 }
      return identity.map { ItemKey(identity: $0) }
    }
  }

  /// All keys that an item may have, beside others: as what else a document has changes, so does
  /// what tells its items apart.
  static func possibleKeys(of item: Item) -> [ItemKey] {
    let identities = [
      id(of: item, except: []).map { "i" + $0 }, link(of: item).map { "l" + $0 }, fallback(item),
    ]
    return identities.compactMap { $0.map { ItemKey(identity: $0) } }
  }

  private static func differ<Value: Equatable>(_ first: Value?, _ second: Value?) -> Bool {
    first != second && first != nil && second != nil
  }

  /// Whether two with one id are others: what was edited, and comes twice, has its link and its
  /// date still.
  private static func areOthers(_ one: Item, _ two: Item) -> Bool {
    one.title != two.title
      && (differ(one.link, two.link) || differ(one.published, two.published))
  }

  private static func id(of item: Item, except bad: Set<String>) -> String? {
    guard let id = item.id.map(WebIdentity.comparable), !id.isEmpty, !bad.contains(id) else {
      return nil
    }
    return id
  }

  private static func link(of item: Item) -> String? { item.link.map(WebIdentity.comparable) }

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
