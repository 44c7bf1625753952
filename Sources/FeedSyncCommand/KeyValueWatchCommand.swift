import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

struct KeyValueWatchCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Print what changes in a store, as it changes.",
    discussion: """
      Imports what arrives, as 'feedsync watch' does, and works beside it. Prints one JSON object \
      a line, in either format: first {"event":"watching"}, then {"event":"change"} with the \
      reason (initialSyncChange for the first import that brings values, else serverChange) and \
      the keys with the values that they have by then. Ends with status 0 on SIGINT or SIGTERM, \
      and with 66 after accountChange: another container stands under the folder's path.
      """)

  /// How long it may take to end.
  private static let leavingSeconds = 15

  @OptionGroup var global: GlobalOptions
  @OptionGroup var store: KeyValueStoreOption

  func run() async throws {
    let device = try global.open(needsFolder: false)
    let values = try KeyValueStore(
      DocumentStore(try UbiquityContainer(device: device)), name: store.name)
    // Before the first line is printed: whoever reads that may send a signal.
    let interruption = Interruption(endsAtSecond: false)
    let work = Task { try await Self.follow(values) }
    let signals = interruption.onRequest {
      work.cancel()
      // A call to a file system that does not answer cannot be ended. Nothing is lost by leaving.
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.leavingSeconds)) {
        _exit(0)
      }
    }
    defer { signals?.cancel() }
    do {
      try await work.value
    } catch is CancellationError {
      return
    }
  }

  private static func follow(_ values: KeyValueStore) async throws {
    let changes = values.changes
    line([
      "event": "watching", "store": .text(values.name),
      "container": .text(values.store.container.id),
    ])
    for try await change in changes {
      line([
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

  private static func line(_ members: JSONObject) {
    Output.line(.object(members))
    Output.flush()
  }
}
