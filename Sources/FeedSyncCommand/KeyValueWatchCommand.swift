import ArgumentParser
import CanonicalJSON
import FeedSync

struct KeyValueWatchCommand: StoreCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Print what changes in a store, as it changes.",
    discussion: """
      Imports what arrives, as 'feedsync watch' does, and works beside it. Prints one JSON object \
      a line, in either format: first {"event":"watching"}, then {"event":"change"} with the \
      reason (initialSyncChange for the first import that brings values, else serverChange) and \
      the keys with the values that they have by then. Ends with status 0 on SIGINT or SIGTERM, \
      and with 66 after accountChange: another container stands under the folder's path.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var store: KeyValueStoreOption

  func run() async throws {
    let device = try global.open(needsFolder: false)
    let values = try KeyValueStore(
      DocumentStore(try UbiquityContainer(device: device)), name: store.name)
    try await UntilInterrupted.run { try await Self.follow(values) }
  }

  private static func follow(_ values: KeyValueStore) async throws {
    let changes = values.changes
    try line([
      "event": "watching", "store": .text(values.name),
      "container": .text(values.store.container.id),
    ])
    for try await change in changes {
      try line([
        "event": "change", "reason": .text(change.reason.rawValue),
        "changes": .array(try await described(change, in: values)),
      ])
    }
  }

  /// The keys with their values; where these are another container's affair now, without.
  private static func described(
    _ change: KeyValueChange, in values: KeyValueStore
  ) async throws -> [JSON] {
    guard change.reason != .accountChange else {
      return change.keys.map { .object(["key": .text($0)]) }
    }
    let contents = try await values.contents()
    let now = Dictionary(
      uniqueKeysWithValues: contents.entries.map { (ByteString($0.key), $0.value.json) })
    return change.keys.map { key in
      guard let value = now[ByteString(key)] else {
        let word: ByteString = contents.unreadable.contains(key) ? "unreadable" : "removed"
        return .object(["key": .text(key), word: true])
      }
      return .object(["key": .text(key), "value": value])
    }
  }

  private static func line(_ members: JSONObject) throws {
    try Output.following(.object(members))
  }
}
