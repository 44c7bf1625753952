import Foundation
import ReferenceModel
import Replication
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage

/// The devices of a year, their folders and the one between them; drives them round by round.
final class YearHousehold {
  /// 2024-01-01, so that nothing of it is yet to come where it is run.
  private static let start: Int64 = 1_704_067_200_000
  private static let year: Int64 = 365 * 86_400_000

  let machines: [YearMachine]
  private(set) var plan: YearPlan
  private(set) var syncer: YearSyncer
  /// What was brought to the folder as it was first published, and joined or said besides.
  private(set) var published = YearSyncer.Sum()
  private(set) var rewritten = YearSyncer.Sum()
  /// How many files the folder had of one device at most.
  private(set) var mostFiles = 0
  private var rounds = 0

  /// - parameter directory: one that does not exist yet.
  init(_ shape: YearShape, in directory: FilePath, limits: CompactionLimits) throws {
    plan = YearPlan(shape)
    var random = SplitMix(seed: shape.seed ^ 0xF01D)
    let marker = Marker(
      container: ContainerID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next())),
      identifier: "org.example.year")
    let folder = directory.appending("folder")
    for path in [directory, folder, directory.appending("machines")] {
      try FileManager.default.createDirectory(
        atPath: path.string, withIntermediateDirectories: false)
    }
    _ = try ContainerFolder(root: folder, files: LinuxFileSystem())
      .create(marker, temporaryName: ".feedsync-year.nosync")
    syncer = try YearSyncer(folder: folder)
    machines = try (0..<shape.devices).map { number in
      try YearMachine(
        number, in: directory.appending("machines").appending("\(number)"), marker: marker,
        limits: limits, seed: shape.seed)
    }
  }

  var shape: YearShape { plan.shape }

  /// Those that are not lost.
  var living: [YearMachine] { machines.filter { !shape.lost.contains($0.number) } }

  /// Goes through one round of the year.
  ///
  /// - returns: its number; nil when the year is over.
  func advance() throws -> Int? {
    guard let round = plan.next() else { return nil }
    // The first device is always there.
    for device in shape.givenUp(in: round.number) { try machines[0].giveUp(machines[device]) }
    try run(round.work, round.presence)
    return round.number
  }

  /// One more round, in which nobody writes.
  func rest() throws {
    let presence = machines.map { machine in
      shape.lost.contains(machine.number) ? YearShape.Presence.lost : .here
    }
    try run(Array(repeating: [], count: machines.count), presence)
  }

  private func run(_ work: [[[YearPlan.Action]]], _ presence: [YearShape.Presence]) throws {
    let start = Self.start + Self.year * Int64(rounds) / Int64(shape.rounds)
    let end = Self.start + Self.year * Int64(rounds + 1) / Int64(shape.rounds)
    rounds += 1
    let working = machines.filter { [.here, .travelling].contains(presence[$0.number]) }
    let here = machines.filter { presence[$0.number] == .here }
    try each(working) { machine in
      try machine.work(work[machine.number], until: end, since: start)
      if presence[machine.number] == .here { try machine.publish() }
    }
    for machine in here { try count(\.published) { try syncer.push(from: machine) } }
    for machine in here { try syncer.pull(to: machine) }
    try each(here) { try $0.importAll() }
    try each(here) { try $0.lookAfter() }
    mostFiles = max(mostFiles, try filesOfOne())
    for machine in here { try count(\.rewritten) { try syncer.push(from: machine) } }
  }

  /// How many files the folder has of the device that has most.
  func filesOfOne() throws -> Int {
    try machines.map { try $0.streams().reduce(0) { $0 + syncer.present(of: $1).files } }.max() ?? 0
  }

  private func count(
    _ sum: ReferenceWritableKeyPath<YearHousehold, YearSyncer.Sum>, _ push: () throws -> Void
  ) rethrows {
    let before = syncer.brought
    try push()
    self[keyPath: sum].files += syncer.brought.files - before.files
    self[keyPath: sum].bytes += syncer.brought.bytes - before.bytes
  }

  /// Does something on several devices at once: none of them meets another.
  private func each(
    _ machines: [YearMachine], _ body: @Sendable (YearMachine) throws -> Void
  ) throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: machines.count) { index in
      do {
        try body(machines[index])
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
