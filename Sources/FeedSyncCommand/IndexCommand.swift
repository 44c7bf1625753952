import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication

struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Declare indexes that make 'sql' fast on this device; they are not synced.",
    subcommands: [Create.self, List.self, Remove.self])

  /// The index that the arguments name.
  private static func index(_ collection: String, _ path: String) throws -> DeclaredIndex {
    let name = ByteString(collection)
    if let problem = DocumentKey.problem(ofCollection: name) {
      throw DocumentRules.error(problem, operation: "name an index")
    }
    return DeclaredIndex(collection: name, member: try MemberPath(path))
  }

  private static func json(_ index: DeclaredIndex) -> JSONObject {
    [
      "collection": .string(index.collection), "path": .text(index.member.pointer),
      "expressions": .array(index.member.expressions.map { .text($0) }),
    ]
  }
}

extension IndexCommand {
  struct Create: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Declare an index of a member of a collection's documents.",
      discussion: """
        The index is made of the documents that are here, and kept up with every write and import. \
        Done again, it measures anew how many documents share a value.
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The member: /author/name, $.author.name or name.") var path: String

    func run() throws {
      let index = try IndexCommand.index(collection, path)
      let isNew = try global.open(needsFolder: false).database.createIndex(index)
      switch global.format {
      case .text: Output.line(isNew ? "created" : "exists")
      case .json:
        var object = IndexCommand.json(index)
        object["created"] = .bool(isNew)
        Output.line(.object(object))
      }
    }
  }

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the indexes declared on this device.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
      for index in try global.open(needsFolder: false).database.indexes() {
        switch global.format {
        case .text: Output.line("\(index.collection)\t\(index.member.pointer)")
        case .json: Output.line(.object(IndexCommand.json(index)))
        }
      }
    }
  }

  struct Remove: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Take an index away; documents stay as they are.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The member, as it was declared.") var path: String

    func run() throws {
      let index = try IndexCommand.index(collection, path)
      guard try global.open(needsFolder: false).database.removeIndex(index) else {
        throw FeedSyncError(
          .notFound, operation: "remove an index",
          message: "there is no index on '\(index.member.pointer)' in '\(index.collection)'",
          hint: "see 'feedsync index list'")
      }
      if global.format == .json { Output.line(.object(["removed": .bool(true)])) }
    }
  }
}
