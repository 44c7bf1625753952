import DocumentStorage
import Replication

// Edits whose insert is not here: nobody has seen them, so nobody takes them away by writing.
extension World {
  /// The documents of which some are kept, be it under a delete.
  func unfounded(on machine: Machine) throws -> Set<DocumentKey> {
    Set(try machine.database.keptDocuments().filter(\.state.hasOrphans).map(\.key))
  }

  /// After a write on the present state, they are there still.
  ///
  /// - parameter before: the documents that had some, but those of which they were settled.
  func checkUnfounded(_ before: Set<DocumentKey>, on machine: Machine) throws {
    // What waits may mean what builds on them, and who has given up an insert does not await it.
    guard !before.isEmpty, try machine.database.counts().pendingRemovals == 0,
      try machine.database.frontier().givenUp.isEmpty
    else { return }
    let after = try unfounded(on: machine)
    if let key = before.subtracting(after).sorted().first {
      throw Finding(
        "device \(machine.number) has taken away from \(key.id) what edits a document that is not"
          + " there")
    }
  }
}
