import FeedSync

extension DocumentStore {
  /// All marks of a feed, as the synced documents have them.
  func marks(of feed: FeedKey) throws -> KnownStates {
    var states = KnownStates()
    states.read = try readMarks(of: feed)
    for members in try parts(of: feed, in: SyncedCollections.stars).values {
      states.starred.formUnion(
        JSON.object(members).marked.compactMap { ItemKey(text: $0.key) })
    }
    var tags: [ItemKey: Set<String>] = [:]
    for members in try parts(of: feed, in: SyncedCollections.tags).values {
      for (name, value) in members.members {
        guard let item = ItemKey(text: name.description) else { continue }
        tags[item, default: []].formUnion(value.marked.map(\.key))
      }
    }
    states.tags = tags.filter { !$0.value.isEmpty }.mapValues { $0.sorted() }
    return states
  }

  /// The documents of a feed in a collection of stars or tags, by their numbers.
  func parts(of feed: FeedKey, in collection: String) throws -> [Int: JSONObject] {
    var result: [Int: JSONObject] = [:]
    // The key, and what has it in front of "/"; "0" is the character behind that.
    try query(
      "SELECT id, body FROM documents WHERE collection = ? AND id >= ? AND id < ?",
      arguments: [
        .text(ByteString(collection)), .text(ByteString(feed.text)),
        .text(ByteString(feed.text + "0")),
      ]
    ) { row in
      guard case .text(let id)? = row["id"], case .text(let body)? = row["body"],
        let part = FeedPart(id: id.description),
        case .object(let members) = try JSON(parsing: body.bytes)
      else { return }
      result[part.number] = members
    }
    return result
  }

  /// The read marks of a feed, of all months.
  func readMarks(of feed: FeedKey) throws -> ReadMarks {
    var bodies: [MarkShard: JSONObject] = [:]
    // "0" is the character behind "/": these are the documents of the feed, found by their ids.
    try query(
      "SELECT id, body FROM documents WHERE collection = ? AND id >= ? AND id < ?",
      arguments: [
        .text(ByteString(SyncedCollections.read)), .text(ByteString(feed.text + "/")),
        .text(ByteString(feed.text + "0")),
      ]
    ) { row in
      guard case .text(let id)? = row["id"], case .text(let body)? = row["body"],
        let shard = FeedShard(id: id.description),
        case .object(let members) = try JSON(parsing: body.bytes)
      else { return }
      bodies[shard.shard] = members
    }
    return ReadMarks(bodies)
  }

  /// All shards that there are, of all feeds.
  func shards() throws -> [FeedShard] {
    try read { try $0.ids(in: SyncedCollections.read) }.compactMap { FeedShard(id: $0) }
  }

  /// All subscriptions, by the order of their keys; documents of another form are left out.
  func subscriptions() throws -> [SubscribedFeed] {
    var result: [SubscribedFeed] = []
    try read { reader in
      var places: [String: JSON] = [:]
      try reader.forEachDocument(in: SyncedCollections.places) { places[$1] = $2 }
      try reader.forEachDocument(in: SyncedCollections.subscriptions) { _, id, body in
        guard let key = FeedKey(text: id), let subscription = Subscription(body) else { return }
        let present = subscription.followed(to: places[id])
        result.append(SubscribedFeed(key: key, subscription: present))
      }
    }
    return result
  }

  /// The keys of the feeds that have moved to the address whose key it is: mostly one at most.
  func feeds(movedTo address: FeedKey) throws -> [FeedKey] {
    let document = try read { try $0.document(address.text, in: SyncedCollections.moves) }
    return document?.body.marked.compactMap { FeedKey(text: $0.key) }.sorted() ?? []
  }

  func subscription(_ key: FeedKey) throws -> Subscription? {
    try read { reader in
      let body = try reader.document(key.text, in: SyncedCollections.subscriptions)?.body
      let place = try reader.document(key.text, in: SyncedCollections.places)?.body
      return body.flatMap { Subscription($0) }?.followed(to: place)
    }
  }

  /// Whether somebody subscribes to a feed, be it at an address of a form that is not read here.
  func isSubscribed(_ key: FeedKey) throws -> Bool {
    let body = try read { try $0.document(key.text, in: SyncedCollections.subscriptions)?.body }
    return body?.members.contains { $0.key == "url" && $0.value != .null } ?? false
  }

  /// At how many addresses a feed has been, as far as they are noted.
  func noteCount(of feed: FeedKey) throws -> Int {
    let name = ByteString(feed.text)
    var count = 0
    try read { reader in
      try reader.forEachDocument(in: SyncedCollections.moves) { _, _, body in
        if body.members.contains(where: { $0.key == name }) { count += 1 }
      }
    }
    return count
  }
}

extension JSON {
  /// The members of an object; none of anything else.
  var members: [(key: ByteString, value: JSON)] {
    guard case .object(let object) = self else { return [] }
    return object.members
  }

  /// The members that are marks, with names as Swift has them.
  fileprivate var marked: [(key: String, value: JSON)] {
    members.filter { $0.value.isMark }
      .map { ($0.key.description, $0.value) }
  }
}

extension Subscription {
  /// This subscription where its feed is by now.
  ///
  /// - parameter place: The document that says so; it means nothing for another address than it was
  ///   made for, as where somebody has subscribed anew.
  func followed(to place: JSON?) -> Subscription {
    guard case .object(let members)? = place, case .string(let from)? = members["from"],
      case .string(let to)? = members["to"], from.description == url
    else { return self }
    var subscription = self
    subscription.url = to.description
    return subscription
  }

  /// A subscription from its document, member by member: one that is of another form is as if it
  /// were not there; nil without an address.
  ///
  /// Of a document that two devices made or deleted at the same time, a part may be missing.
  init?(_ body: JSON) {
    guard case .object(let object) = body, case .string(let url)? = object["url"] else {
      return nil
    }
    func text(_ name: ByteString) -> String? {
      guard case .string(let value)? = object[name] else { return nil }
      return value.description
    }
    func texts(_ name: ByteString) -> [String] {
      guard case .array(let values)? = object[name] else { return [] }
      return values.compactMap { if case .string(let text) = $0 { text.description } else { nil } }
    }
    func number(_ name: ByteString) -> Int? {
      guard case .integer(let value)? = object[name] else { return nil }
      return Int(value)
    }
    let folder = texts("folder")
    self.init(
      url: url.description, title: text("title"), site: text("site"),
      folder: folder.isEmpty ? nil : folder, tags: ReplicatedSet(texts("tags")))
    (interval, itemCount, retention) = (
      number("interval"), number("itemCount"), number("retention")
    )
  }
}
