import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

struct HistoryCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Print what happened to a document, the oldest first.",
    discussion: """
      Who changed what, when, and what has become of it since, as far back as the logs reach. \
      Times are those of the device that wrote, in UTC. Long values are cut; '--format json' has \
      them whole, one object a transaction.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String

  func run() throws {
    let key = try DocumentRules.key(collection, id)
    let device = try global.open(needsFolder: false)
    let history = try device.database.readSnapshot { snapshot in
      try DocumentTimeline(try snapshot.events(of: key), of: key, names: snapshot.deviceNames)
    }
    for missing in history.missing {
      Output.warning(
        FeedSyncError(
          .cannotRead, operation: "history", message: missing.message,
          hint: "'feedsync import' reads them again where the folder still has them"))
    }
    if let start = history.start {
      Output.warning(
        FeedSyncError(
          .cannotRead, operation: "history",
          message: "it is whole from \(HistoryForm.time(start)) on; what had been written over"
            + " before that may have been dropped"))
    }
    guard !history.entries.isEmpty else {
      throw FeedSyncError(
        .notFound, operation: "history",
        message: "nothing is known of a document '\(key.id)' in '\(key.collection)'")
    }
    for entry in history.entries {
      switch global.format {
      case .json: Output.line(HistoryForm.json(entry))
      case .text: for line in HistoryForm.text(entry) { Output.line(line) }
      }
    }
  }
}

struct UndoCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back what a transaction did, as a new transaction.",
    discussion: """
      What the transaction changed and nobody has changed since shows again what it showed before. \
      What has been changed since is left alone and named, and the exit status is 75.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "As 'history', and writing commands with '--format json', print it; the stream's id may be"
        + " cut where that is unambiguous.", valueName: "stream:sequence"))
  var transaction: String
  @Flag(help: "Also take back what has been changed since.") var force = false

  func run() throws {
    let device = try global.open(needsFolder: false)
    let (result, leftAlone) = try device.database.undo(
      transaction, isForced: force, now: device.ambient.time, nonce: device.nonce)
    let left = leftAlone.map { UntouchedMember($0) }
    Writing.publish(device)
    if global.format == .json {
      var object = Writing.json(result.changed, result)
      object["left"] = .array(
        left.map { member in
          [
            "collection": .text(member.collection), "id": .text(member.id),
            "path": .text(member.path),
          ]
        })
      Output.line(.object(object))
    }
    guard !left.isEmpty else { return }
    throw FeedSyncError(
      .tryAgain, operation: "undo",
      message: "left alone, since it has been changed again: \(Self.names(left))",
      hint: "look at it with 'feedsync history', or take it back, too, with --force")
  }

  private static let namesShown = 10

  private static func names(_ left: [UntouchedMember]) -> String {
    let names = left.prefix(namesShown).map { "\($0.collection)/\($0.id)\($0.path)" }
    let rest = left.count - names.count
    return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
