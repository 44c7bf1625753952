import FeedReading

/// A fetched channel merged into a copy of the cached one.
///
/// An item is the same if its key is, see ``ItemIdentity``; or else if its link is that of exactly
/// one cached item and of exactly one of the document, and that cached one is not in the document
/// otherwise: some feeds begin to write ids, or cease to. It then keeps the key that it had. Where
/// all items of a feed have one link, or that to the feed's own page, it tells nothing; but one
/// with the title and date of a cached one is that, if that has a key that it may have had.
struct ChannelMerge: Sendable {
  /// The channel with the fetched items and the cached ones that are not offered any more.
  let merged: CachedChannel
  /// Items that were never here, in the order of the document.
  let new: [ItemKey]
  /// Items whose content has changed.
  let edited: [ItemKey]

  /// - parameters:
  ///   - fetched: The document's content.
  ///   - cached: What is here of the feed.
  ///   - now: When it was fetched.
  ///   - known: What is marked, whether or not the item was here before.
  init(
    _ fetched: Channel, into cached: CachedChannel, at now: FeedInstant, known: KnownStates
  ) {
    let matching = ItemMatching(fetched, among: cached.items)
    var items: [ItemKey: CachedItem] = [:]
    for var item in cached.items {
      // A feed that has not changed since is not read again, and had it until now.
      if item.isOffered { item.lastOffered = now }
      item.isOffered = false
      items[item.reference.item] = item
    }
    var (new, edited): ([ItemKey], [ItemKey]) = ([], [])
    for (key, content) in matching.items {
      if var item = items[key] {
        if item.content != content { edited.append(key) }
        item.content = content
        item.lastOffered = now
        item.isOffered = true
        items[key] = item
        continue
      }
      if known.remembered[key] == nil { new.append(key) }
      items[key] = CachedItem(
        reference: ItemReference(cached.feed, key), number: nil, content: content, firstSeen: now,
        lastOffered: now, isOffered: true,
        isRead: known.read.isRead(key) ?? known.remembered[key] ?? false,
        isStarred: known.starred.contains(key), tags: known.tags[key] ?? [])
    }
    var merged = cached
    merged.channel = fetched
    merged.channel?.items = []
    merged.fetched = now
    // Feeds that tell no dates tell the order.
    let places = Dictionary(
      zip(matching.items.map(\.key), 0...), uniquingKeysWith: { first, _ in first })
    func place(_ item: CachedItem) -> (FeedInstant, Int, ItemKey) {
      let key = item.reference.item
      return (item.date, -(places[key] ?? Int.max), key)
    }
    merged.items = items.values.sorted { place($1) < place($0) }
    (self.merged, self.new, self.edited) = (merged, new, edited)
  }
}

/// Which cached items those of a document are.
private struct ItemMatching {
  /// The document's items by their keys; of several with one key, the first.
  private(set) var items: [(key: ItemKey, content: Item)] = []

  init(_ channel: Channel, among cached: [CachedItem]) {
    let fetched = channel.items
    let site = channel.link.map(WebIdentity.comparable)
    let contents = Dictionary(
      cached.map { ($0.reference.item, $0.content) }, uniquingKeysWith: { first, _ in first })
    let keys = Self.keys(of: channel, among: contents)
    let known = Set(cached.map(\.reference.item))
    let here = Set(keys.compactMap { $0 }).intersection(known)
    // Also those that are the same by their keys: beside them, a link is not one item's alone.
    let cachedLinks = Self.unique(cached.map { ($0.content.link, $0.reference.item) })
    let newLinks = Self.unique(
      zip(fetched, keys).compactMap { item, key in key.map { (item.link, $0) } })
    var seen: Set<ItemKey> = []
    for (content, key) in zip(fetched, keys) {
      guard var key else { continue }
      if !here.contains(key), let link = content.link.map(WebIdentity.comparable), link != site,
        newLinks[link] == key, let former = cachedLinks[link], !here.contains(former),
        Self.mayBeSame(content, contents[former])
      {
        key = former
      }
      // As the cache gives it back: else every title with markup would look edited.
      if seen.insert(key).inserted { items.append((key, StoredItem(content).item)) }
    }
  }

  /// The keys of a document's items, or those under which the same are here, as where one was the
  /// only one at its link.
  private static func keys(of channel: Channel, among cached: [ItemKey: Item]) -> [ItemKey?] {
    let keys = ItemIdentity.keys(of: channel.items, site: channel.link)
    let taken = Set(keys.compactMap { $0 })
    return zip(channel.items, keys).map { item, key in
      guard let key, !isUnchanged(item, cached[key]) else { return key }
      let former = ItemIdentity.possibleKeys(of: item)
        .first { !taken.contains($0) && isUnchanged(item, cached[$0]) }
      return former ?? key
    }
  }

  /// Whether two that may be the same item have one title and one date, and no ids of their own.
  private static func isUnchanged(_ item: Item, _ former: Item?) -> Bool {
    guard let former, item.id == former.id || item.id == nil || former.id == nil else {
      return false
    }
    return item.title?.text == former.title?.text && item.published == former.published
  }

  /// Whether two with one link, and other keys, may be the same item: a feed may begin to write
  /// ids, cease to, or write others; but one that has a page of its own for whatever is new has
  /// other items there each time, with ids and titles of their own.
  private static func mayBeSame(_ new: Item, _ former: Item?) -> Bool {
    guard let former else { return false }
    guard new.id != nil, former.id != nil else { return true }
    return StoredItem(new).title == StoredItem(former).title
  }

  /// The keys by the links that stand on one item alone.
  private static func unique(_ pairs: [(link: String?, key: ItemKey)]) -> [String: ItemKey] {
    var result: [String: ItemKey] = [:]
    var repeated: Set<String> = []
    for (link, key) in pairs {
      guard let link = link.map(WebIdentity.comparable) else { continue }
      if let other = result[link], other != key { repeated.insert(link) }
      result[link] = key
    }
    return result.filter { !repeated.contains($0.key) }
  }
}
