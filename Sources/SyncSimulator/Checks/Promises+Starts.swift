import CanonicalJSON
import ReferenceModel
import Replication

extension Promises {
  /// Who goes on from a count says what is counted in it: else two counts that come to the same
  /// number, of different things, would pass for one (rule 14).
  ///
  /// Judged where the author saw a counter that nothing competed with, and nothing else was written
  /// to the document in the transaction; and what it had read was what stood there, since of what a
  /// write has covered by then nobody remembers what was counted.
  func checkStarts(of key: DocumentKey, _ ledger: Ledger) throws {
    guard ledger.copied.isEmpty else { return }
    let operations = ledger.operations(on: key)
    let edits = Dictionary(grouping: made(of: key), by: \.group)
    for promise in made(of: key) where !promise.waits && !promise.hasGivenUp {
      guard let written = promise.transaction, promise.number == promise.group,
        edits[promise.group]?.count == 1,
        let place = ledger.place(at: written.sequence, leadingTo: written.tip)
      else { continue }
      let own = operations.filter {
        $0.dot.author == place.author && $0.dot.sequence == place.sequence
      }
      for start in own {
        guard let number = start.unmarkedStart,
          number == promise.before?.value(at: start.path)?.number
        else { continue }
        let seen = ledger.known(of: promise.seen)
        // Also what came after the author had read: a put on an older version claims no more than
        // that, but stands on what was there by then.
        let present = ledger.known(of: promise.present)
        let led = ledger.led(upTo: place)
        let isEarlier = operations.contains { operation in
          let dot = operation.dot
          return max(led[dot.author], present[dot.author]) >= dot.sequence
            && seen[dot.author] < dot.sequence
            && !(dot.author == place.author && dot.sequence == place.sequence)
            && start.path.starts(with: operation.path)
        }
        guard !isEarlier else { continue }
        let model = PlainModel(
          operations: operations.filter { seen[$0.dot.author] >= $0.dot.sequence })
        guard !model.hasCounted(to: number, at: start.path) else {
          throw Finding(
            "\(key.id): device \(promise.device) goes on from \(number), and does not say what is"
              + " counted")
        }
      }
    }
  }
}

extension JSON {
  fileprivate var number: Int128? {
    if case .integer(let number) = self { Int128(number) } else { nil }
  }
}
