import ReferenceModel
import Syncing

/// Devices that are away for long, and given up meanwhile.
extension World {
  func letAYearPass(without machine: Machine) {
    machine.isAway = true
    time.advance(milliseconds: 366 * 86_400_000)
    figures.years += 1
  }

  /// Gives up another device, and looks after what it has written from now on.
  func retireAnother(by machine: Machine, _ random: inout SplitMix) throws {
    let others = machines.filter { $0.number != machine.number }.flatMap(\.streams)
    guard machine.place == .home, !others.isEmpty else { return }
    let stream = random.pick(others)
    note("    looks after \(stream)")
    do {
      try machine.database.retire(stream, now: machine.device.ambient.now())
      figures.retired += 1
      ledger.noteSharing(of: stream)
      if !machine.adopted.contains(stream) { machine.adopted.append(stream) }
    } catch {
      try excuse(error, of: machine, &random)
    }
    if machine.processLife.isOver { try machine.restart(&random) }
  }
}
