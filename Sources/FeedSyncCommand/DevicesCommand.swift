import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication
import Syncing

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the devices, rename this one, or say of one that it is gone.",
    subcommands: [
      DevicesListCommand.self, DevicesRenameCommand.self, DevicesRetireCommand.self,
      DevicesSkipCommand.self,
    ],
    defaultSubcommand: DevicesListCommand.self)
}

struct DevicesListCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List every device that has written, as far as is known here.",
    discussion: """
      Says of each device how many of its transactions have been applied here, when the last of \
      them was written by that device's clock, and since when something of it is missing.
      """)

  @OptionGroup var global: GlobalOptions

  func run() throws {
    let device = try global.open(needsFolder: false)
    let unpublished = try device.database.unpublishedCount()
    for stream in try device.database.streamSummaries() {
      switch global.format {
      case .text: Output.line(text(stream, unpublished: unpublished))
      case .json: Output.line(json(stream, unpublished: unpublished))
      }
    }
  }

  private func json(_ stream: StreamSummary, unpublished: Int) -> JSON {
    .object([
      "id": .text(stream.stream.description), "name": stream.name.map { .text($0) } ?? .null,
      "own": .bool(stream.isOwn), "transactions": .number(stream.applied),
      "written_at": stream.writtenAt.map { .text(ReportJSON.time($0)) } ?? .null,
      "gap_since": stream.gapSince.map { .text(ReportJSON.time($0)) } ?? .null,
      "unpublished": stream.isOwn ? .number(unpublished) : .null,
      "branches": .number(stream.branches), "former": .bool(stream.wasOwn),
      "given_up": ReportJSON.givenUp(stream),
      "retired_at": stream.retiredAt.map { .text(ReportJSON.time($0)) } ?? .null,
      "returned_at": stream.returnedAt.map { .text(ReportJSON.time($0)) } ?? .null,
    ])
  }

  private func text(_ stream: StreamSummary, unpublished: Int) -> String {
    var parts = [CountText.of(stream.applied, "transaction")]
    if let time = stream.writtenAt { parts.append("last written \(ReportJSON.time(time))") }
    if let missing = ReportText.missing(stream) { parts.append(missing) }
    parts += ReportText.standing(stream)
    if stream.isOwn {
      if unpublished > 0 { parts.append("\(unpublished) to be published") }
      parts.append("this device")
    }
    return "\(stream.stream) \(stream.name.map { NameText.escaped($0) } ?? "(no name yet)"): "
      + parts.joined(separator: ", ")
  }
}

struct DevicesRenameCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give this device another name, here and on the others.",
    discussion: "The name is for people; the device stays the same. 1 to 64 bytes.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The new name.") var name: String

  func run() throws {
    try DeviceNameRules.check(name, operation: "devices rename")
    let device = try global.open(needsFolder: false)
    let result = try device.database.renameDevice(
      to: name, now: device.ambient.time, nonce: device.nonce)
    Writing.publish(device)
    Writing.report(result.changed, result, format: global.format)
  }
}

struct DevicesRetireCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Note that a device never comes back, and keep what it wrote in the folder.",
    discussion: """
      From now on this device looks after the other's files as it does after its own: it puts back \
      what the folder has lost of them, and 'compact' and 'import' join small ones into large \
      ones, which take their place. Any number of devices may do so. Nothing that it wrote is \
      lost by that, and should it come back, it goes on as it was. From then on others wait for \
      it again before they forget anything; 'devices' tells, and this command ends that, too.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Its name, its id, or the beginning of the id.") var device: String

  func run() throws {
    let opened = try global.open(needsFolder: true)
    let stream = try opened.database.stream(named: device)
    guard !stream.isOwn else {
      throw FeedSyncError(
        .usage, operation: "devices retire", message: "this device cannot retire itself",
        hint: "'feedsync leave' takes it out of the container")
    }
    try opened.database.retire(stream.stream, now: opened.ambient.now())
    let report = try Importer(device: opened).importAll()
    switch global.format {
    case .text: Output.line("retired; \(CountText.of(report.putBack, "file")) put back")
    case .json:
      Output.line(
        .object([
          "device": ReportJSON.device(stream.stream, name: stream.name),
          "put_back": .number(report.putBack),
        ]))
    }
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else { throw ExitStatus.setAside }
  }
}
