import CanonicalJSON

/// A second reading of protocol.md 9–15, for the store to be compared with.
///
/// It keeps every operation of one document that was ever published, forgets nothing, and computes
/// what shows from the definitions, pair by pair. It shares no code with the merge core but JSON,
/// and knows nothing of streams that branch: whoever went on from a copy is an author of its own.
struct Model {
  enum Kind {
    case set(JSON)
    case clear
    case remove
    case delete
    case increment(Int64)
    /// What a counter starts with.
    case start(Int128)
    /// Puts the element that the last key names into the set above.
    case add
    case emptySet
  }

  struct Dot: Hashable {
    let author: Int
    let sequence: Int
    let index: Int
  }

  struct Operation {
    let dot: Dot
    let time: UInt64
    /// What decides between equal times (protocol.md 3).
    let stream: UInt128
    let fingerprint: UInt128
    let path: [ByteString]
    let kind: Kind
    /// How far each author had been seen.
    let seen: Seen
  }

  /// The operations that no write covers.
  let kept: [Operation]
  /// The values that show or compete.
  let visible: [Operation]
  let hasUndoneDelete: Bool

  init(_ operations: [Operation]) {
    let writes = operations.filter(\.isWrite)
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

  /// Whether it covers at and below its path; increments cover nothing.
  var isWrite: Bool {
    switch kind {
    case .delete, .increment: false
    case .set, .clear, .remove, .start, .add, .emptySet: true
    }
  }

  var isValue: Bool {
    switch kind {
    case .set, .clear, .increment, .start, .add, .emptySet: true
    case .remove, .delete: false
    }
  }

  var isClear: Bool { if case .clear = kind { true } else { false } }
  var scalar: JSON? { if case .set(let value) = kind { value } else { nil } }
  var start: Int128? { if case .start(let number) = kind { number } else { nil } }
  var increment: Int128 { if case .increment(let amount) = kind { Int128(amount) } else { 0 } }

  func hasSeen(_ other: Self) -> Bool {
    if seen[other.dot.author] >= other.dot.sequence { return true }
    return other.dot.author == dot.author && other.dot.sequence == dot.sequence
      && other.dot.index < dot.index
  }

  /// Rule 9: what its author had seen at or below its path, and nothing above it.
  func covers(_ other: Self) -> Bool {
    hasSeen(other) && other.path.starts(with: path)
  }

  /// Rule 3.
  func isLater(than other: Self) -> Bool {
    if time != other.time { return time > other.time }
    if stream != other.stream { return stream > other.stream }
    if dot.sequence != other.dot.sequence { return dot.sequence > other.dot.sequence }
    if dot.index != other.dot.index { return dot.index > other.dot.index }
    return fingerprint > other.fingerprint
  }
}
