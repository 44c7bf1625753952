import FeedSync

/// What changes of the store mean for the cache: which feeds have to be looked at again.
struct TouchedFeeds: Equatable {
  /// What of a feed may have changed.
  enum Items: Equatable {
    /// The marks of these items, and of no other.
    case some(Set<ItemKey>)
    case all
  }

  /// Whether too much has changed to say what: all feeds are looked at.
  var isEverything = false
  /// The feeds whose subscriptions may have changed.
  var subscriptions: Set<FeedKey> = []
  /// The feeds whose marks may have changed.
  var marks: [FeedKey: Items] = [:]
  /// The items whose read marks were written or taken back, by the documents that have them.
  var readMarks: [FeedKey: [MarkShard: Set<ItemKey>]] = [:]

  var isEmpty: Bool { !isEverything && subscriptions.isEmpty && marks.isEmpty }

  init(_ changes: [StoreChange]) {
    for change in changes {
      switch change.extent {
      case .documents(let documents): for document in documents { add(document) }
      case .collections(let names):
        let isOurs = names.contains { $0.hasPrefix(SyncedCollections.prefix) }
        isEverything = isEverything || isOurs
      case .everything: isEverything = true
      }
    }
  }

  private mutating func add(_ document: DocumentChange) {
    switch document.collection {
    case SyncedCollections.subscriptions, SyncedCollections.places:
      if let feed = FeedKey(text: document.id) { subscriptions.insert(feed) }
    case SyncedCollections.read:
      guard let shard = FeedShard(id: document.id) else { return }
      // It goes when its marks are retired, and when they are undone.
      guard !document.isDeleted else {
        marks[shard.feed] = .all
        return
      }
      add(document.fields, of: shard.feed)
      readMarks[shard.feed, default: [:]][shard.shard, default: []]
        .formUnion(document.fields.compactMap { Self.item(of: $0) })
    case SyncedCollections.stars, SyncedCollections.tags:
      guard let feed = FeedPart(id: document.id)?.feed else { return }
      if document.isDeleted { marks[feed] = .all } else { add(document.fields, of: feed) }
    default: break
    }
  }

  private mutating func add(_ fields: [String], of feed: FeedKey) {
    guard case .some(var items) = marks[feed] ?? .some([]) else { return }
    for field in fields {
      guard let item = Self.item(of: field) else {
        marks[feed] = .all
        return
      }
      items.insert(item)
    }
    marks[feed] = .some(items)
  }

  /// The item of "/ITEM", or "/ITEM/TAG"; a document that was written whole names no member.
  private static func item(of field: String) -> ItemKey? {
    field.split(separator: "/", omittingEmptySubsequences: false).dropFirst().first
      .flatMap { ItemKey(text: String($0)) }
  }
}
