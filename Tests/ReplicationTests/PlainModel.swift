import CanonicalJSON

/// A second reading of protocol.md 9–15, for the merge core to be compared with.
///
/// It keeps every operation of one document that was ever delivered, forgets nothing, and computes
/// what shows from the definitions, pair by pair. It shares no code with the core but JSON.
struct PlainModel {
  enum Kind {
    case set(JSON)
    case clear
    case remove
    case delete
    case increment(Int64)
    case start(Int128)
    case add
    case emptySet
    /// What only a newer version understands.
    case newer(cover: Cover, carriesValue: Bool)
  }

  enum Cover {
    case nothing
    case path
    case document
  }

  struct Dot: Hashable, Comparable {
    let author: Int
    let sequence: Int
    let index: Int

    static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.author, lhs.sequence, lhs.index) < (rhs.author, rhs.sequence, rhs.index)
    }
  }

  struct Operation {
    let dot: Dot
    let time: UInt64
    let path: [ByteString]
    let kind: Kind
    /// How many transactions of each author, by the author's number, had been seen.
    let seen: [Int]
  }

  /// A removal that hides here already, and that nobody else knows of (protocol.md 7).
  struct Waiting {
    let path: [ByteString]
    let isDelete: Bool
    let seen: [Int]
  }

  let operations: [Operation]
  let waiting: [Waiting]

  /// The operations that no write covers.
  let kept: [Operation]
  /// The values that show or compete.
  let visible: [Operation]
  let hasUndoneDelete: Bool

  init(operations: [Operation], waiting: [Waiting] = []) {
    self.operations = operations
    self.waiting = waiting
    let writes = operations.filter(\.isWrite)
    let kept = operations.filter { old in !writes.contains { $0.covers(old) } }
    let values = kept.filter { value in
      value.isValue && !waiting.contains { !$0.isDelete && $0.covers(value) }
    }
    // Covered deletes decide nothing: what they cover, the write that covers them covers too.
    let deletions =
      kept.filter(\.isDelete).map { Deletion(seen: $0.seen, operation: $0) }
      + waiting.filter(\.isDelete).map { Deletion(seen: $0.seen, operation: nil) }
    // Rule 13: a delete is undone if a value that nothing covers is concurrent with it.
    let uncovered = values.filter { value in !deletions.contains { $0.covers(value) } }
    let standing = deletions.filter { delete in
      !uncovered.contains { delete.isConcurrent(with: $0) }
    }
    self.kept = kept
    visible = values.filter { value in !standing.contains { $0.covers(value) } }
    hasUndoneDelete = standing.count < deletions.count
  }

  private struct Deletion {
    let seen: [Int]
    /// Nil while it waits: then nobody can have seen it.
    let operation: Operation?

    func covers(_ value: Operation) -> Bool {
      operation?.hasSeen(value) ?? (seen[value.dot.author] >= value.dot.sequence)
    }

    func isConcurrent(with value: Operation) -> Bool {
      guard !covers(value) else { return false }
      guard let operation else { return true }
      return operation.dot != value.dot && !value.hasSeen(operation)
    }
  }
}

extension PlainModel.Operation {
  private var scope: PlainModel.Cover {
    switch kind {
    case .delete: .document
    case .increment: .nothing
    case .newer(let cover, _): cover
    case .set, .clear, .remove, .start, .add, .emptySet: .path
    }
  }

  var isDelete: Bool { scope == .document }
  /// Whether it covers at and below its path alone.
  var isWrite: Bool { scope == .path }

  var isValue: Bool {
    switch kind {
    case .set, .clear, .increment, .start, .add, .emptySet: true
    case .remove, .delete: false
    case .newer(_, let carriesValue): carriesValue
    }
  }

  var isNewer: Bool { if case .newer = kind { true } else { false } }
  var scalar: JSON? { if case .set(let value) = kind { value } else { nil } }
  var isClear: Bool { if case .clear = kind { true } else { false } }

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
    time == other.time ? dot > other.dot : time > other.time
  }
}

extension PlainModel.Waiting {
  func covers(_ value: PlainModel.Operation) -> Bool {
    seen[value.dot.author] >= value.dot.sequence && value.path.starts(with: path)
  }
}
