import CanonicalJSON

/// A second reading of protocol.md 9–13, for the store to be compared with.
///
/// It keeps every operation of one document that was ever published, forgets nothing, and computes
/// what shows from the definitions, pair by pair. It shares no code with the merge core but JSON.
struct Model {
  enum Kind {
    case set(JSON)
    case clear
    case remove
    case delete
  }

  struct Dot: Hashable {
    let author: Int
    let sequence: Int
    let index: Int
  }

  struct Operation {
    let dot: Dot
    let time: UInt64
    /// The author's place in the order of the streams.
    let rank: Int
    let path: [ByteString]
    let kind: Kind
    /// How many transactions of each author had been seen.
    let seen: [Int]
  }

  /// The operations that no write covers.
  let kept: [Operation]
  /// The values that show or compete.
  let visible: [Operation]
  let hasUndoneDelete: Bool

  init(_ operations: [Operation]) {
    let writes = operations.filter { !$0.isDelete }
    let kept = operations.filter { old in !writes.contains { $0.covers(old) } }
    let values = kept.filter(\.isValue)
    // Covered deletes decide nothing: what they cover, the write that covers them covers too.
    let deletes = kept.filter(\.isDelete)
    // Rule 13: a delete is undone if a value that nothing covers is concurrent with it.
    let uncovered = values.filter { value in !deletes.contains { $0.hasSeen(value) } }
    let standing = deletes.filter { delete in
      !uncovered.contains { !delete.hasSeen($0) && !$0.hasSeen(delete) }
    }
    self.kept = kept
    visible = values.filter { value in !standing.contains { $0.hasSeen(value) } }
    hasUndoneDelete = standing.count < deletes.count
  }
}

extension Model.Operation {
  var isDelete: Bool { if case .delete = kind { true } else { false } }

  var isValue: Bool {
    switch kind {
    case .set, .clear: true
    case .remove, .delete: false
    }
  }

  var scalar: JSON? { if case .set(let value) = kind { value } else { nil } }

  func hasSeen(_ other: Self) -> Bool {
    if seen[other.dot.author] >= other.dot.sequence { return true }
    return other.dot.author == dot.author && other.dot.sequence == dot.sequence
      && other.dot.index < dot.index
  }

  /// Rule 9: what its author had seen at or below its path, and nothing above it.
  func covers(_ other: Self) -> Bool {
    hasSeen(other) && other.path.starts(with: path)
  }

  /// Rule 3, without the fingerprint: there are no forks here.
  func isLater(than other: Self) -> Bool {
    (time, UInt64(rank), UInt64(dot.sequence), UInt64(dot.index))
      > (other.time, UInt64(other.rank), UInt64(other.dot.sequence), UInt64(other.dot.index))
  }
}

// MARK: - What shows

extension Model {
  struct Shown {
    var body: JSON?
    var conflictCount = 0
  }

  /// Rules 10 and 11, applied to the visible values from the root down.
  func shown() -> Shown {
    var result = Shown()
    if hasUndoneDelete { result.conflictCount += 1 }
    if visible.contains(where: { $0.path.isEmpty && $0.scalar == nil }) {
      result.body = node(at: [], among: visible, conflicts: &result.conflictCount)
    } else if !visible.isEmpty {
      // Without its insert a document is listed, not shown.
      result.conflictCount += 1
    }
    return result
  }

  private func node(
    at path: [ByteString], among values: [Operation], conflicts: inout Int
  ) -> JSON? {
    let here = values.filter { $0.path.count == path.count }
    let below = values.filter { $0.path.count > path.count }
    let scalars = here.filter { $0.scalar != nil }
    guard let newest = Self.latest(values) else { return nil }
    guard let shownScalar = Self.latest(scalars), let value = shownScalar.scalar,
      newest.dot == shownScalar.dot
    else {
      // The object is the newest; a scalar that stands beside it loses.
      if !scalars.isEmpty { conflicts += 1 }
      return .object(members(of: path, among: below, conflicts: &conflicts))
    }
    let isAlone = scalars.count == values.count
    if !isAlone || scalars.contains(where: { $0.scalar != value }) { conflicts += 1 }
    return value
  }

  private func members(
    of path: [ByteString], among below: [Operation], conflicts: inout Int
  ) -> JSONObject {
    var object = JSONObject()
    for key in Set(below.map { $0.path[path.count] }) {
      let inside = below.filter { $0.path[path.count] == key }
      object[key] = node(at: path + [key], among: inside, conflicts: &conflicts)
    }
    return object
  }

  private static func latest(_ operations: [Operation]) -> Operation? {
    operations.max { $1.isLater(than: $0) }
  }
}
