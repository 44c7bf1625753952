import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Foundation

struct KeyValueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kv", abstract: "Keep small values by name, the same on all machines.",
    discussion: """
      For settings: each key is one value, and of two that machines write at once the later \
      counts. A store has at most 1,024 keys of 64 bytes, and 1,000,000 bytes of values. A value \
      is JSON without null; a date stands in it as {"$date":SECONDS}, counted from 2001-01-01 \
      00:00 UTC, and bytes as {"$data":"BASE64"}; a member that begins with $ is written with one \
      more.
      """,
    subcommands: [Get.self, Set.self, Remove.self, List.self, KeyValueWatchCommand.self])
}

/// Which key-value store a command is about.
struct KeyValueStoreOption: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store: 1 to 52 of a-z 0-9 . _ -; programs that share a container choose each their own.",
      valueName: "name"), completion: .custom(KeyValueCompletion.stores))
  var name = KeyValueRules.usualName

  func collection() throws -> ByteString { try KeyValueRules.collection(name) }
}

// MARK: - Reading

extension KeyValueCommand {
  struct Get: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "Print the value of a key as canonical JSON.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var store: KeyValueStoreOption
    @Argument(help: "The key.", completion: .custom(KeyValueCompletion.keys)) var key: String
    @Flag(
      help: "Print text without quotes, a date as 2026-11-25T18:30:00.000Z, and bytes as they are.")
    var raw = false

    func run() throws {
      let document = try KeyValueRules.document(key, in: try store.collection())
      let device = try global.open(needsFolder: false)
      guard let body = try device.database.document(at: document)?.body else {
        throw KeyValueForm.absent(key, operation: "kv get")
      }
      switch try KeyValueBody.content(body) {
      case .removed: throw KeyValueForm.absent(key, operation: "kv get")
      case .unreadable: throw KeyValueStore.unreadable(key)
      case .value(let value) where raw: KeyValueForm.printRaw(value)
      case .value(let value): Output.line(value.json)
      }
    }
  }

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the keys with their values, sorted.",
      discussion: """
        A line a key: the key, a tab, and its value as canonical JSON. Keys whose values cannot be \
        read are named on standard error, and the status is 65.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var store: KeyValueStoreOption

    func run() throws {
      let collection = try store.collection()
      let device = try global.open(needsFolder: false)
      let contents = try device.database.readSnapshot { try $0.keyValues(in: collection) }
      for (key, value) in contents.entries {
        switch global.format {
        case .text: Output.line("\(key)\t\(value.json.canonical)")
        case .json: Output.line(.object(["key": .text(key), "value": value.json]))
        }
      }
      if global.verbose {
        let usage = contents.usage
        Output.warn("\(CountText.of(usage.keys, "key")), \(CountText.of(usage.bytes, "byte"))")
      }
      guard !contents.unreadable.isEmpty else { return }
      for key in contents.unreadable {
        Output.error(KeyValueStore.unreadable(key), format: global.format)
      }
      throw ExitStatus.setAside
    }
  }
}

// MARK: - Writing

extension KeyValueCommand {
  struct Set: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Give a key a value.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var store: KeyValueStoreOption
    @Option(
      help: ArgumentHelp(
        "What the value is: json; string, taken as it is; date, such as 2026-11-25T18:30 (local"
          + " time, unless it ends in Z or an offset); data, in base64, or the bytes themselves on"
          + " standard input."))
    var type = KeyValueInput.json
    @Argument(help: "The key: 1 to 64 bytes.", completion: .custom(KeyValueCompletion.keys))
    var key: String
    // Unrecognized: else -1 would be an option that there is not.
    @Argument(
      parsing: .allUnrecognized,
      help: ArgumentHelp("The value, or - to read it from standard input.", valueName: "value"))
    var values: [String]

    func run() throws {
      let words = Unrecognized.words(values)
      guard let text = words.first, words.count == 1 else {
        throw FeedSyncError(
          .usage, operation: "kv set", message: "\(words.count) values were given for one key",
          hint: DashHint.behindDashes ?? "quote it; see 'feedsync kv set --help'")
      }
      let edit = KeyValueEdit(key: key, value: try type.value(text))
      let collection = try store.collection()
      try Writing.run(global) { writer in
        _ = try KeyValueEditing.apply([edit], in: collection, to: &writer)
      }
    }
  }

  struct Remove: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Take keys away, in one transaction.",
      discussion: "One that is missing is named, and the status is 1; the others go.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var store: KeyValueStoreOption
    @Argument(help: "The keys.", completion: .custom(KeyValueCompletion.keys)) var keys: [String]

    func run() throws {
      let collection = try store.collection()
      let edits = ManyWords.distinct(keys + ManyWords.rest).map {
        KeyValueEdit(key: $0, value: nil)
      }
      var missing: [String] = []
      try Writing.run(global) { writer in
        missing = try KeyValueEditing.apply(edits, in: collection, to: &writer)
      }
      guard !missing.isEmpty else { return }
      for key in missing {
        Output.error(KeyValueForm.absent(key, operation: "kv remove"), format: global.format)
      }
      throw ExitStatus.notFound
    }
  }
}
