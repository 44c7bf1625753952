import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication

struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List, show and settle what devices wrote without knowledge of one another.",
    discussion: """
      Of several values the one written last shows, on every device, and the others are kept. Any \
      later write of the member settles the conflict everywhere; 'resolve' is such a write.

      A document that shows with its deletion beside it (delete) was edited by somebody who had \
      not seen that it was deleted; where that device was away for longer than the others' \
      horizon, its 'import' says how many such documents it wrote anew.
      """,
    subcommands: [List.self, Show.self, Resolve.self], defaultSubcommand: List.self)

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the documents that have conflicts, and where.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
      let device = try global.open(needsFolder: false)
      try device.database.readSnapshot { snapshot in
        let names = snapshot.deviceNames
        try snapshot.forEachConflicted { key, conflicts in
          let document = try ConflictedDocument(key, conflicts, names: names)
          switch global.format {
          case .json: Output.line(ConflictForm.json(document))
          case .text:
            let paths = document.conflicts.map { ConflictForm.place($0) }
            Output.line("\(document.collection)/\(document.id): \(paths.joined(separator: ", "))")
          }
        }
      }
    }
  }

  struct Show: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the values that compete in a document.",
      discussion: "The first value of each conflict is the one that shows.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
    var collection: String
    @Argument(help: "The document's id.") var id: String

    func run() throws {
      let key = try DocumentRules.key(collection, id)
      let device = try global.open(needsFolder: false)
      let conflicts = try device.database.readSnapshot { snapshot in
        let names = snapshot.deviceNames
        return try Conflict.all(snapshot.conflicts(of: key), of: key, names: names)
      }
      if conflicts.isEmpty, try device.database.document(at: key) == nil {
        throw DocumentReading.absent(key, operation: "conflicts show")
      }
      for (conflict, first) in zip(conflicts, ConflictForm.firstNumbers(conflicts)) {
        switch global.format {
        case .json: Output.line(.object(ConflictForm.json(conflict, first: first)))
        case .text: for line in ConflictForm.text(conflict, first: first) { Output.line(line) }
        }
      }
    }
  }

  struct Resolve: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "resolve",
      abstract: "Settle a conflict, on every device that this write reaches.",
      discussion: "Give one of --shown, --choose and --value.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
    var collection: String
    @Argument(help: "The document's id.") var id: String
    @Argument(
      help: "The member, as /author/name; '' for the document as a whole. None for the only one.")
    var path: String?
    @Flag(help: "By what shows; without a path, all conflicts of the document.") var shown = false
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "By the value of this number, as 'show' lists them; or by the one that this transaction"
          + " wrote, as it lists them in JSON, which stays the same when others come.",
        valueName: "n|transaction"))
    var choose: String?
    @Option(
      parsing: .unconditional, help: ArgumentHelp("By another value.", valueName: "json"))
    var value: String?

    func validate() throws {
      guard [shown, choose != nil, value != nil].count(where: { $0 }) == 1 else {
        throw ValidationError("give one of --shown, --choose N and --value JSON")
      }
      if let choose, Int(choose) == nil, !choose.contains(":") {
        throw ValidationError("--choose takes a number, or a transaction as <stream>:<sequence>")
      }
    }

    /// The number of the value that a transaction wrote.
    private func number(
      of transaction: String, at path: Path?, of key: DocumentKey,
      among listed: [DocumentConflict]
    ) throws -> Int {
      let conflicts = listed.filter { path == nil || $0.path == path }
      let paths = Set(conflicts.map(\.path)).sorted()
      guard paths.count < 2 else { throw ConflictError.several(key, paths) }
      let values = conflicts.flatMap(\.values)
      let numbers = values.indices.filter { index in
        values[index].stamp.map { "\($0.dot.stream):\($0.dot.sequence)" } == transaction
      }
      guard let number = numbers.first, numbers.count == 1 else {
        throw FeedSyncError(
          .tryAgain, operation: "conflicts resolve",
          message: numbers.isEmpty
            ? "none of the values was written by \(transaction)"
            : "\(transaction) wrote several of the values",
          hint: "'feedsync conflicts show' lists what competes now")
      }
      return number + 1
    }

    func run() throws {
      let key = try DocumentRules.key(collection, id)
      let path = try path.map { text in
        guard let path = Path(pointer: text) else {
          throw FeedSyncError(
            .usage, operation: "conflicts resolve", message: "'\(text)' is no JSON Pointer",
            hint: "a member is written /author/name, as 'conflicts show' prints it")
        }
        return path
      }
      let value = try value.map { text in
        try DocumentArguments.json(
          Array(text.utf8), operation: "conflicts resolve",
          hint: DocumentArguments.quotingHint(text))
      }
      try Writing.run(global) { writer in
        let choice: ConflictChoice =
          if let value {
            .value(value)
          } else if let choose, Int(choose) == nil {
            .listed(
              try number(of: choose, at: path, of: key, among: try writer.conflicts(of: key)))
          } else {
            .listed(choose.flatMap { Int($0) } ?? 1)
          }
        try writer.resolve(key, at: path, by: choice) {
          try DocumentRules.check($0, operation: "conflicts resolve")
        }
      }
    }
  }
}

/// How conflicts are printed.
enum ConflictForm {
  static func place(_ conflict: Conflict) -> String {
    conflict.path.isEmpty ? "(document)" : NameText.escaped(conflict.path)
  }

  /// The number of each conflict's first value: `resolve` counts through all of a path.
  static func firstNumbers(_ conflicts: [Conflict]) -> [Int] {
    var counts: [String: Int] = [:]
    return conflicts.map { conflict in
      defer { counts[conflict.path, default: 0] += conflict.values.count }
      return counts[conflict.path, default: 0] + 1
    }
  }

  static func json(_ document: ConflictedDocument) -> JSON {
    .object([
      "collection": .text(document.collection), "id": .text(document.id),
      "conflicts": .array(
        zip(document.conflicts, firstNumbers(document.conflicts)).map {
          .object(json($0, first: $1))
        }),
    ])
  }

  static func json(_ conflict: Conflict, first: Int) -> JSONObject {
    [
      "path": .text(conflict.path), "kind": .text(conflict.kind.rawValue),
      "values": .array(
        conflict.values.enumerated().map { index, value in
          .object(json(value, number: first + index, isShown: index == 0))
        }),
    ]
  }

  /// Absence has no value: null is one.
  private static func json(
    _ value: Conflict.Value, number: Int, isShown: Bool
  ) -> JSONObject {
    var object: JSONObject = [
      "number": .number(number), "shown": .bool(isShown),
      "device": value.device.map { device in
        ["id": .text(device.id), "name": device.name.map { .text($0) } ?? .null]
      } ?? .null,
      "time": value.time.map { .text(HistoryForm.time($0)) } ?? .null,
      "transaction": value.transaction.map { .text($0.description) } ?? .null,
    ]
    if let content = value.content { object["value"] = content }
    return object
  }

  static func text(_ conflict: Conflict, first: Int) -> [String] {
    let head = "\(place(conflict)) (\(conflict.kind.rawValue))"
    return [head]
      + conflict.values.enumerated().map { index, value in
        let content = value.content.map { HistoryForm.short($0) } ?? "absent"
        let author =
          if let device = value.device, let time = value.time {
            "  by \(NameText.escaped(device.name ?? device.id)), \(HistoryForm.time(time))"
          } else {
            value.content == nil && index > 0 ? "  deleted here, not published yet" : ""
          }
        return "  \(first + index): \(content)\(author)\(index == 0 ? " (shown)" : "")"
      }
  }
}
