import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

extension FileCommand {
  struct List: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the files, what arrives, and how many versions are in conflict.",
      discussion: """
        Files for which all conditions hold; of conditions of one kind, one has to. With --live it \
        goes on, and prints one JSON object a line, in either format: first {"event":"gathered"} \
        with all files, then, as they change, {"event":"updated"} with what was added and \
        changed, each with its position, and what was removed. Taking away the removed and the \
        changed, then putting in the added and the changed by ascending position, gives the new \
        list. Ends with status 0 on SIGINT or SIGTERM. A folder that cannot be read is named as a \
        problem. Whether the syncer has sent a file is not known. A document that is gone is \
        listed where versions of it are kept on this machine, as missing, with their number; not \
        with --live, which follows the folder.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var conditions: FileConditions
    @Option(
      help: ArgumentHelp(
        "What gives the order: path, name, size, modified, status or conflicts; ':desc' behind it"
          + " puts the greatest first, ':asc' the smallest, as is usual; may be repeated.",
        valueName: "attribute"))
    var order: [FileOrder] = []
    @Flag(help: "Conflict copies too, each as a file.") var copies = false
    @Flag(help: "Go on with what changes.") var live = false
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "With --live: how long changes are gathered before they are told.", valueName: "seconds"))
    var interval = 1.0

    func validate() throws {
      guard interval >= 0, interval <= 86_400 else {
        throw ValidationError("--interval is between 0 and 86400 seconds")
      }
    }

    func run() async throws {
      let predicate = try conditions.predicate(now: .now)
      let order = order.map(\.order)
      let scope: MetadataScope = copies ? .documentsAndConflictCopies : .documents
      let folder = try FileCommand.folder(global)
      guard live else {
        return print(
          try folder.metadata(
            where: predicate, order: order, scope: scope, includingGone: true))
      }
      let query = MetadataQuery(
        in: folder, where: predicate, order: order, scope: scope, interval: .seconds(interval))
      try await UntilInterrupted.run { for try await update in query { try Self.tell(update) } }
    }

    private func print(_ result: MetadataResult) {
      for problem in result.problems {
        Output.warning(FeedSyncError(problem, operation: "file list"))
      }
      for item in result.items {
        switch global.format {
        case .json: Output.line(FileForm.json(item))
        case .text: Output.line(FileForm.text(item))
        }
      }
    }

    private static func tell(_ update: MetadataUpdate) throws {
      var members: JSONObject
      switch update {
      case .gathered(let result):
        members = ["event": "gathered", "files": .array(result.items.map { FileForm.json($0) })]
      case .updated(let result):
        members = [
          "event": "updated", "added": .array(result.added.map(FileForm.json)),
          "changed": .array(result.changed.map(FileForm.json)),
          "removed": .array(result.removed.map { .text($0.relativePath) }),
        ]
      }
      members["problems"] = .array(
        update.result.problems.map { ReportJSON.error(FeedSyncError($0, operation: "file list")) })
      try Output.following(.object(members))
    }
  }
}

/// Which files a command is about.
struct FileConditions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Files with such a name: *, ?, [a-z]; with a / or ** in it, such a path; may be repeated.",
      valueName: "pattern"))
  var name: [String] = []
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "Files in this folder of Documents, at any depth; may be repeated.", valueName: "folder"))
  var folder: [String] = []
  @Option(
    help: ArgumentHelp(
      "Files that are current, downloaded (a newer one arrives), notDownloaded or missing (but for"
        + " versions of them); may be repeated.", valueName: "status"))
  var status: [MetadataItem.DownloadingStatus] = []
  @Flag(help: "Only files with conflicts.") var conflicts = false
  @Flag(help: "Only files that the syncer has begun to receive.") var arriving = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Files of more bytes than this.", valueName: "bytes"))
  var larger: Int64?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Files of fewer bytes than this.", valueName: "bytes"))
  var smaller: Int64?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Files changed after this time: 2026-11-20, or 3d ago as 3d.", valueName: "time"))
  var after: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Files changed before this time.", valueName: "time"))
  var before: String?

  func predicate(now: Date) throws -> MetadataPredicate {
    var all: [MetadataPredicate] = []
    if !name.isEmpty { all.append(.any(of: name.map { .name($0) })) }
    if !folder.isEmpty { all.append(.any(of: folder.map { .inFolder($0) })) }
    if !status.isEmpty { all.append(.any(of: status.map { .status($0) })) }
    if conflicts { all.append(.hasUnresolvedConflicts) }
    if arriving { all.append(.isDownloading) }
    if let larger { all.append(.largerThan(larger)) }
    if let smaller { all.append(.smallerThan(smaller)) }
    if let after { all.append(.modifiedAfter(try Moment.parse(after, now: now))) }
    if let before { all.append(.modifiedBefore(try Moment.parse(before, now: now))) }
    return all.isEmpty ? .everything : .all(of: all)
  }
}

/// An order as it is typed: `size:desc`.
struct FileOrder: ExpressibleByArgument {
  let order: MetadataOrder

  init?(argument: String) {
    let text = OrderText(argument)
    guard let attribute = MetadataOrder.Attribute(rawValue: text.name) else { return nil }
    order = MetadataOrder(attribute, descending: text.isDescending)
  }

  static var allValueStrings: [String] { MetadataOrder.Attribute.allCases.map(\.rawValue) }
}

extension MetadataItem.DownloadingStatus: ExpressibleByArgument {}

extension FileForm {
  static func text(_ item: MetadataItem) -> String {
    var parts: [String] = []
    if item.conflicts > 0 {
      parts.append("\(CountText.of(item.conflicts, "version")) in conflict")
    }
    if item.kept > 0 {
      parts.append("\(CountText.of(item.kept, "version")) kept here")
    }
    switch item.downloadingStatus {
    case .missing: parts.append("the file itself is gone")
    case .notDownloaded: parts.append("arriving, \(text(item.arrival))")
    case .downloaded: parts.append("a newer one arriving, \(text(item.arrival))")
    case .current: break
    }
    if let error = item.error {
      parts.append("unknown: \(FeedSyncError(error, operation: "file list").message)")
    }
    let name = NameText.escaped(item.relativePath)
    return parts.isEmpty ? name : "\(name): " + parts.joined(separator: ", ")
  }

  private static func text(_ arrival: MetadataItem.Arrival?) -> String {
    guard let arrival else { return "nothing" }
    guard let expected = arrival.expectedSize else {
      return CountText.of(arrival.downloadedSize, "byte")
    }
    return "\(arrival.downloadedSize) of \(CountText.of(expected, "byte"))"
  }

  /// One that is gone has a member more than others.
  static func json(_ item: MetadataItem) -> JSON {
    var object = members(item)
    if item.kept > 0 { object["kept"] = .number(item.kept) }
    return .object(object)
  }

  static func json(_ placed: MetadataResult.Placed) -> JSON {
    var object = members(placed.item)
    object["position"] = .number(placed.position)
    return .object(object)
  }

  private static func members(_ item: MetadataItem) -> JSONObject {
    [
      "path": .text(item.relativePath), "kind": .text(item.kind.rawValue),
      "size": item.size.map { .number($0) } ?? .null,
      "modified": item.modificationDate.map { .text(HistoryForm.time($0)) } ?? .null,
      "conflicts": .number(item.conflicts), "status": .text(item.downloadingStatus.rawValue),
      "arrived": item.arrival.map { .number($0.downloadedSize) } ?? .null,
      "expected": item.arrival?.expectedSize.map { .number($0) } ?? .null,
      "error": item.error.map { ReportJSON.error(FeedSyncError($0, operation: "file list")) }
        ?? .null,
    ]
  }
}
