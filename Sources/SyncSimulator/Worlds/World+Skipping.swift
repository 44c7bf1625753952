import ReferenceModel
import Syncing

/// Users who do not wait for what is missing.
///
/// All of it comes in the end. So everybody must end alike, whoever went on without it and when,
/// and what was written meanwhile counts as written by somebody who had seen it.
extension World {
  func skip(on machine: Machine, _ random: inout SplitMix) throws {
    let skipping = Skipping(device: machine.device)
    do {
      let holes = try machine.database.streamSummaries().filter { !$0.isOwn }.compactMap {
        stream -> Hole? in
        do {
          return try skipping.hole(of: stream.stream.description)
        } catch DeviceError.nothingMissing {
          return nil
        }
      }
      guard !holes.isEmpty, machine.place == .home else { return }
      let hole = random.pick(holes)
      note("    without \(hole.transactions), up to \(hole.last), of \(hole.stream.stream)")
      noteSkip(of: hole, on: machine)
      let report = try skipping.skip(hole)
      figures.filesBehindHoles += report.imported.segments
      note("    \(report.released) released, \(report.imported.segments) segments imported")
      if let failure = report.imported.publishingFailure { throw failure }
    } catch {
      try excuse(error, of: machine, &random)
    }
    if machine.processLife.isOver { try machine.restart(&random) }
    try checkGivenUp(on: machine)
  }

  /// Keeps in mind what a user says, whether or not it is done to the end.
  private func noteSkip(of hole: Hole, on machine: Machine) {
    figures.skips += 1
    ledger.isGivingUp = true
    machine.givenUp[hole.stream.stream] =
      max(machine.givenUp[hole.stream.stream] ?? 0, hole.last)
  }
}
