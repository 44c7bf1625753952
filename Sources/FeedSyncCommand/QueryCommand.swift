import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync

struct QueryCommand: StoreCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print the documents of a collection that match; with --live, also as they change.",
    discussion: """
      Prints a line for each document, as 'dump' does. With --live it imports what arrives, as \
      'watch' does, works beside it, and prints one JSON object a line, in either format: first \
      {"event":"result"} with all documents, then, only when what is shown changes, \
      {"event":"change"} with what was added and changed, each with its position, and the ids \
      that were removed. Taking away the removed and the changed, then putting in the added and \
      the changed by ascending position, gives the new result. Ends with status 0 on SIGINT or \
      SIGTERM.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "A condition in SQL over id and body, such as \"body ->> '$.done' = 1\".",
      valueName: "condition"))
  var condition: String?
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A value for a '?' of the condition: a number as 5, -1.5 or 1e9, null, else text, such as"
        + " 007; may be repeated.", valueName: "value"))
  var argument: [String] = []
  @Option(
    help: ArgumentHelp(
      "A member that gives the order; ':desc' behind it puts the greatest first, ':asc' the"
        + " smallest, as is usual; may be repeated.", valueName: "path"))
  var order: [String] = []
  @Option(parsing: .unconditional, help: "How many documents at most.") var limit: Int?
  @Flag(help: "Go on with each change of the result.") var live = false

  func run() async throws {
    let query = try query()
    let device = try global.open(needsFolder: false)
    let store = DocumentStore(try UbiquityContainer(device: device))
    guard live else {
      for document in try store.result(of: query) {
        var line: [UInt8] = []
        DumpLine.append(
          try DocumentRules.key(collection, document.id), try document.body().canonicalBytes(),
          to: &line)
        Output.raw(line)
      }
      return
    }
    try await UntilInterrupted.run { try await Self.follow(store, query) }
  }

  private func query() throws -> DocumentQuery {
    var query = DocumentQuery(collection)
    if condition != nil || !argument.isEmpty {
      query = query.filtered(by: condition ?? "TRUE", argument.map(Self.value))
    }
    for order in order.map({ OrderText($0) }) {
      try order.requireDirection(operation: "query")
      query = query.ordered(by: order.name, descending: order.isDescending)
    }
    return limit.map { query.limited(to: $0) } ?? query
  }

  /// What only Swift takes for a number, such as 01234, +49 or 0x10, is a postcode or the like.
  private static func value(_ text: String) -> QueryValue {
    guard text != "null" else { return .null }
    // What begins with a plus or a zero that no number needs is a code, such as +49 or 0049.
    let form = /-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/
    guard text.wholeMatch(of: form) != nil else { return .text(ByteString(text)) }
    if let number = Int64(text) { return .integer(number) }
    guard let number = Double(text), number.isFinite else { return .text(ByteString(text)) }
    return .real(number)
  }

  // MARK: Following

  private static func follow(_ store: DocumentStore, _ query: DocumentQuery) async throws {
    var isFirst = true
    for try await result in store.observe(query) {
      try Output.following(.object(isFirst ? try first(result, of: query) : try later(result)))
      isFirst = false
    }
  }

  private static func first(_ result: LiveResult, of query: DocumentQuery) throws -> JSONObject {
    [
      "event": "result", "collection": .text(query.collection),
      "documents": .array(
        try result.documents.map { .object(["id": .text($0.id), "body": try $0.body()]) }),
    ]
  }

  private static func later(_ result: LiveResult) throws -> JSONObject {
    [
      "event": "change", "added": .array(try result.added.map(json)),
      "changed": .array(try result.changed.map(json)),
      "removed": .array(result.removed.map { .text($0) }),
    ]
  }

  private static func json(_ placed: LiveResult.Placed) throws -> JSON {
    .object([
      "id": .text(placed.document.id), "body": try placed.document.body(),
      "position": .number(placed.position),
    ])
  }
}
