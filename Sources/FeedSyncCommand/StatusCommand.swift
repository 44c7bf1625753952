import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication
import SharedFolder
import Syncing

struct StatusCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say what this device has, what waits, and what is wrong.")

  @OptionGroup var global: GlobalOptions

  func run() throws {
    let device = try global.open(needsFolder: false)
    let status = try Status(of: device, in: try global.directory(needsFolder: false))
    switch global.format {
    case .text: for line in status.text { Output.line(line) }
    case .json: Output.line(status.json)
    }
  }
}

/// What `status` shows; gathered without importing anything.
private struct Status {
  let device: Device
  let isFolderPresent: Bool
  let identifier: String
  let counts: StoreCounts
  let streams: [StreamSummary]
  let records: [FileRecord]
  let foreign: [String]
  /// Whose clocks are off.
  let clocks: ClockSurvey
  /// What keeps this device and the folder's other users apart.
  let problems: [FeedSyncError]
  /// What the folder holds, and who keeps what is dead of it.
  let survey: CompactionSurvey
  let isFolderListed: Bool
  let lookedAfterAt: Int64?

  init(of device: Device, in directory: DeviceDirectory) throws {
    self.device = device
    isFolderPresent = try device.absence() == nil
    identifier = try Marker(
      parsing: device.record.marker, file: device.container.markerFile
    ).identifier
    counts = try device.database.counts()
    streams = try device.database.streamSummaries()
    clocks = try device.clockSurvey()
    let (settings, damage) = Self.settings(of: device, in: directory)
    problems =
      device.folderProblems(.system).map { FeedSyncError($0) }
      + (try directory.olderDatabases(of: device.record.container)
        .filter { !$0.isSalvaged }.map { FeedSyncError(older: $0) })
      + [damage].compactMap { $0 }
    // Where the folder cannot be listed, that is among the problems.
    let listing = isFolderPresent ? try? device.container.list() : nil
    foreign = (listing?.foreign ?? []).map { place in
      (["logs"] + [place.directory, place.name].compactMap { $0?.string })
        .joined(separator: "/")
    }.sorted()
    isFolderListed = listing != nil
    records = try Self.records(of: device, in: listing)
    survey = try Compactor(device: device, limits: settings.limits).glance(at: listing)
    lookedAfterAt = try device.database.lookedAfterAt()
  }

  /// What is usual, where what was said cannot be read: that is a problem, and told as one.
  private static func settings(
    of device: Device, in directory: DeviceDirectory
  ) -> (UpkeepSettings, FeedSyncError?) {
    do {
      return (try directory.settings(of: device.record.container), nil)
    } catch {
      return (UpkeepSettings(), FeedSyncError(error, operation: "read the settings"))
    }
  }

  /// What is known of files, but of those that are gone since the last import.
  private static func records(
    of device: Device, in listing: FolderListing?
  ) throws -> [FileRecord] {
    var records = try device.database.fileRecords()
    for key in listing?.absent(of: Array(records.keys)) ?? [] { records[key] = nil }
    return records.values.sorted { $0.key < $1.key }
  }

  private var setAside: [FileRecord] { records.filter { $0.reason.isSetAside } }
  private var duplicates: [FileRecord] { records.filter { $0.reason == .duplicate } }

  var json: JSON {
    .object([
      "container": .object([
        "id": .text(device.record.container.description), "identifier": .text(identifier),
        "path": .text(device.container.root.string), "present": .bool(isFolderPresent),
      ]),
      "device": ReportJSON.device(device.record.stream, name: device.record.name),
      "clock": ownClock,
      "documents": .number(counts.documents), "conflicts": .number(counts.conflicts),
      "unpublished": .number(counts.unpublished),
      "pending_removals": .number(counts.pendingRemovals),
      "newer": .object([
        "documents": .number(counts.newerDocuments),
        "transactions": .number(counts.newerTransactions),
      ]),
      "devices": .array(streams.map { deviceJSON($0) }),
      "set_aside": .array(setAside.map { .object(ReportJSON.setAside($0)) }),
      "duplicates": .array(duplicates.map { .text($0.key.path) }),
      "foreign": .array(foreign.map { .text($0) }),
      "problems": .array(problems.map { ReportJSON.error($0) }),
      "folder": folder,
      "upkeep": .object([
        "looked_after_at": lookedAfterAt.map { .text(ReportJSON.time($0)) } ?? .null,
        "dead": DeadText.json(survey.dead), "peers": PeerText.json(survey.peers),
      ]),
    ])
  }

  /// What the folder holds; null if it cannot be listed now.
  private var folder: JSON {
    guard isFolderListed else { return .null }
    let names = Dictionary(uniqueKeysWithValues: streams.map { ($0.stream, $0.name) })
    return .object([
      "files": .number(survey.all.count), "bytes": .number(survey.all.bytes),
      "devices": CompactionText.devices(survey, names: names),
    ])
  }

  /// What the folder holds, what is dead of it as far as that was found out, and who keeps it.
  private var upkeepLines: [String] {
    let names = Dictionary(uniqueKeysWithValues: streams.map { ($0.stream, $0.name) })
    let holdings =
      isFolderListed
      ? CompactionText.holdings(survey, names: names, start: "of them from") : []
    return holdings + DeadText.lines(survey.dead) + PeerText.lines(survey)
  }

  private func deviceJSON(_ stream: StreamSummary) -> JSON {
    .object([
      "id": .text(stream.stream.description), "name": stream.name.map { .text($0) } ?? .null,
      "transactions": .number(stream.applied), "own": .bool(stream.isOwn),
      "branches": .number(stream.branches), "former": .bool(stream.wasOwn),
      "gap_since": stream.gapSince.map { .text(ReportJSON.time($0)) } ?? .null,
      "given_up": ReportJSON.givenUp(stream),
      "clock": clocks.devices.first { $0.stream == stream.stream }.map {
        ReportJSON.clock($0.skew)
      } ?? .null,
    ])
  }

  private var ownClock: JSON {
    switch clocks.own {
    case nil: .null
    case .apart(let skew, _): ReportJSON.clock(skew)
    case .wentBack(let by):
      .object([
        "ahead_ms": .number(-by), "certain": .bool(true), "last_seen": .null, "since": .null,
      ])
    }
  }

  private var clockLines: [String] {
    let names = Dictionary(uniqueKeysWithValues: streams.map { ($0.stream, $0.name) })
    return (clocks.own.map { [ClockWords.sentence($0)] } ?? [])
      + clocks.devices.map { found in
        let name = names[found.stream] ?? nil
        return NameText.escaped(ClockWords.sentence(found, name: name))
      }
  }

  var text: [String] {
    var lines = [
      "container \(NameText.escaped(identifier)) (\(device.record.container))",
      "folder \(device.container.root.string)\(isFolderPresent ? "" : " (not there)")",
      "device \(device.record.name) (\(device.record.stream))",
      CountText.of(counts.documents, "document") + ", "
        + CountText.of(counts.conflicts, "conflict"),
      "\(CountText.of(counts.unpublished, "transaction")) to be published",
    ]
    if counts.pendingRemovals > 0 {
      lines.append(
        CountText.of(
          counts.pendingRemovals, "removal waits for what its author saw to arrive",
          "removals wait for what their authors saw to arrive"))
    }
    if counts.newerTransactions > 0 {
      lines.append(
        "\(CountText.of(counts.newerTransactions, "transaction")) of a newer feedsync, in"
          + " \(CountText.of(counts.newerDocuments, "document")),"
          + " \(CountText.of(counts.newerTransactions, either: "is", or: "are")) understood only in"
          + " part: update feedsync")
    }
    for stream in streams where !stream.isOwn {
      let gap = ReportText.missing(stream).map { ", \($0)" } ?? ""
      lines.append(
        "from \(ReportText.device(stream.stream, name: stream.name)):"
          + " \(CountText.of(stream.applied, "transaction"))\(gap)"
          + ReportText.standing(stream).map { ", " + $0 }.joined())
    }
    lines += upkeepLines
    lines += clockLines
    lines += setAside.map { ReportText.setAside($0) }
    lines += duplicates.map { "duplicate: \(NameText.escaped($0.key.path))" }
    lines += foreign.map { "foreign: \(NameText.escaped($0))" }
    lines += problems.map { problem in
      "problem: " + [problem.file, problem.message].compactMap { $0 }.joined(separator: ": ")
        + (problem.hint.map { "\n  hint: \($0)" } ?? "")
    }
    return lines
  }
}
