import CanonicalJSON
import Replication

/// An edit of one document that a user was told is kept, as the user saw it.
///
/// It knows nothing of operations, stamps and contexts: it says what was there, what was wanted,
/// and which transactions of whom were there when the user looked.
struct Promise {
  enum Kind {
    case put
    case patch
    case delete
  }

  let kind: Kind
  let document: DocumentKey
  let device: Int
  /// Its place among all promises: later ones of the same device had seen earlier ones.
  let number: Int
  /// The number of the first promise of its transaction.
  let group: Int
  /// The transaction; nil where it will be published later.
  let sequence: Int?
  /// What was applied of each device's stream where the user had looked.
  let seen: [Int]
  /// The same, and what the authors of all that had seen: a deletion means that, too (rule 7).
  let reach: [Int]
  /// The version that the user saw; nil where there was no document.
  let before: JSON?
  /// What was there after the edit.
  let after: JSON?
  /// Whether something was in conflict, which a put settles.
  let settles: Bool
}

extension Promise {
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

  /// Whether the author of this edit had seen `other`.
  func hasSeen(_ other: Promise) -> Bool { isAfter(other, seen) }

  /// Whether the author of this edit, or of something that it had seen, had seen `other`.
  func hasReached(_ other: Promise) -> Bool { isAfter(other, reach) }

  private func isAfter(_ other: Promise, _ known: [Int]) -> Bool {
    if other.device == device, other.number < number {
      // Within a transaction; or it waits to be published, but hides here already.
      if other.group == group || other.sequence == nil { return true }
    }
    return other.sequence.map { known[other.device] >= $0 } ?? false
  }

  /// Whether it took away, or wrote anew, what was at a path.
  func touches(_ path: [ByteString]) -> Bool {
    guard kind != .delete, let before, let after else { return true }
    if settles { return true }
    return before.value(at: path) != after.value(at: path)
  }

  /// Whether its author took the value at a path away, having seen it there.
  func removes(_ leaf: Leaf) -> Bool {
    guard kind != .delete, let before, let after else { return false }
    return before.value(at: leaf.path) == leaf.value && after.value(at: leaf.path) == nil
  }
}

extension JSON {
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

  /// The value at a path of keys; nil where there is none.
  func value(at path: [ByteString]) -> JSON? {
    var value = self
    for key in path {
      guard case .object(let object) = value, let member = object[key] else { return nil }
      value = member
    }
    return value
  }
}
