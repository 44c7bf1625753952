import DocumentStorage
import ReferenceModel
import Replication

/// Users who save what they had opened before they deleted it.
extension World {
  /// Saves a document that shows in spite of a deletion that waits, as it was opened before that;
  /// where there is none, opens one and deletes it.
  func insist(on machine: Machine, _ random: inout SplitMix) throws {
    for key in try waitingDeletions(on: machine)
    where try machine.database.document(at: key) != nil {
      let opened = machine.reads.last {
        $0.document.key == key && promises.hasDelete(since: $0.promises, of: key, machine.life)
      }
      if let opened { return try save(opened, on: machine, &random) }
    }
    // Else the deletion need not wait.
    guard try !machine.database.frontier().open.isEmpty else { return }
    let key = self.key(&random)
    try read(key, on: machine)
    try write(on: machine, about: key, count: 1, deletes: true, &random)
    try contradict(key, on: machine, &random)
  }

  /// Somebody edits a document who has not heard that it was deleted, and what they have comes.
  private func contradict(
    _ key: DocumentKey, on machine: Machine, _ random: inout SplitMix
  ) throws {
    let others = try machines.filter {
      try $0.number != machine.number && $0.place == .home && !$0.isAway && !$0.processLife.isOver
        && $0.database.document(at: key) != nil
    }
    guard !others.isEmpty, machine.place == .home, !machine.processLife.isOver else { return }
    let other = random.pick(others)
    try other.run { try write(inStepOfAnother: other, about: key, deletes: false, &random) }
    guard !other.processLife.isOver else { return }
    try work(other, .publish, &random)
    try pickUp(from: other)
    for index in syncer.outstanding(for: machine.number)
    where syncer.files[index].author == other.number {
      syncer.deliver(index, to: machine)
    }
    note("    device \(machine.number) gets all of device \(other.number)")
    try work(machine, .sync, &random)
  }

  /// The documents whose deletion waits, in order.
  private func waitingDeletions(on machine: Machine) throws -> [DocumentKey] {
    guard try machine.database.counts().pendingRemovals > 0 else { return [] }
    return try machine.database.keptDocuments().filter { document in
      document.state.pending.contains { $0.kind == .delete }
    }.map(\.key).sorted()
  }
}
