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
  }

  /// The documents whose deletion waits, in order.
  private func waitingDeletions(on machine: Machine) throws -> [DocumentKey] {
    guard try machine.database.counts().pendingRemovals > 0 else { return [] }
    return try machine.database.keptDocuments().filter { document in
      document.state.pending.contains { $0.kind == .delete }
    }.map(\.key).sorted()
  }
}
