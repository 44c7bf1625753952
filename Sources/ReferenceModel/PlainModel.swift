import CanonicalJSON

/// A second reading of protocol.md 9–15, for the merge core to be compared with.
///
/// It keeps every operation of one document that was ever delivered, forgets nothing, and computes
/// what shows from the definitions, pair by pair. It shares no code with the core but JSON, and
/// knows nothing of streams that branch: whoever goes on from a copy is an author of its own.
package struct PlainModel: Sendable {
  package enum Kind: Sendable {
    case set(JSON)
    case clear
    case remove
    case delete
    case increment(Int64)
    /// What a counter starts with, a mark of what is counted in that, and the increments that are
    /// counted in it though it does not cover them.
    case start(Int128, mark: UInt64, counted: Set<Counted>)
    /// Puts the element that the last key names into the set above.
    case add
    case emptySet
    /// What only a newer version understands.
    case newer(cover: Cover, carriesValue: Bool)
  }

  /// An increment, as a start names it.
  package struct Counted: Hashable, Sendable {
    package let stream: UInt128
    package let sequence: UInt64
    package let index: Int
    package let fingerprint: UInt128

    package init(stream: UInt128, sequence: UInt64, index: Int, fingerprint: UInt128) {
      self.stream = stream
      self.sequence = sequence
      self.index = index
      self.fingerprint = fingerprint
    }
  }

  package enum Cover: Sendable {
    case nothing
    case path
    case document
  }

  package struct Dot: Hashable, Sendable {
    package let author: Int
    package let sequence: Int
    package let index: Int

    package init(author: Int, sequence: Int, index: Int) {
      self.author = author
      self.sequence = sequence
      self.index = index
    }
  }

  /// The operation that made the document which another one edits, as its author names it.
  package struct Insert: Hashable, Sendable {
    package let stream: UInt128
    package let sequence: UInt64
    package let index: Int

    package init(stream: UInt128, sequence: UInt64, index: Int) {
      self.stream = stream
      self.sequence = sequence
      self.index = index
    }
  }

  package struct Operation: Sendable {
    package let dot: Dot
    package let time: UInt64
    /// What decides between equal times (protocol.md 3); an author that went on from a copy may
    /// count its transactions otherwise than the stream does.
    package let stream: UInt128
    package let sequence: UInt64
    package let fingerprint: UInt128
    package let insert: Insert
    package let path: [ByteString]
    package let kind: Kind
    /// How many transactions of each author had been seen.
    package let seen: Seen

    package init(
      dot: Dot, time: UInt64, stream: UInt128, sequence: UInt64, fingerprint: UInt128,
      insert: Insert, path: [ByteString], kind: Kind, seen: Seen
    ) {
      self.dot = dot
      self.time = time
      self.stream = stream
      self.sequence = sequence
      self.fingerprint = fingerprint
      self.insert = insert
      self.path = path
      self.kind = kind
      self.seen = seen
    }
  }

  /// A removal that hides here already, and that nobody else knows of (protocol.md 7).
  package struct Waiting: Sendable {
    package let path: [ByteString]
    package let isDelete: Bool
    package let seen: Seen

    package init(path: [ByteString], isDelete: Bool, seen: Seen) {
      self.path = path
      self.isDelete = isDelete
      self.seen = seen
    }
  }

  package let operations: [Operation]
  /// The operations that no write covers.
  package let kept: [Operation]
  /// The values that show or compete.
  package let visible: [Operation]
  /// The values that edit what is not here, and that no delete takes away.
  package let orphans: [Operation]
  package let hasUndoneDelete: Bool

  /// - parameters:
  ///   - ends: Up to where any branch of a stream is here, of those that have several: an insert of
  ///     that number counts as come, since its name does not tell the branch.
  ///   - dropped: Those that are not there any more, and of which it is known that they came.
  package init(
    operations all: [Operation], waiting: [Waiting] = [], ends: [UInt128: UInt64] = [:],
    dropped: Set<Dot> = []
  ) {
    let operations = all.filter { !dropped.contains($0.dot) }
    self.operations = operations
    let names = Set(all.map(\.name))
    let writes = operations.filter(\.isWrite)
    let kept = operations.filter { old in !writes.contains { $0.covers(old) } }
    let all = kept.filter { value in
      value.isValue && !waiting.contains { !$0.isDelete && $0.covers(value) }
    }
    // Rule 10: without its insert an edit shows nothing, and undoes nothing.
    func isHere(_ insert: Insert) -> Bool {
      names.contains(insert) || ends[insert.stream].map { insert.sequence <= $0 } ?? false
    }
    let values = all.filter { isHere($0.insert) }
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
    orphans = all.filter { value in
      !isHere(value.insert) && !standing.contains { $0.covers(value) }
    }
    hasUndoneDelete = standing.count < deletions.count
  }

  private struct Deletion {
    let seen: Seen
    /// Nil while it waits: then nobody can have seen it.
    let operation: Operation?

    func covers(_ value: Operation) -> Bool {
      operation?.hasSeen(value) ?? seen.reaches(value.dot)
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

  /// What those call it that edit the document which it makes.
  var name: PlainModel.Insert {
    PlainModel.Insert(stream: stream, sequence: sequence, index: dot.index)
  }

  package var isDelete: Bool { scope == .document }
  /// Whether it covers at and below its path alone.
  package var isWrite: Bool { scope == .path }

  package var isValue: Bool {
    switch kind {
    case .set, .clear, .increment, .start, .add, .emptySet: true
    case .remove, .delete: false
    case .newer(_, let carriesValue): carriesValue
    }
  }

  package var isNewer: Bool { if case .newer = kind { true } else { false } }
  package var scalar: JSON? { if case .set(let value) = kind { value } else { nil } }
  package var isClear: Bool { if case .clear = kind { true } else { false } }
  var start: Int128? { if case .start(let number, _, _) = kind { number } else { nil } }
  /// What a counter starts with that does not say what is counted in it.
  package var unmarkedStart: Int128? {
    if case .start(let number, 0, _) = kind { number } else { nil }
  }
  var mark: UInt64? { if case .start(_, let mark, _) = kind { mark } else { nil } }
  var counted: Set<PlainModel.Counted> {
    if case .start(_, _, let counted) = kind { counted } else { [] }
  }
  var asCounted: PlainModel.Counted {
    PlainModel.Counted(
      stream: stream, sequence: sequence, index: dot.index, fingerprint: fingerprint)
  }
  var increment: Int128 { if case .increment(let amount) = kind { Int128(amount) } else { 0 } }

  package func hasSeen(_ other: Self) -> Bool {
    if seen.reaches(other.dot) { return true }
    return other.dot.author == dot.author && other.dot.sequence == dot.sequence
      && other.dot.index < dot.index
  }

  /// Rule 9: what its author had seen at or below its path, and nothing above it.
  package func covers(_ other: Self) -> Bool {
    hasSeen(other) && other.path.starts(with: path)
  }

  /// Rule 3.
  package func isLater(than other: Self) -> Bool {
    if time != other.time { return time > other.time }
    if stream != other.stream { return stream > other.stream }
    if sequence != other.sequence { return sequence > other.sequence }
    if dot.index != other.dot.index { return dot.index > other.dot.index }
    return fingerprint > other.fingerprint
  }
}

extension PlainModel.Waiting {
  func covers(_ value: PlainModel.Operation) -> Bool {
    seen.reaches(value.dot) && value.path.starts(with: path)
  }
}

extension Seen {
  fileprivate func reaches(_ dot: PlainModel.Dot) -> Bool { self[dot.author] >= dot.sequence }
}
