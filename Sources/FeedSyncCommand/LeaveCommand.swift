import ArgumentParser
import CanonicalJSON
import DocumentFiles
import FeedSync
import Foundation
import SharedFolder
import Syncing
import SystemPackage

struct LeaveCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Take this device out of the container.",
    discussion: """
      Publishes what waits, and says what remains. This device's files stay in the folder, since \
      the others need them; so does the syncer's ignore file. The local database is kept, and \
      'init' on the folder comes back as the same device. Versions of your own files that this \
      machine alone has stay in any case, and so do databases that 'rebuild' has put aside. What \
      nobody else has is never removed: if something cannot be published, nothing is changed.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Leave although something waits; it stays in the local database.")
  var force = false
  @Flag(help: "Also remove the local database, once the folder is seen to hold all that it does.")
  var deleteState = false

  func validate() throws {
    guard !force || !deleteState else {
      throw ValidationError(
        "--force keeps the local database for what is not published, so it excludes --delete-state"
      )
    }
  }

  func run() throws {
    let directory = try global.directory()
    let leaving: DeviceDirectory.Leaving =
      force ? .abandoning : deleteState ? .deletingState : .published
    let device = try directory.open(container: global.containerPath(), toLeave: leaving)
    // Before anything is done: what cannot be looked at may be what somebody would miss.
    let versions = try GoneDocuments(
      of: device.container.root, keptIn: device.keptVersions
    ).keptVersions()
    let older = try directory.olderDatabases(of: device.record.container).map(\.directory.string)
    let done = try directory.leave(device, leaving, process: "\(getpid())")
    let identifier = try Marker(
      parsing: device.record.marker, file: device.container.markerFile
    ).identifier
    switch global.format {
    case .text:
      for line in text(done, identifier: identifier) { Output.line(line) }
      for path in older { Output.line("an older database stays, too: \(path)") }
      if versions > 0 { Output.line(text(of: versions, keptIn: device.keptVersions)) }
    case .json: Output.line(json(done, identifier: identifier, versions: versions, older: older))
    }
  }

  private func text(of versions: Int, keptIn place: FilePath) -> String {
    "\(versions == 1 ? "a version" : "\(versions) versions") of your own files"
      + " \(CountText.of(versions, either: "stays", or: "stay")) on this machine alone:"
      + " \(NameText.escaped(place.string))"
  }

  private func json(
    _ done: DeviceDirectory.Departure, identifier: String, versions: Int, older: [String]
  ) -> JSON {
    let record = done.device.record
    let files = done.files.first ?? done.device.container.directory(of: record.stream)
    return .object([
      "container": .object([
        "id": .text(record.container.description), "identifier": .text(identifier),
        "path": .text(done.device.container.root.string),
      ]),
      "device": ReportJSON.device(record.stream, name: record.name),
      "published": .number(done.published), "unpublished": .number(done.unpublished),
      "pending_removals": .number(done.pendingRemovals),
      "files": .text(files.string), "state": done.state.map { .text($0.string) } ?? .null,
      "was_default": .bool(done.wasDefault), "kept_versions": .number(versions),
      "older_states": .array(older.map { .text($0) }),
    ])
  }

  private func waiting(_ done: DeviceDirectory.Departure) -> String {
    let published = "published \(CountText.of(done.published, "transaction")); "
    guard done.unpublished + done.pendingRemovals > 0 else {
      return published + "all that this device wrote is published"
    }
    return published + "not published, and kept in the local database:"
      + " \(CountText.of(done.unpublished, "transaction")),"
      + " \(CountText.of(done.pendingRemovals, "removal"))"
  }

  private func text(_ done: DeviceDirectory.Departure, identifier: String) -> [String] {
    let record = done.device.record
    var lines = [
      "left \(NameText.escaped(identifier)) (\(record.container)) as"
        + " \(NameText.escaped(record.name))",
      waiting(done),
    ]
    lines += done.files.map { "what this device wrote stays for the others: \($0.string)" }
    if let state = done.state {
      lines.append(
        "the local database stays: \(state.string) ('feedsync init"
          + " \(ShellWord.quoted(done.device.container.root))' comes back as the same device)")
    } else {
      lines.append("the local database is removed; the folder holds all that it held")
      // Nobody writes them again: 'init' makes another device.
      lines += done.streams.map { stream in
        "for a device that stays to look after its files, run there: feedsync devices retire"
          + " \(stream.description.prefix(8))"
      }
    }
    if done.wasDefault { lines.append("no container is chosen now") }
    return lines
  }
}
