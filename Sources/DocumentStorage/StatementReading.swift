import Foundation
import GRDB
import Replication
import SegmentFormat

/// A statement beside the other segments that are kept of its transactions (protocol.md 22).
///
/// Nothing of it is believed on its borders' account: transaction by transaction, by fingerprint,
/// what it leaves has to be what the others have.
struct StatementReading {
  /// Of each transaction the operations that a segment has, by their places.
  private typealias Content = [Fingerprint: [Int: Replication.Operation]]

  let range: Segment.Range
  let digest: UInt64
  /// What it leaves out of that which is kept, by document, with the fingerprints of the
  /// transactions.
  private(set) var omitted: [DocumentKey: [Dot: Fingerprint]] = [:]
  /// Documents of which it leaves something out that may never have been taken in here: what has it
  /// came after a statement that lacks it, when its transactions were applied.
  private(set) var uncertain: Set<DocumentKey> = []
  /// What is kept within its borders and has nothing that it lacks, but for what is dead.
  private(set) var spent: [SegmentArchive.Part] = []

  /// What it was compared with, by number.
  private var basis: [Int64: Basis] = [:]
  /// What those that were read say of the device's name, by their numbers; most say nothing.
  private var namings: [Int64: Segment.Naming] = [:]
  private let statement: StatementTable.Kept
  private let content: Content
  private let load: Loader
  /// Knows where its transactions leave the stream: what follows may lean on one of them.
  private let start: StreamReading

  /// A kept segment, as the list of them tells it.
  struct Listed {
    let part: SegmentArchive.Part
    let digest: UInt64
    /// A ``StatementTable/Progress``; nil if nothing was dropped from it.
    let progress: Int?
    /// The fingerprint of its last transaction, which tells of all before.
    let end: Fingerprint
    var isReduced: Bool { progress != nil }
    var isHeeded: Bool { progress ?? heeded == heeded }
    private var heeded: Int { StatementTable.Progress.heeded.rawValue }
  }

  /// Reads a kept segment, which is still kept, by its number and digest.
  typealias Loader = (Int64, UInt64) throws -> Segment

  /// What is known of a kept segment as long as nothing has changed.
  private struct Basis: Equatable {
    let digest: UInt64
    let progress: Int?
  }

  /// Another statement that is heeded.
  private struct Statement {
    let part: SegmentArchive.Part
    let content: Content
    let digest: UInt64
  }

  /// - parameters:
  ///   - lineage: how its stream stands.
  ///   - load: reads what is kept; the database is not asked otherwise.
  init(
    _ statement: StatementTable.Kept, lineage: Lineage.Stream?, load: @escaping Loader
  ) throws {
    (self.load, self.statement, digest) = (load, statement, statement.digest)
    let segment = try load(statement.id, statement.digest)
    range = segment.range
    content = try Self.content(of: segment)
    namings[statement.id] = segment.naming
    var start = StreamReading(lineage: lineage)
    try start.learn(segment)
    self.start = start
  }

  /// Whether a transaction is one of those that it tells of.
  func has(_ entry: Context.Entry) -> Bool {
    entry.stream == range.stream && content[entry.fingerprint] != nil
  }

  /// What is spent, but for what alone tells a device's name: the statement itself, if it does,
  /// since what it was made of would be taken for something that lacks it, and it be made again.
  func spent(butFor name: LearntName?) -> [SegmentArchive.Part] {
    guard let name else { return spent }
    let going = Set(spent.map(\.id))
    let telling = namings.filter { name.isTold(by: $0.value) }
    guard !telling.isEmpty, going.isSuperset(of: telling.keys) else { return spent }
    let own = namings[statement.id]
    let tells = telling.values.allSatisfy { own?.isAsNew(as: $0) ?? false }
    let staying = tells ? [statement.id] : Set(telling.keys)
    return spent.filter { !staying.contains($0.id) }
  }

  /// What is left in a segment from which something was dropped: it leans on nothing.
  private static func content(of segment: Segment) throws -> Content {
    try transactions(of: segment).reduce(into: [:]) { content, transaction in
      content[transaction.header.fingerprint] = operations(of: transaction)
    }
  }

  private static func transactions(of segment: Segment) throws -> [Transaction] {
    let start = StreamPosition(
      sequence: segment.range.first - 1, fingerprint: segment.range.fingerprintBefore,
      context: Context())
    return try segment.transactions(after: start)
  }

  private static func operations(of transaction: Transaction) -> [Int: Replication.Operation] {
    Dictionary(
      uniqueKeysWithValues: transaction.operations.all.enumerated().map {
        (transaction.place($0), $1)
      })
  }

  /// Finds out what it omits.
  ///
  /// - parameters:
  ///   - listed: what is kept beside it (``listed(beside:_:)``).
  ///   - due: the statements that are heeded with it: what they have was taken in, whether they
  ///     come before or after it, or wait for what is to be written first.
  /// - returns: false if that cannot be told: what is kept of its transactions cannot be read, or
  ///   contradicts it.
  mutating func compare(with listed: [Listed], besides due: Set<Int64>) throws -> Bool {
    basis = Self.basis(listed)
    let others = listed.filter { $0.isHeeded || due.contains($0.part.id) }
    // What several have dropped, each for itself, is dropped.
    var reduced: [Statement] = []
    for other in others where other.isReduced && other.isHeeded {
      let content = try Self.content(of: read(other))
      reduced.append(Statement(part: other.part, content: content, digest: other.digest))
    }
    let lefts = reduced.map(\.content)
    let statements = listed.filter(\.isReduced).map(\.part) + [own]
    // In the order of their arrival they have their numbers.
    func isCertain(_ part: SegmentArchive.Part) -> Bool {
      !statements.contains {
        $0.id < part.id && $0.first <= part.last && part.first <= $0.last
      }
    }
    var reading = try start.learning(listed.filter(\.isReduced), load)
    for other in others where other.isHeeded {
      let segment = try read(other)
      let isCertain = isCertain(other.part)
      var isSound = true
      let isComplete = try reading.take(segment) { transaction in
        guard isSound else { return }
        isSound = note(transaction, besides: lefts, isCertain: isCertain)
      }
      // What stands before it is read for what leans on it.
      if other.part.last >= range.first, !isComplete || !isSound { return false }
    }
    // They tell less than the originals beside them, so they come last; and they lean on nothing.
    for other in others where !other.isHeeded {
      let isCertain = isCertain(other.part)
      for transaction in try Self.transactions(of: read(other)) {
        guard note(transaction, besides: lefts, isCertain: isCertain) else { return false }
      }
    }
    // Within the borders may be what belongs to another branch.
    let whole = others.filter { !$0.isReduced && encloses($0.part) && content[$0.end] != nil }
      .map(\.part)
    let replaced = reduced.filter { other in
      !isSuperfluous(beside: other) && encloses(other.part)
        && Self.leaves(other.content, all: content)
    }
    let isSpent = reduced.contains { isSuperfluous(beside: $0) }
    spent = whole + replaced.map(\.part) + (isSpent ? [own] : [])
    return true
  }

  /// Whether this one need not be kept, since another statement leaves no more of all it tells of.
  private func isSuperfluous(beside other: Statement) -> Bool {
    other.part.first <= range.first && range.last <= other.part.last
      && Self.leaves(content, all: other.content)
      && !(encloses(other.part) && isChosen(over: other))
  }

  /// Whether nothing has changed of what it was compared with.
  func isCurrent(_ db: Database) throws -> Bool {
    try Self.basis(Self.listed(beside: statement, db)) == basis
  }

  private static func basis(_ listed: [Listed]) -> [Int64: Basis] {
    listed.reduce(into: [:]) { basis, kept in
      basis[kept.part.id] = Basis(digest: kept.digest, progress: kept.progress)
    }
  }

  private mutating func read(_ other: Listed) throws -> Segment {
    let segment = try load(other.part.id, other.digest)
    // One that is not heeded yet may go as that is done.
    if other.isHeeded { namings[other.part.id] = segment.naming }
    return segment
  }

  /// Of two statements with the same borders that leave the same, everybody keeps the same one.
  private func isChosen(over other: Statement) -> Bool {
    digest < other.digest && Self.leaves(content, all: other.content)
      && Self.leaves(other.content, all: content)
  }

  /// Whether something of the stream was applied that is not kept: by an older program, or by this
  /// device, which was put back to before it published that.
  static func isIncomplete(_ statement: StatementTable.Kept, _ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.prepared(
        """
        SELECT EXISTS (SELECT 1 FROM unarchived WHERE stream = ?1)
          OR EXISTS (SELECT 1 FROM outbox WHERE stream = ?1 AND sequence BETWEEN ?2 AND ?3)
        """),
      arguments: [statement.stream, Int64(statement.first), Int64(statement.last)]) ?? false
  }

  private var own: SegmentArchive.Part {
    (statement.id, Int64(range.first), Int64(range.last))
  }

  private func encloses(_ part: SegmentArchive.Part) -> Bool {
    range.first <= part.first && part.last <= range.last
  }

  /// Whether a statement leaves all that one leaves which encloses it.
  private static func leaves(_ inner: Content, all outer: Content) -> Bool {
    inner.allSatisfy { fingerprint, operations in
      outer[fingerprint]?.keys.allSatisfy { operations[$0] != nil } ?? false
    }
  }

  /// - parameter others: what other statements leave.
  /// - returns: false if what is left of the transaction is something else than what it had.
  private mutating func note(
    _ transaction: Transaction, besides others: [Content], isCertain: Bool
  ) -> Bool {
    let fingerprint = transaction.header.fingerprint
    guard let left = content[fingerprint] else { return true }
    let lefts = others.compactMap { $0[fingerprint] }
    for (index, operation) in transaction.operations.all.enumerated() {
      let place = transaction.place(index)
      if let kept = left[place] {
        guard kept == operation else { return false }
      } else if lefts.allSatisfy({ $0[place] != nil }) {
        let dot = transaction.stamp(index).dot
        let former = omitted[operation.document, default: [:]]
          .updateValue(fingerprint, forKey: dot)
        if former == nil, !isCertain { uncertain.insert(operation.document) }
      }
    }
    return true
  }

  /// What is kept that shares transactions with a statement, or has what those lean on, in the
  /// order in which it is read.
  static func listed(
    beside statement: StatementTable.Kept, _ db: Database
  ) throws -> [Listed] {
    let before = UInt64(Outbox.wholeInterval)
    return try db.read(
      """
      SELECT id, progress, first, last, fingerprint, digest
      FROM archive LEFT JOIN statements ON segment = id
      WHERE stream = ?1 AND first <= ?2 AND last >= ?3 AND id <> ?4
      ORDER BY first, last, id
      """,
      [
        statement.stream, Int64(statement.last),
        Int64(statement.first > before ? statement.first - before : 1), statement.id,
      ]
    ) { row in
      Listed(
        part: (try row.value(0), try row.value(2), try row.value(3)),
        digest: UInt64(bitPattern: try row.value(5)), progress: try row.value(1),
        end: try Fingerprint(column: row.value(4) as Data))
    }
  }
}

extension StreamReading {
  /// The same, and knows where other statements leave the stream.
  ///
  /// What is kept may lean on one, whether that is heeded or not: if each had to wait for the
  /// others, none ever were.
  fileprivate func learning(
    _ statements: [StatementReading.Listed], _ load: StatementReading.Loader
  ) throws -> StreamReading {
    var reading = self
    for kept in statements {
      do {
        try reading.learn(load(kept.part.id, kept.digest))
      } catch is SegmentError {
        // One that has rotted tells nothing.
      }
    }
    return reading
  }
}
