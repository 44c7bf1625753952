import CanonicalJSON
import Replication

/// All that users were promised, and whether it was kept.
struct Promises {
  private var all: [DocumentKey: [Promise]] = [:]
  private(set) var count = 0

  mutating func add(_ promise: Promise) {
    all[promise.document, default: []].append(promise)
    count += 1
  }

  /// What a document shows in the end, and what it keeps beside that.
  struct Outcome {
    let shown: JSON?
    let conflictCount: Int
    /// The values that are kept, shown or not.
    let kept: Set<Promise.Leaf>
  }

  /// Judges a document, once everything has arrived everywhere.
  func check(_ key: DocumentKey, _ outcome: Outcome) throws {
    let promises = all[key] ?? []
    for promise in promises { try check(promise, among: promises, outcome) }
    guard let shown = outcome.shown else { return }
    for delete in promises where delete.kind == .delete {
      let isContradicted = promises.contains { $0.kind != .delete && !delete.hasSeen($0) }
      guard isContradicted else {
        throw Finding("\(key.id) is back, though nobody edited it beside its deletion")
      }
    }
    for leaf in shown.leaves { try checkOrigin(of: leaf, among: promises, key) }
  }

  /// Every value written shows, or somebody who had seen it wrote there, or it is listed.
  private func check(
    _ promise: Promise, among promises: [Promise], _ outcome: Outcome
  ) throws {
    for leaf in promise.newLeaves {
      if outcome.shown?.value(at: leaf.path) == leaf.value { continue }
      if outcome.conflictCount > 0, outcome.kept.contains(leaf) { continue }
      let isSuperseded = promises.contains { other in
        other.number != promise.number && other.hasReached(promise)
          && other.touches(leaf.path)
      }
      guard isSuperseded else {
        throw Finding(
          "\(promise.document.id): \(leaf) that device \(promise.device) wrote is lost")
      }
    }
  }

  /// A value that is found once only was written there, and nobody who had seen it took it away.
  private func checkOrigin(
    of leaf: Promise.Leaf, among promises: [Promise], _ key: DocumentKey
  ) throws {
    guard case .integer(let number) = leaf.value, number >= SplitMix.firstUnique else { return }
    guard let origin = promises.first(where: { $0.newLeaves.contains(leaf) }) else {
      throw Finding("\(key.id) shows \(leaf), which nobody wrote there")
    }
    // Who saw it may have written it again, beside the one who took it away.
    let writers = promises.filter { $0.after?.value(at: leaf.path) == leaf.value }
    for other in promises where other.hasSeen(origin) {
      guard writers.allSatisfy({ $0.number == other.number || other.hasSeen($0) }) else { continue }
      if other.removes(leaf) {
        throw Finding("\(key.id) shows \(leaf), which device \(other.device) took away")
      }
      guard other.kind == .delete else { continue }
      let isUndone = promises.contains {
        $0.kind != .delete && !other.hasSeen($0) && !($0.hasSeen(other) && other.sequence != nil)
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
