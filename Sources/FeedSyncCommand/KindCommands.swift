import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication

struct CounterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counter", abstract: "Count in a member, on several machines at once.",
    subcommands: [Add.self])

  struct Add: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add to a counter.",
      discussion: """
        What machines add at once is summed. A plain integer becomes a counter that starts with \
        it; where there is nothing, the counter starts with 0, and an absent document is made. The \
        counter shows as an integer. Writing another integer there starts it anew.

        The sum is exact, and shows as the nearest integer from -2^63 to 2^64-1: beyond these \
        nothing changes in what shows, but what is added counts, and shows once the sum is back \
        between them.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: KindPlace
    // Unrecognized: else -1 would be an option that there is not.
    @Argument(
      parsing: .allUnrecognized,
      help: ArgumentHelp("What to add, an integer (default: 1).", valueName: "amount"))
    var amounts: [String] = []

    func run() throws {
      try place.edit(.increment(try amount()), global, operation: "add to a counter")
    }

    private func amount() throws -> Int64 {
      let words = Unrecognized.words(amounts)
      guard let text = words.first else { return 1 }
      guard words.count == 1, let amount = Int64(text) else {
        throw FeedSyncError(
          .usage, operation: "add to a counter",
          message: "'\(words.joined(separator: " "))' is no integer of 64 bits",
          hint: DashHint.behindDashes ?? "see 'feedsync counter add --help'")
      }
      return amount
    }
  }
}

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Keep a set in a member, on several machines at once.",
    subcommands: [Add.self, Remove.self])

  struct Add: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Put elements into a set.",
      discussion: """
        What machines add at once is united. A plain array becomes a set of its elements; where \
        there is nothing, a set is made, and so is an absent document. The set shows as an array \
        of distinct elements. Where one machine adds and another removes the same element at \
        once, it stays; but what is there already is not added again, and goes with the removal.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: KindPlace
    @Argument(
      parsing: .allUnrecognized,
      help: "The elements, each a JSON value: '\"milk\"' is a string.")
    var elements: [String]

    func run() throws {
      let elements = try DocumentRules.elements(
        try SetCommand.values(elements), operation: "insert into a set")
      try place.edit(
        .elements(adding: elements, removing: []), global, operation: "insert into a set")
    }
  }

  struct Remove: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Take elements out of a set.",
      discussion: "Elements that the set does not have are passed over.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: KindPlace
    @Argument(parsing: .allUnrecognized, help: "The elements, each a JSON value.")
    var elements: [String]

    func run() throws {
      let elements = Set(try SetCommand.values(elements).map { SetElement($0) })
      try place.edit(
        .elements(adding: [], removing: elements), global, operation: "remove from a set")
    }
  }

  private static func values(_ texts: [String]) throws -> [JSON] {
    try Unrecognized.words(texts).map {
      try DocumentArguments.json(
        Array($0.utf8), operation: "read an element",
        hint: DashHint.behindDashes ?? DocumentArguments.quotingHint($0))
    }
  }
}

/// Where a counter or a set is.
struct KindPlace: ParsableArguments {
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Argument(help: "The member: /stock/apples, $.stock.apples or name.") var path: String

  func edit(_ edit: KindEdit, _ global: GlobalOptions, operation: String) throws {
    let key = try DocumentRules.key(collection, id)
    let path = try KindPath.parse(path, operation: operation)
    try Writing.run(global) { writer in
      _ = try writer.edit(edit, at: path, of: key) {
        try DocumentRules.check($0, operation: operation)
      }
    }
  }
}
