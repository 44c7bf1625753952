import DocumentStorage
import ReferenceModel
import Replication
import Syncing

/// Devices that nobody waits for, which come back with what they have written meanwhile.
extension World {
  /// Whether somebody may come back who was not waited for: also one who was given up alive, where
  /// what is dead is dropped.
  var isTravelling: Bool {
    history.steps.contains {
      [.expire, .adopt, .bury].contains($0.kind) || isCompacting && $0.kind == .retire
    }
  }

  /// Makes a document, which somebody else gets and may edit; deletes it, and drops what it can.
  func bury(by machine: Machine, _ random: inout SplitMix) throws {
    guard machine.place == .home, !machine.isAway else { return }
    let key = random.pick(graves)
    if try machine.database.document(at: key) == nil || random.chance(30) {
      try write(on: machine, about: key, count: 1, deletes: false, &random)
    }
    try hand(key, from: machine, &random)
    try write(on: machine, about: key, count: 1, deletes: true, &random)
    for _ in 0..<2 + random.below(3) { try compact(machine, .expire, &random) }
  }

  /// Brings all of a device's files to another, which may edit a document of those.
  private func hand(
    _ key: DocumentKey, from machine: Machine, _ random: inout SplitMix
  ) throws {
    let others = machines.filter {
      $0.number != machine.number && $0.place == .home && !$0.isAway
    }
    guard !others.isEmpty, !machine.processLife.isOver else { return }
    try work(machine, .publish, &random)
    try pickUp(from: machine)
    for _ in 0..<1 + random.below(2) {
      let other = random.pick(others)
      for index in syncer.outstanding(for: other.number)
      where syncer.files[index].author == machine.number {
        syncer.deliver(index, to: other)
      }
      note("    device \(other.number) gets all of device \(machine.number)")
      try other.run {
        guard try sync(other, &random) != nil, random.chance(80),
          try other.database.document(at: key) != nil
        else { return }
        try write(inStepOfAnother: other, about: key, &random)
      }
      // It may have begun one, and be put back before its own next step.
      try other.noteStream()
    }
  }
}
