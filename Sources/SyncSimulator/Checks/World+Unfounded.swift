import DocumentStorage
import Replication

/// Edits of a document whose insert is not here, and what shows of it all the same.
struct Unfounded {
  /// Those that no removal hides.
  let edits: [Stamp]
  /// The values that are kept beside them.
  let others: [Stamp]
  /// Whether somebody has deleted the document beside what shows.
  let isDeleted: Bool
}

// Nobody has seen such edits, so nobody takes them away by writing.
extension World {
  /// The documents of which some are listed.
  func unfounded(on machine: Machine) throws -> [DocumentKey: Unfounded] {
    var result: [DocumentKey: Unfounded] = [:]
    let conflicts = try conflicts(on: machine).filter { Self.areListed(in: $0.value) }
    guard !conflicts.isEmpty else { return [:] }
    for document in try machine.database.keptDocuments() {
      guard let listed = conflicts[document.key] else { continue }
      let state = document.state
      let edits = state.unfoundedEdits
      result[document.key] = Unfounded(
        edits: edits.filter { !hides($0, in: state) },
        others: state.entries.filter { $0.effect.kind.carriesValue && !edits.contains($0.stamp) }
          .map(\.stamp),
        isDeleted: listed.contains { $0.kind == .delete })
    }
    return result
  }

  private static func areListed(in conflicts: [DocumentConflict]) -> Bool {
    conflicts.contains { $0.kind == .missingInsert }
  }

  /// After a write on the present state, they are there still.
  ///
  /// - parameter before: the documents that had some, but those of which they were settled.
  func checkUnfounded(_ before: [DocumentKey: Unfounded], on machine: Machine) throws {
    // Who has given up an insert does not await it.
    guard !before.isEmpty, machine.givenUp.isEmpty else { return }
    let kept = Dictionary(
      uniqueKeysWithValues: try machine.database.keptDocuments().map { ($0.key, $0.state) })
    for (key, unfounded) in before.sorted(by: { $0.key < $1.key }) {
      let present = Set(kept[key]?.unfoundedEdits ?? [])
      for edit in unfounded.edits {
        // What a removal hides that waits is kept, too.
        let isHidden = kept[key].map { hides(edit, in: $0) } ?? false
        guard present.contains(edit), !isHidden || isMeant(edit, in: unfounded) else {
          throw Finding(
            "device \(machine.number) has taken away from \(key.id) what edits a document that is"
              + " not there")
        }
      }
    }
  }

  /// Whether a removal that waits here takes an edit away.
  private func hides(_ edit: Stamp, in state: DocumentState) -> Bool {
    guard let place = ledger.place(of: edit.transaction),
      let path = state.entries.first(where: { $0.stamp == edit })?.effect.path.keys
    else { return false }
    return state.pending.contains { removal in
      path.starts(with: removal.path.keys)
        && ledger.known(of: removal.seen)[place.author] >= place.sequence
    }
  }

  /// A deletion that waits means what the document builds on, too; and another one may stand now
  /// that nothing shows beside it.
  private func isMeant(_ edit: Stamp, in unfounded: Unfounded) -> Bool {
    unfounded.isDeleted || unfounded.others.contains { ledger.builds($0, on: edit) }
  }
}
