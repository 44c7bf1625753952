import ReferenceModel
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles

/// Devices that join what they have published in small files, and remove those.
extension World {
  /// Whether anybody does so in this history.
  var isCompacting: Bool {
    history.steps.contains { [.compact, .expire, .bury].contains($0.kind) }
  }

  /// No file here has more operations.
  private var deadShare: Int { history.isEager ? 1_000_000 : 4 }
  /// In some histories files are written anew only where they become smaller by that: small ones
  /// hardly ever do.
  private var savedShare: Int? { history.seed & 0x70 == 0x70 ? 8 : nil }
  /// In some histories most files are too large to be joined.
  private var fileBytes: Int { history.seed & 3 == 3 ? 500 : 1 << 20 }

  /// Compacts; sometimes the process dies on the way, or a call fails.
  func compact(_ machine: Machine, _ kind: Step.Kind, _ random: inout SplitMix) throws {
    guard machine.place == .home else { return }
    if random.chance(60) { try pickUp(from: machine) }
    if random.chance(30) { hinderCompaction(on: machine, &random) }
    let losesPower = machine.losesPower
    let present = syncer.present(on: machine)
    let had = try machine.had()
    ledger.noteWhole(try ownFiles(of: machine) + keptFiles(of: machine, areReduced: false))
    let limits = CompactionLimits(
      fanOut: 2 + random.below(3), mostParts: 2 + random.below(8), bytes: fileBytes,
      grace: random.pick([0, 0, 3_600_000]),
      horizon: kind == .expire ? random.pick([0, 0, 60_000]) : 90 * 86_400_000,
      deadShare: deadShare, savedShare: savedShare, heeding: Machine.heeding)
    do {
      if random.chance(30), try acknowledge(machine) { note("    it says what it has") }
      var compactor = Compactor(device: machine.device, limits: limits)
      if random.chance(20) {
        var left = random.below(12)
        compactor.isStopping = {
          left -= 1
          return left < 0
        }
      }
      try note(compactor.run())
      if machine.processLife.isOver { try machine.restart(&random) }
    } catch {
      try excuse(error, of: machine, &random)
    }
    if machine.isHindered { try machine.restart(&random) }
    machine.files.setCapacity(nil)
    machine.isHindered = false
    try noteRemoved(present, by: machine, losesPower: losesPower)
    // Also where the process has died on the way, or power has gone.
    for bytes in try ownFiles(of: machine) + keptFiles(of: machine, areReduced: true) {
      ledger.noteReduced(bytes, by: had)
    }
    try checkPublished(by: machine)
    try checkHeeded(by: machine)
    if losesPower { try pickUp(from: machine, comparing: true) }
  }

  private func note(_ report: CompactionReport) {
    note(
      "    \(report.joined) files joined to \(report.written), \(report.removed.count) removed,"
        + " \(report.waiting) stay, \(report.dropped) operations dropped")
    figures.joined += report.joined
    figures.dropped += report.dropped
    figures.removed += report.removed.count
  }

  /// What it keeps of its own that its folder has not, and nobody may ever have seen.
  private func keptFiles(of machine: Machine, areReduced: Bool) throws -> [[UInt8]] {
    try machine.tended.flatMap { directory -> [[UInt8]] in
      guard let stream = StreamID(directory.string) else { return [] }
      return try machine.database.archivedSegments(of: stream).compactMap { segment in
        let name = SegmentName(first: segment.first, last: segment.last, digest: segment.digest)
        guard let component = name.component(), segment.isReduced == areReduced else {
          return nil
        }
        let path = machine.container.logs.appending(directory).appending(component)
        guard machine.files.bytes(at: path) == nil else { return nil }
        return try machine.database.archivedBytes(of: segment)
      }
    }
  }

  private func ownFiles(of machine: Machine) -> [[UInt8]] {
    machine.tended.flatMap { directory in
      let path = machine.container.logs.appending(directory)
      return ((try? machine.files.list(path)) ?? []).filter { $0.kind == .regular }
        .compactMap { machine.files.bytes(at: path.appending($0.name)) }
    }
  }

  private func hinderCompaction(on machine: Machine, _ random: inout SplitMix) {
    machine.isHindered = true
    switch random.below(5) {
    case 0: machine.processLife.kill(atCommit: 1 + random.below(6))
    case 1: machine.files.setRoom(random.below(2000))
    case 2:
      machine.files.fail(
        random.pick(FileOperation.allCases), at: 1 + random.below(20),
        with: random.pick([.ioError, .permissionDenied]), lasting: random.chance(50))
    default:
      machine.losesPower = random.chance(50)
      machine.files.kill(at: 1 + random.below(80))
    }
  }

  private func noteRemoved(_ present: [Int], by machine: Machine, losesPower: Bool) throws {
    let kept = ownFiles(of: machine).compactMap { try? SegmentFile.decode($0).segment.range }
    for index in present where machine.files.bytes(at: syncer.files[index].path) == nil {
      let name = ledger.name(of: syncer.files[index])
      note("    \(name) is gone")
      guard isKept(syncer.files[index], in: kept) else {
        // What a process wrote that died before, the disk need not have had.
        if losesPower { continue }
        throw Finding(
          "device \(machine.number) has removed \(name), and keeps nothing that holds it")
      }
      syncer.noteRemoved(index, by: machine)
    }
  }

  /// What is removed stands in another file of its device (protocol.md 23).
  private func isKept(_ removed: Syncer.File, in kept: [Segment.Range]) -> Bool {
    guard let range = try? SegmentFile.decode(removed.bytes).segment.range else { return true }
    return kept.contains {
      $0.stream == range.stream && $0.first <= range.first && range.last <= $0.last
    }
  }

  /// Says what a device has, if that is more than it has said when it was last asked.
  private func acknowledge(_ machine: Machine) throws -> Bool {
    try machine.database.acknowledge(
      after: 0, now: machine.device.ambient.time, nonce: machine.device.nonce)
  }

  /// Joins all that can be, and removes what that makes superfluous, when everything is there.
  ///
  /// - returns: whether there was anything to do.
  func compactFully(_ machine: Machine) throws -> Bool {
    let limits = CompactionLimits(
      fanOut: 2, mostParts: 64, bytes: fileBytes, grace: 0, deadShare: deadShare,
      savedShare: savedShare, heeding: Machine.heeding)
    // The first time it is noted only that there is something.
    for _ in 0..<2 { _ = try acknowledge(machine) }
    var hasMoved = try machine.database.unpublishedCount() > 0
    for _ in 0..<Self.mostCompactions {
      let present = syncer.present(on: machine)
      ledger.noteWhole(try ownFiles(of: machine) + keptFiles(of: machine, areReduced: false))
      let report = try Compactor(device: machine.device, limits: limits).run()
      note(report)
      try noteRemoved(present, by: machine, losesPower: false)
      try pickUp(from: machine)
      guard report.written > 0 || !report.removed.isEmpty else { return hasMoved }
      hasMoved = true
    }
    throw Finding("device \(machine.number) compacts without end")
  }

  /// What one compaction writes, the next may join or remove; a few levels are all there is.
  private static let mostCompactions = 30

  /// Who comes to have a folder as it is left gets all that the others have.
  func checkNewcomer(_ dump: String) throws {
    guard let source = machines.first else { return }
    var random = SplitMix(seed: history.seed ^ 0xACE)
    time.addDevice(skewedBy: 0)
    let newcomer = try Machine(
      Machine.Beginning(
        number: machines.count, features: .init(), time: time, seed: random.next(),
        environment: nil, life: Life(number: newLife())),
      stream: StreamID(rawValue: UInt128(random.next()) << 64), marker: marker)
    let directories = (try? source.files.list(source.container.logs)) ?? []
    for directory in directories where directory.kind == .directory {
      let path = source.container.logs.appending(directory.name)
      for file in try source.files.list(path) where file.kind == .regular {
        guard let bytes = source.files.bytes(at: path.appending(file.name)) else { continue }
        newcomer.files.put(path.appending(file.name), bytes)
      }
    }
    guard let report = try sync(newcomer, &random), report.gaps.isEmpty else {
      throw Finding("a new device misses something of what the folder had")
    }
    let frontier = try newcomer.database.frontier()
    guard ledger.vector(of: frontier.applied) == ledger.everything else {
      throw Finding("a new device does not get everything out of the folder")
    }
    guard try self.dump(of: newcomer) == dump else {
      throw Finding("a new device shows something else than those that were there")
    }
  }
}
