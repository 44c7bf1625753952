import CanonicalJSON
import ReferenceModel
import Replication

/// An edit of one document that a user was told is kept, as the user saw it.
///
/// It knows nothing of operations and stamps: it says what was there, what was wanted, and what was
/// applied where the user looked.
struct Promise {
  enum Kind: Equatable {
    case put
    case patch
    case delete
    /// Of the counter at a path.
    case increment([ByteString], Int64)
    /// Of the set at a path.
    case add([ByteString], Set<JSON>)
    case remove([ByteString], Set<JSON>)
    /// By a newer program, at a path, which shows nothing (``Forerunner``).
    case remark([ByteString])

    /// Whether it only takes away: then it may have to wait (protocol.md 7).
    var isRemoval: Bool {
      switch self {
      case .delete, .remove: true
      case .put, .patch, .increment, .add, .remark: false
      }
    }
  }

  let kind: Kind
  let document: DocumentKey
  let device: Int
  let life: Life
  /// Its place among all promises: later ones of the same device had seen earlier ones.
  let number: Int
  /// The number of the first promise of its transaction.
  let group: Int
  /// The transaction; nil where it will be published later.
  let transaction: Written?
  /// What was applied of each stream where the user had looked, or given up: what is written then
  /// counts as written by somebody who had seen that.
  let seen: Context
  /// What was applied of each stream where it was written, or given up: more than ``seen``, where
  /// the user had looked earlier.
  let present: Context
  /// The version that the user saw; nil where there was no document.
  let before: JSON?
  /// What was there after the edit.
  let after: JSON?
  let settled: Settled
  /// Whether a removal of the document waited then: its own, if it takes something away.
  let waits: Bool
  /// What its user did without by then; nil where nothing had ever been given up.
  let givenUp: GivenUp?
  /// What was in the values that its author chose among; nil where that is all that was there.
  let offered: Set<Leaf>?
  /// Whether something in the document was in conflict where the user looked.
  let wasDisputed: Bool
  /// Whether it wrote the document whole, since a deletion of it was undone (protocol.md 13).
  let isWhole: Bool

  /// What conflicts an edit settles.
  enum Settled: Equatable {
    case nothing
    /// Whatever was in conflict, as far as its author had seen it: as a put does.
    case everythingSeen
    /// That at, above or below these paths.
    case paths(Set<[ByteString]>)
    /// All of a document, also what edits a document that was not there.
    case document
  }

  /// A transaction as its device knows it: how many lead up to it in its stream, and to what it, or
  /// one after it, is known by.
  struct Written {
    let sequence: Int
    let tip: Context.Entry
  }
}

/// What one device has known since it was last put back, and before.
///
/// A copy of a device has known what the device did until it was copied.
struct Life: Equatable {
  let number: Int
  /// Earlier lives, each with the number of the first promise that is not known any more.
  private(set) var before: [Earlier] = []

  struct Earlier: Equatable {
    let life: Int
    let end: Int
  }

  init(number: Int) { self.number = number }

  /// One that goes on from what this one knew when there were `count` promises.
  func copied(at count: Int, as number: Int) -> Life {
    var copy = Life(number: number)
    copy.before = before.map { Earlier(life: $0.life, end: min($0.end, count)) }
    copy.before.append(Earlier(life: self.number, end: count))
    return copy
  }

  /// Whether it is, or goes on from, the life in which a promise was made.
  func knows(_ promise: Promise) -> Bool {
    promise.life.number == number
      || before.contains { $0.life == promise.life.number && promise.number < $0.end }
  }
}

/// A promise, with what the ledger says of it once all is published.
struct JudgedPromise {
  let promise: Promise
  /// Nil where it waited to be published.
  let place: Ledger.Place?
  /// The insert of the document that it edits, itself or another's; nil where it waited.
  let insert: Ledger.Place?
  /// What its author had given up and did not have.
  let lost: GivenUp.Lost
  let seen: Seen
  /// What its transaction says of that; all of it where it waited to be published.
  let claimed: Seen
  /// What led up to it (``Ledger/led(upTo:)``).
  let led: Seen
  /// Whether it may have gone with a database that was put back.
  let isRevoked: Bool
  /// Whether what it took away and could not claim may have gone so, though the rest is published.
  let mayLackRemovals: Bool
  /// Whether what it edits was dropped by somebody who had never heard of it.
  let isStump: Bool
  /// What was dropped of it.
  let forgotten: Forgotten

  /// Whether the author of this edit had seen `other`: nobody sees an edit before its insert.
  func hasSeen(_ other: JudgedPromise) -> Bool { isAfter(other, seen) && couldSee(other) }

  /// Whether this edit claims `other`, which it could do since its author had given up the insert
  /// that `other` edits: nobody may have named that in a context, so it is in nothing seen.
  func claimsWithoutInsert(_ other: JudgedPromise) -> Bool {
    guard let insert = other.insert else { return false }
    return claims(other) && lost.contains(insert)
  }

  /// Whether the author of this edit had seen `other`, other than by giving it up and not being
  /// able to claim it, and other than without the document that it edits.
  func hasHad(_ other: JudgedPromise) -> Bool {
    hasSeen(other) && (!promise.hasGivenUp || claims(other)) && !hasMissed(other)
  }

  /// Whether `other` had come where this was written, and showed nothing there, since what it edits
  /// had been dropped.
  private func hasMissed(_ other: JudgedPromise) -> Bool {
    let paths = other.promise.newPaths
    guard other.isStump, !paths.isEmpty, let after = other.promise.after else { return false }
    return paths.allSatisfy { path in
      after.value(at: path).map { $0 != promise.before?.value(at: path) } ?? true
    }
  }

  /// Whether the author of this edit had given `other` up, and it had not come.
  func hasGivenUp(_ other: JudgedPromise) -> Bool {
    other.place.map { lost.contains($0) } ?? false
  }

  /// Whether this edit claims `other`: not all that its author had seen can be claimed.
  func claims(_ other: JudgedPromise) -> Bool { isAfter(other, claimed) }

  /// Whether the author of this edit, or of something that led up to it, had seen `other`.
  func isLedUpTo(by other: JudgedPromise) -> Bool { isAfter(other, led) }

  private func couldSee(_ other: JudgedPromise) -> Bool {
    if promise.settled == .document { return true }
    // Whoever edits a document has its insert.
    if promise.life.knows(other.promise), other.promise.number < promise.number { return true }
    return other.insert.map { seen[$0.author] >= $0.sequence } ?? true
  }

  private func isAfter(_ other: JudgedPromise, _ known: Seen) -> Bool {
    if promise.life.knows(other.promise), other.promise.number < promise.number {
      // Within a transaction; or it waits to be published, but hides here already.
      if other.promise.group == promise.group || other.promise.transaction == nil { return true }
    }
    return other.place.map { known[$0.author] >= $0.sequence } ?? false
  }
}

extension Promise {
  /// Whether something had ever been given up there: what counts as seen may not have been there.
  var hasGivenUp: Bool { givenUp != nil }

  /// A value at a path, as keys from the root.
  struct Leaf: Hashable {
    let path: [ByteString]
    let value: JSON
  }

  /// The values that came with this edit.
  var newLeaves: [Leaf] {
    let old = Set(before?.leaves ?? [])
    return (after?.leaves ?? []).filter { !old.contains($0) }
  }

  /// Where it wrote anything.
  var newPaths: [[ByteString]] {
    let old = Set(before?.objects ?? [])
    let objects = (after?.objects ?? []).filter { !old.contains($0) }
    return newLeaves.map(\.path) + objects + (editedKind.map { [$0] } ?? [])
  }

  /// The counter or set that was edited as such.
  var editedKind: [ByteString]? {
    switch kind {
    case .increment(let path, _), .add(let path, _), .remove(let path, _): path
    case .put, .patch, .delete, .remark: nil
    }
  }

  /// Where a newer program remarked on something.
  var remarked: [ByteString]? {
    if case .remark(let path) = kind { path } else { nil }
  }

  /// Whether something that was there is not after it.
  var takesAway: Bool {
    guard kind != .delete, let before, let after else { return kind == .delete }
    return before.leaves.contains { after.value(at: $0.path) != $0.value }
      || before.objects.contains { after.value(at: $0) == nil }
  }

  /// Whether it takes away what led up to what was there, and perhaps nothing else of what was
  /// given up: that counts as seen, and was not here.
  var mayMeanLess: Bool { waits && hasGivenUp }

  /// Whether an object is not after it in which a path was, or would be.
  func takesAwayAbove(_ path: [ByteString]) -> Bool {
    guard kind != .delete, let before, let after else { return false }
    return path.indices.dropLast().contains { index in
      let above = Array(path[...index])
      return before.value(at: above) != nil && after.value(at: above) == nil
    }
  }

  /// Whether it took away, or wrote anew, a value at a path: who chooses among values has chosen
  /// against those that were listed, and no others.
  func touches(_ leaf: Leaf) -> Bool {
    guard let offered, !offered.contains(leaf) else { return touches(leaf.path) }
    guard let before, let after else { return true }
    return before.value(at: leaf.path) != after.value(at: leaf.path)
  }

  /// Whether it took away, or wrote anew, what was at a path.
  func touches(_ path: [ByteString]) -> Bool {
    guard kind != .delete, let before, let after else { return true }
    switch settled {
    case .everythingSeen, .document: return true
    case .paths(let settled)
    where settled.contains { path.starts(with: $0) || $0.starts(with: path) }:
      return true
    case .nothing, .paths: break
    }
    return before.value(at: path) != after.value(at: path)
  }

  /// Whether it wrote something above a path, which covers what its author had given up there.
  func writesAbove(_ path: [ByteString]) -> Bool {
    guard let before, let after else { return false }
    return path.indices.dropLast().contains { index in
      let old = before.value(at: Array(path[...index]))
      let new = after.value(at: Array(path[...index]))
      if case (.object, .object) = (old, new) { return false }
      return old != new
    }
  }

  /// Whether it wrote, whole, an object that a path is in, if what had made that was given up:
  /// whoever has not seen an object made writes all of it (protocol.md 11), a patch where it
  /// changes something in it.
  func writesAround(_ path: [ByteString]) -> Bool {
    guard let before, let after else { return false }
    return path.indices.dropLast().contains { index in
      let above = Array(path[...index])
      guard
        case (.object(let old)?, .object(let new)?) = (
          before.value(at: above), after.value(at: above)
        )
      else { return false }
      return kind == .put || old != new
    }
  }

  /// Whether it wrote at a path or above it, or took away what was there.
  func writes(_ path: [ByteString]) -> Bool {
    guard kind != .delete, !isWhole, let before, let after else { return true }
    return before.value(at: path) != after.value(at: path) || writesAbove(path)
  }

  /// Whether its author took the value at a path away, having seen it there.
  func removes(_ leaf: Leaf) -> Bool {
    guard kind != .delete, let before, let after else { return false }
    return before.value(at: leaf.path) == leaf.value && after.value(at: leaf.path) == nil
  }
}

extension JSON {
  var promisedLeaves: Set<Promise.Leaf> { Set(leaves) }

  /// Everything in this value that is no object, with its path.
  var leaves: [Promise.Leaf] {
    var result: [Promise.Leaf] = []
    collectLeaves(at: [], into: &result)
    return result
  }

  private func collectLeaves(at path: [ByteString], into result: inout [Promise.Leaf]) {
    guard case .object(let object) = self else {
      result.append(Promise.Leaf(path: path, value: self))
      return
    }
    for (key, value) in object.members { value.collectLeaves(at: path + [key], into: &result) }
  }

  /// Where objects stand in it.
  var objects: [[ByteString]] {
    guard case .object(let object) = self else { return [] }
    return [[]] + object.members.flatMap { key, value in value.objects.map { [key] + $0 } }
  }

  /// The value at a path of keys; nil where there is none.
  func value(at path: [ByteString]) -> JSON? {
    var value = self
    for key in path {
      guard case .object(let object) = value, let member = object[key] else { return nil }
      value = member
    }
    return value
  }

  var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
}
