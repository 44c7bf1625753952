import CanonicalJSON
import ReferenceModel
import Replication

/// All that users were promised, and whether it was kept.
struct Promises {
  private var all: [DocumentKey: [Promise]] = [:]
  private(set) var count = 0
  /// Lives that ended when their database was put back, with the first promise of what went.
  private var revoked: [(life: Int, from: Int)] = []

  mutating func add(_ promise: Promise) {
    all[promise.document, default: []].append(promise)
    count += 1
  }

  /// Notes that what a device promised from `number` on, and had not published, may be gone.
  mutating func revoke(_ life: Life, from number: Int) {
    revoked.append((life.number, number))
    revoked += life.before.filter { $0.end > number }.map { ($0.life, number) }
  }

  /// Whether a document was deleted in a life, by a promise with that number or a later one.
  func hasDelete(since number: Int, of key: DocumentKey, _ life: Life) -> Bool {
    all[key, default: []].contains {
      $0.kind == .delete && $0.number >= number && $0.life == life
    }
  }

  /// Those of a document, in the order in which they were made.
  func made(of key: DocumentKey) -> [Promise] { all[key] ?? [] }

  /// What a document shows in the end, and what is listed beside that.
  struct Outcome {
    let shown: JSON?
    let conflictCount: Int
    /// What is in the values of its conflicts.
    let listed: Set<Promise.Leaf>
    /// Where values show that were written anew, as somebody knew them who was away when the
    /// document was written over, deleted and forgotten.
    let revived: Set<[ByteString]>
  }

  /// Judges a document, once everything has arrived everywhere.
  func check(_ key: DocumentKey, _ outcome: Outcome, _ ledger: Ledger) throws {
    let judgement = Judgement(
      key: key, promises: (all[key] ?? []).compactMap { judge($0, ledger) }, outcome: outcome)
    try judgement.check()
    try judgement.checkKinds()
  }

  /// Nil for what went with a database that was put back before it was published.
  private func judge(_ promise: Promise, _ ledger: Ledger) -> JudgedPromise? {
    var place: Ledger.Place?
    if let written = promise.transaction {
      place = ledger.place(at: written.sequence, leadingTo: written.tip)
      guard place != nil else { return nil }
    }
    let isPutBack = revoked.contains {
      $0.life == promise.life.number && promise.number >= $0.from
    }
    let seen = ledger.known(of: promise.seen)
    let insert = place.flatMap { ledger.insert(of: promise.document, editedAt: $0) }
    return JudgedPromise(
      promise: promise, place: place, insert: insert,
      lost: promise.givenUp?.lost(by: ledger) ?? GivenUp.Lost(), seen: seen,
      claimed: place.map { ledger.claimed(by: $0) } ?? seen,
      led: place.map { ledger.led(upTo: $0) } ?? ledger.reach(of: seen),
      isRevoked: isPutBack && promise.transaction == nil,
      mayLackRemovals: isPutBack && promise.waits,
      isStump: place.map { ledger.isStump(promise.document, editedAt: $0) } ?? false,
      forgotten: place.map { ledger.forgotten(of: promise.document, at: $0) }
        ?? ledger.forgottenOfWaiting(promise.document))
  }

  /// The promises that must have been published by now and were not, though nothing was put back.
  func unpublished(_ ledger: Ledger) -> [Promise] {
    all.values.joined().filter { promise in
      guard let written = promise.transaction,
        ledger.place(at: written.sequence, leadingTo: written.tip) == nil
      else { return false }
      return !revoked.contains { $0.life == promise.life.number && promise.number >= $0.from }
    }
  }
}

/// Whether one document is what its users were promised.
struct Judgement {
  let key: DocumentKey
  let promises: [JudgedPromise]
  let outcome: Promises.Outcome
  /// Where counters and sets were edited as such: what stands there is judged by its edits.
  let kindPaths: Set<[ByteString]>

  init(key: DocumentKey, promises: [JudgedPromise], outcome: Promises.Outcome) {
    self.key = key
    self.promises = promises
    self.outcome = outcome
    kindPaths = Set(promises.compactMap(\.promise.editedKind))
  }

  func check() throws {
    for promise in promises { try check(promise) }
    guard let shown = outcome.shown else { return }
    for delete in promises
    where delete.promise.kind == .delete && !delete.isRevoked && !delete.promise.mayMeanLess {
      let isContradicted = promises.contains {
        $0.promise.kind != .delete && !delete.hasHad($0)
      }
      guard isContradicted else {
        throw Finding("\(key.id) is back, though nobody edited it beside its deletion")
      }
    }
    for leaf in shown.leaves where !kindPaths.contains(leaf.path) { try checkOrigin(of: leaf) }
  }

  /// Every value written shows, or somebody who had seen it wrote there, or it is listed.
  private func check(_ judged: JudgedPromise) throws {
    let promise = judged.promise
    for leaf in promise.newLeaves where !kindPaths.contains(leaf.path) {
      if outcome.shown?.value(at: leaf.path) == leaf.value { continue }
      if outcome.listed.contains(leaf) { continue }
      let isSuperseded = promises.contains { other in
        other.promise.number != promise.number
          && (other.claimsWithoutInsert(judged) && other.promise.writes(leaf.path)
            || other.hasSeen(judged)
              && (other.promise.touches(leaf) || other.promise.writesAbove(leaf.path)
                // What comes late is covered by what was written there without it.
                || other.hasGivenUp(judged) && other.claims(judged)
                  && (other.promise.touches(leaf.path) || other.promise.isWhole
                    || other.promise.writesAround(leaf.path)))
            || hasReached(other, judged, at: leaf.path)
              && (other.promise.touches(leaf) || other.promise.takesAwayAbove(leaf.path))
            || takesRemark(other, on: judged, at: leaf.path))
      }
      guard isSuperseded else {
        throw Finding("\(key.id): \(leaf) that device \(promise.device) wrote is lost")
      }
    }
  }

  /// Whether an edit may take another one away that its author had only heard of: what led up to
  /// something that it takes away goes with that, where it waits (protocol.md 7).
  ///
  /// - parameter path: where that stands; so must what is taken away, or above it.
  func hasReached(
    _ other: JudgedPromise, _ judged: JudgedPromise, at path: [ByteString]
  ) -> Bool {
    guard !other.hasSeen(judged) else { return true }
    guard other.promise.waits, other.promise.takesAway else { return false }
    return promises.contains { victim in
      victim.promise.number != other.promise.number && other.hasSeen(victim)
        && victim.isLedUpTo(by: judged)
        && (other.promise.after == nil
          || victim.promise.newPaths.contains { path.starts(with: $0) }
          // It wrote all anew that showed, also where that is as it was.
          || mayWriteAll(victim) && victim.promise.after?.value(at: path) != nil)
    }
  }

  /// Whether an edit settled what was in conflict, or wrote at a place or above it, and so took
  /// away what a newer program had remarked there, which nothing shows: what led up to it goes
  /// with that, as with all that waits.
  private func takesRemark(
    _ other: JudgedPromise, on judged: JudgedPromise, at path: [ByteString]
  ) -> Bool {
    guard other.promise.waits else { return false }
    return promises.contains { victim in
      guard let place = victim.promise.remarked, path.starts(with: place) else { return false }
      return (other.promise.settled == .document || other.promise.writes(place))
        && other.hasSeen(victim) && victim.isLedUpTo(by: judged)
    }
  }

  /// Whether a removal that waited may have been given up: what led up to what it takes away has
  /// written there, too, and its author had only heard of that (protocol.md 7).
  private func mayBeGivenUp(
    _ removal: JudgedPromise, taking victim: JudgedPromise, at path: [ByteString]
  ) -> Bool {
    removal.promise.waits
      && promises.contains { unseen in
        !removal.hasSeen(unseen) && victim.isLedUpTo(by: unseen)
          && unseen.promise.newPaths.contains { $0.starts(with: path) }
      }
  }

  /// A value that is found once only was written there, and nobody who had seen it took it away.
  private func checkOrigin(of leaf: Promise.Leaf) throws {
    guard case .integer(let number) = leaf.value, number >= Vocabulary.firstUnique else { return }
    guard let origin = promises.first(where: { $0.promise.newLeaves.contains(leaf) }) else {
      throw Finding("\(key.id) shows \(leaf), which nobody wrote there")
    }
    // Who saw it may have written it again, beside the one who took it away.
    let writers = promises.filter { $0.promise.after?.value(at: leaf.path) == leaf.value }
    for other in promises where !other.isRevoked && other.hasSeen(origin) {
      if outcome.revived.contains(leaf.path), other.forgotten.holds(leaf.path) {
        continue
      }
      guard
        writers.allSatisfy({
          $0.promise.number == other.promise.number || other.hasSeen($0)
        })
      else { continue }
      if other.promise.removes(leaf), !other.mayLackRemovals,
        !mayBeGivenUp(other, taking: origin, at: leaf.path)
      {
        throw Finding("\(key.id) shows \(leaf), which device \(other.promise.device) took away")
      }
      guard other.promise.kind == .delete, !other.promise.mayMeanLess else { continue }
      let isUndone = promises.contains {
        $0.promise.kind != .delete && !other.hasHad($0)
          && !($0.claims(other) && other.promise.transaction != nil)
      }
      guard isUndone else {
        throw Finding("\(key.id) shows \(leaf) again, which was deleted")
      }
    }
  }
}

extension Promise.Leaf: CustomStringConvertible {
  var description: String {
    path.map { "/\($0)" }.joined() + " = " + value.canonical
  }
}
