import ArgumentParser
import CanonicalJSON
import FeedSync
import Replication

enum DocumentReading {
  static func absent(_ key: DocumentKey, operation: String) -> FeedSyncError {
    FeedSyncError(
      .notFound, operation: operation,
      message: "there is no document '\(key.id)' in '\(key.collection)'")
  }
}

struct GetCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a document as canonical JSON.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Flag(help: "Also print the version token, for 'put --base', on standard error.")
  var token = false
  // Unconditional, as elsewhere: of -1h the command says what is wrong with it.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "As it was then: 2026-11-20T18:30 (local time, unless it ends in Z or an offset), or 90s,"
        + " 15m, 2h, 3d, 2w ago; by the clocks of the devices that wrote.", valueName: "time"))
  var at: String?

  func validate() throws {
    guard !(token && at != nil) else {
      throw ValidationError("a version of the past has no token: leave out --token or --at")
    }
  }

  func run() throws {
    let key = try DocumentRules.key(collection, id)
    let moment = try at.map { try Moment.parse($0, now: .now) }
    let device = try global.open(needsFolder: false)
    if let moment {
      let body = try device.database.readSnapshot {
        try $0.body(of: key, at: HybridTime(upTo: moment))
      }
      guard let body else { throw DocumentReading.absent(key, operation: "get --at") }
      return Output.line(body)
    }
    guard let document = try device.database.document(at: key) else {
      throw DocumentReading.absent(key, operation: "get")
    }
    Output.line(document.body)
    if global.verbose { warn(ofNewer: document.newerPaths) }
    // Last: `put --base @FILE` takes it from there.
    if token { Output.warn(VersionTokenText.encode(document.token)) }
  }

  private func warn(ofNewer paths: [Path]) {
    for path in paths {
      Output.warn(
        "\(path.isRoot ? "the document" : path.pointer): a newer feedsync has changed it; it is"
          + " shown without that, and can be written once feedsync is updated")
    }
  }
}

struct ListCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the collections, or the ids in one.")

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The collection; none to list the collections.",
    completion: .custom(CollectionCompletion.names))
  var collection: String?

  func run() throws {
    let device = try global.open(needsFolder: false)
    guard let collection else {
      for name in try device.database.collectionNames() {
        line(name, json: ["collection": .string(name)])
      }
      return
    }
    let name = ByteString(collection)
    if let problem = DocumentKey.problem(ofCollection: name) {
      throw DocumentRules.error(problem, operation: "list")
    }
    try device.database.forEachID(in: name) { id in
      line(id, json: ["collection": .string(name), "id": .string(id)])
    }
  }

  private func line(_ text: ByteString, json: JSONObject) {
    switch global.format {
    case .text: Output.line(text.bytes)
    case .json: Output.line(.object(json))
    }
  }
}

struct DumpCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print all documents, one canonical line each, sorted by collection and id.",
    discussion: """
      What shows, and nothing else: of a conflict the value that shows, of a counter its sum, of a \
      set its elements, of an attachment the reference. 'load' reads it, but for documents of more \
      than a mebibyte, which several machines have made so large together: they are named on \
      standard error.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: "Only this collection.", completion: .custom(CollectionCompletion.names))
  var collection: String?

  func run() throws {
    let device = try global.open(needsFolder: false)
    let only = try collection.map { text in
      let name = ByteString(text)
      if let problem = DocumentKey.problem(ofCollection: name) {
        throw DocumentRules.error(problem, operation: "dump")
      }
      return name
    }
    var line: [UInt8] = []
    try device.database.forEachDocument(in: only) { key, body in
      line.removeAll(keepingCapacity: true)
      DumpLine.append(key, body, to: &line)
      Output.raw(line)
      if body.count > Limits.bodyBytes { warn(of: key, bytes: body.count) }
    }
  }

  /// Says what 'load' will refuse, while the document can still be divided: limits bind who writes,
  /// and what devices wrote at once may be larger together.
  private func warn(of key: DocumentKey, bytes: Int) {
    Output.warning(
      FeedSyncError(
        .badInput, operation: "dump",
        message: "\(key.collection)/\(key.id) has \(bytes) bytes, as devices wrote it at once, and"
          + " a body has at most \(Limits.bodyBytes): 'load' stops at its line",
        hint: "divide it into several documents, and dump again"))
  }
}
