import ArgumentParser
import CanonicalJSON
import FeedSync
import Replication
import Syncing

struct DevicesSkipCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip",
    abstract: "Go on without what is missing of a device: the last resort where it never comes.",
    discussion: """
      Says what would be given up: which transactions, the files that cannot be read without them, \
      and what waits for them here. With --force it is given up on this device: what lies behind \
      it is imported, and removals that waited for it are published. What is written here from \
      then on counts as written by somebody who had seen it; should it come all the same, it is \
      applied, and gives way where something has been written since; but a delete takes its \
      document away, and leaves what was written there as a conflict. The other devices that wait \
      for it have to be told, too. First try 'feedsync devices retire' on the devices that have it.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Give it up.") var force = false
  @Argument(help: "Its name, its id, or the beginning of the id.") var device: String

  func run() throws {
    let opened = try global.open(needsFolder: true)
    // What has arrived by now is not missing.
    _ = try Importer(device: opened).importAll()
    let skipping = Skipping(device: opened)
    let hole = try skipping.hole(of: device)
    let report = force ? try skipping.skip(hole) : nil
    let form = HoleForm(hole: hole, report: report)
    switch global.format {
    case .text: for line in form.text { Output.line(line) }
    case .json: Output.line(form.json)
    }
    if let failure = report?.imported.publishingFailure { throw failure }
    guard force else {
      throw FeedSyncError(
        .usage, operation: "devices skip", message: "nothing has been given up",
        hint: "if it never comes, and no device has it, repeat the command with --force")
    }
    guard report?.imported.setAside.isEmpty ?? true else { throw ExitStatus.setAside }
  }
}

/// How a hole is printed.
private struct HoleForm {
  let missing: MissingTransactions
  let report: SkipReport?

  init(hole: Hole, report: SkipReport?) {
    missing = MissingTransactions(hole)
    self.report = report
  }

  var json: JSON {
    .object([
      "device": Self.json(missing.device), "skipped": .bool(report != nil),
      "missing": .array(
        missing.transactions.map {
          ["first": .number($0.lowerBound), "last": .number($0.upperBound)]
        }),
      "last": .number(missing.last), "files": .array(missing.files.map { .text($0) }),
      "documents": .array(missing.documents.map { Self.json($0) }),
      "waiting_files": .number(missing.waitingFiles),
      "waiting_devices": .array(missing.waitingDevices.map { Self.json($0) }),
      "waiting_removals": .array(missing.waitingRemovals.map { Self.json($0) }),
      "published": .number(report?.published ?? 0),
      "segments": .number(report?.imported.segments ?? 0),
    ])
  }

  private static func json(_ device: DeviceDescription) -> JSON {
    ["id": .text(device.id), "name": device.name.map { .text($0) } ?? .null]
  }

  private static func json(_ document: MissingTransactions.Document) -> JSON {
    ["collection": .text(document.collection), "id": .text(document.id)]
  }

  var text: [String] {
    var lines = ["missing from \(Self.name(missing.device)): \(range)"]
    lines += missing.files.map { "cannot be read without that: \(NameText.escaped($0))" }
    lines += missing.documents.map { "  of the document \(Self.name($0))" }
    lines += missing.waitingDevices.map {
      "cannot count as seen without that: later writes of \(Self.name($0))"
    }
    lines += missing.waitingRemovals.map { "the removal waits for it: \(Self.name($0))" }
    if missing.waitingFiles > 0 {
      lines.append("\(CountText.of(missing.waitingFiles, "file waits", "files wait")) behind it")
    }
    guard let report else { return lines }
    return lines + [
      "given up; imported \(CountText.of(report.imported.segments, "segment")), published"
        + " \(CountText.of(report.published, "transaction"))"
    ]
  }

  private var range: String {
    guard !missing.transactions.isEmpty else {
      return "a branch, up to transaction \(missing.last)"
    }
    return ReportText.transactions(missing.transactions)
  }

  private static func name(_ device: DeviceDescription) -> String {
    device.name.map { NameText.escaped($0) } ?? String(device.id.prefix(8))
  }

  private static func name(_ document: MissingTransactions.Document) -> String {
    "\(document.collection)/\(NameText.escaped(document.id))"
  }
}

extension SkipReport {
  fileprivate var published: Int { imported.published }
}
