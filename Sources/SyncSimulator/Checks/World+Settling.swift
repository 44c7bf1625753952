import DocumentStorage
import ReferenceModel
import SharedFolder
import Syncing
import SystemFiles

/// The end of a history: everything is delivered, until nobody has anything to tell.
extension World {
  /// No history needs more rounds: removals that waited make new files, which may free others.
  private static let mostRounds = 10
  /// Nor where devices compact and come back: each drops what nothing leans on any more, which
  /// frees what that leant on, one operation deeper a round.
  private static let mostRoundsDropping = 40

  func settle() throws {
    var random = SplitMix(seed: history.seed ^ 0xCA11)
    var rounds = 0
    let most = isTravelling ? Self.mostRoundsDropping : Self.mostRounds
    while try settleOnce(&random) {
      rounds += 1
      guard rounds < most else {
        throw Finding("after \(rounds) rounds of delivering everything, devices still talk")
      }
    }
    for machine in machines { try checkIdle(machine, &random) }
  }

  /// Delivers everything to everybody; false if that changed nothing.
  private func settleOnce(_ random: inout SplitMix) throws -> Bool {
    let before = syncer.files.count
    var hasMoved = false
    for machine in random.shuffled(machines) { try pickUp(from: machine) }
    for machine in random.shuffled(machines) {
      note("device \(machine.number) gets everything")
      machine.chance.restart(seed: random.next())
      syncer.complete(machine, order: random.shuffled(Array(syncer.files.indices)))
      guard let report = try sync(machine, &random) else {
        throw Finding("device \(machine.number) cannot import though all is well")
      }
      if report.published > 0 || report.segments > 0 { hasMoved = true }
      try pickUp(from: machine)
      if isCompacting, try compactFully(machine) { hasMoved = true }
    }
    return hasMoved || syncer.files.count > before
  }

  /// How many files of its own directory a device does not know by their names.
  private func strangers(on machine: Machine) throws -> Int {
    guard let stream = try machine.database.device()?.stream else { return 0 }
    let known = Set(
      try machine.database.segmentNames(of: stream).map {
        SegmentName(first: $0.first, last: $0.last, digest: $0.digest).text
      })
    let files = (try? machine.files.list(machine.container.directory(of: stream))) ?? []
    return files.count { !known.contains($0.name.string) }
  }

  /// A device that nothing new has come to writes nothing and reads no segment.
  private func checkIdle(_ machine: Machine, _ random: inout SplitMix) throws {
    // What a compaction has changed may cost one more look at files that wait; and what is damaged
    // is read once more when no file system's clock can have stood still.
    time.advance(milliseconds: 3000)
    _ = try sync(machine, &random)
    let changes = machine.files.mutationCount
    let opened = machine.files.callCount(.open)
    let report = try sync(machine, &random)
    guard report?.published == 0, report?.segments == 0 else {
      throw Finding("device \(machine.number) goes on though nothing is new")
    }
    guard machine.files.mutationCount == changes else {
      throw Finding("device \(machine.number) writes though nothing is new")
    }
    // What stands among its own files under no name that it gave is looked at each time.
    // The marker, asked for before each thing that is done, and what could not be read for a reason
    // that may pass.
    let strangers = try strangers(on: machine)
    let unreadable = report?.setAside.count { $0.reason == .unreadable } ?? 0
    guard machine.files.callCount(.open) <= opened + 3 + unreadable + 2 * strangers else {
      throw Finding("device \(machine.number) reads files though nothing is new")
    }
    if let gap = report?.gaps.first {
      throw Finding("device \(machine.number) misses \(gap.first)-\(gap.last) of \(gap.stream)")
    }
  }
}
