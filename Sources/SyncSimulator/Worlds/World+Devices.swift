import DocumentStorage
import ReferenceModel
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// What a device does by itself, and what happens to it meanwhile.
extension World {
  func work(_ machine: Machine, _ kind: Step.Kind, _ random: inout SplitMix) throws {
    switch kind {
    case .glance: try glance(machine, &random)
    case .publish: try publish(machine, &random)
    case .restart: try machine.restart(&random)
    case .interrupt: try interrupt(machine, &random)
    case .sip: try sip(machine, &random)
    default:
      guard try sync(machine, &random) != nil else { return }
      try checkRows(machine.database.keptDocuments(), on: machine)
      if random.chance(15) { try glimpse(machine, &random) }
    }
  }

  /// Publishes and imports, as a full scan does; nil if something hindered it.
  @discardableResult
  func sync(
    _ machine: Machine, in directories: Set<FilePath.Component>? = nil, _ random: inout SplitMix
  ) throws -> ImportReport? {
    let report: ImportReport
    let opened = machine.files.callCount(.open)
    do {
      report = try machine.importer.importAll(in: directories)
      try checkSteps(machine, since: opened)
    } catch {
      try excuse(error, of: machine, &random)
      return nil
    }
    guard machine.place == .home else {
      throw Finding("device \(machine.number) imports from a folder that is \(machine.place)")
    }
    note(
      "    \(report.published) published, \(report.segments) segments with"
        + " \(report.transactions) transactions imported, \(report.gaps.count) gaps")
    if !report.gaps.isEmpty { figures.holes += 1 }
    for record in report.setAside {
      note("    set aside: \(String(decoding: record.key.name, as: UTF8.self)) \(record.reason)")
    }
    if let failure = report.publishingFailure {
      try excuse(failure, of: machine, &random)
      return nil
    }
    if directories == nil, !report.isStopped, !machine.processLife.isOver {
      let own = machine.directories.map(\.bytes)
      let unread = report.setAside.filter {
        $0.reason == .unreadable && own.contains($0.key.directory)
      }
      // Of a directory that could not be listed, nothing was put back.
      if !unread.contains(where: \.key.name.isEmpty) { machine.owesItsFolder = false }
      if unread.isEmpty { machine.lacksItsFolder = false }
    }
    if report.putBack > 0 { note("    \(report.putBack) files put back") }
    figures.putBack += report.putBack
    if report.revived > 0 { note("    \(report.revived) documents revived") }
    figures.revived += report.revived
    // The process may die in a call whose failure it may ignore.
    if machine.processLife.isOver { try machine.restart(&random) }
    try checkHeeded(by: machine)
    return report
  }

  /// No import opens files without end.
  private func checkSteps(_ machine: Machine, since opened: Int) throws {
    let calls = machine.files.callCount(.open) - opened
    // Copies and junk are no more than steps.
    guard calls <= 20 + 4 * (syncer.files.count * 2 + history.steps.count) else {
      throw Finding("device \(machine.number) opens files \(calls) times in one import")
    }
  }

  /// An import in parts that hold little, as long ones are in parts that hold much.
  private func sip(_ machine: Machine, _ random: inout SplitMix) throws {
    machine.importer = Importer(
      device: machine.device,
      limits: ImportPart.Limits(
        operations: 1 + random.below(12), bytes: 200 + random.below(6000),
        foldBytes: 200 + random.below(3000), heeding: Machine.heeding))
    try work(machine, .sync, &random)
    machine.importer = Importer(device: machine.device, limits: Machine.limits)
  }

  /// As a watcher that was told of a few directories does.
  private func glance(_ machine: Machine, _ random: inout SplitMix) throws {
    let chosen = machines.filter { _ in random.chance(40) }.flatMap(\.directories)
    try sync(machine, in: Set(chosen), &random)
  }

  /// An import that is asked to end after a while.
  private func interrupt(_ machine: Machine, _ random: inout SplitMix) throws {
    var left = random.below(12)
    machine.importer.isStopping = {
      left -= 1
      return left < 0
    }
    try sync(machine, &random)
    machine.importer.isStopping = { false }
  }

  private func publish(_ machine: Machine, _ random: inout SplitMix) throws {
    do {
      let report = try Publisher(device: machine.device).publishAll()
      note("    \(report.transactions) published")
      for path in report.renamed { note("    under another name: \(path)") }
    } catch {
      try excuse(error, of: machine, &random)
    }
    if machine.processLife.isOver { try machine.restart(&random) }
  }

  /// Goes on where an error was to be expected; else it is a finding.
  func excuse(_ error: any Error, of machine: Machine, _ random: inout SplitMix) throws {
    if let finding = error as? Finding { throw finding }
    if machine.processLife.isOver {
      figures.deaths += 1
      note("    it dies" + (machine.losesPower ? ", and power goes" : ""))
      return try machine.restart(&random)
    }
    if error is ContainerError, machine.place != .home {
      return note("    its folder is \(machine.place)")
    }
    // What `Step.Kind.refuse` brings about, where it looks after another's files.
    let isRefused =
      !machine.adopted.isEmpty && (error as? FileError)?.errno == .permissionDenied
    guard machine.isHindered || isRefused else {
      throw Finding("device \(machine.number): \(error)")
    }
    note("    \(error)")
  }

  /// Does something while something goes wrong.
  func hinder(_ machine: Machine, _ kind: Step.Kind, _ random: inout SplitMix) throws {
    machine.isHindered = true
    switch kind {
    case .crash, .powerLoss:
      machine.losesPower = kind == .powerLoss
      if random.chance(60) {
        machine.files.kill(at: 1 + random.below(random.chance(70) ? 8 : 30))
      } else {
        machine.processLife.kill(atCommit: 1 + random.below(6))
      }
    case .fullDisk:
      if random.chance(60) {
        machine.files.setRoom(random.below(400))
      } else {
        machine.processLife.setFull(true)
      }
    default:
      // Most calls are few; these decide what is read.
      let operation = random.pick(
        random.chance(50) ? [.open, .read, .list, .status] : FileOperation.allCases)
      note("    \(operation.rawValue) fails")
      machine.files.fail(
        operation, at: 1 + random.below(8), with: random.pick([.ioError, .permissionDenied]),
        lasting: random.chance(50))
    }
    try useOrWork(machine, &random)
    // What was planned and has not happened will not happen.
    if kind == .powerLoss, machine.losesPower {
      note("    power goes")
    }
    try machine.restart(&random)
    machine.files.setCapacity(nil)
    machine.isHindered = false
    try checkPublished(by: machine)
    if kind == .powerLoss { try pickUp(from: machine, comparing: true) }
  }

  private func useOrWork(_ machine: Machine, _ random: inout SplitMix) throws {
    let kind: Step.Kind = random.pick([.write, .sync, .sync, .publish])
    if kind == .write { return try use(machine, kind, &random) }
    // Something to publish, so that more can go wrong.
    if random.chance(60) { try use(machine, .write, &random) }
    try work(machine, kind, &random)
  }
}
