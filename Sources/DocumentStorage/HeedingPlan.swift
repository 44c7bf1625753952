import Foundation
import GRDB
import Replication
import SegmentFormat

/// What is to be done to heed a statement (protocol.md 22), found out while nobody waits.
///
/// It holds as long as ``isCurrent(_:_:)`` says so.
struct HeedingPlan {
  /// A document of which a statement leaves something out that is here.
  struct Document {
    let key: DocumentKey
    /// With the fingerprints of the transactions.
    let dropped: [Dot: Fingerprint]
    /// Whether some of that may never have been taken in here.
    let isUncertain: Bool
  }

  /// Something that it rests on went while it was made.
  struct Outdated: Error {}

  let statement: StatementTable.Kept
  let reading: StatementReading
  /// In the order of their keys.
  let documents: [Document]
  /// Those of them that have to be written anew first: what goes shows with edits of this device
  /// (protocol.md 24).
  let dying: [Document]
  /// Whether all of it can go; else the statement is looked at again later.
  let isWhole: Bool
  /// How far it has been carried out.
  let mark: HeedingMark

  /// Whether it is noted by now that something has to stay, and nothing else.
  var isLeft: Bool {
    statement.progress == StatementTable.Progress.unfinished.rawValue && statement.heeding == nil
  }

  /// Makes it in many short turns in the database, for others in this process wait for each.
  ///
  /// What changes between them is seen when the plan is carried out.
  ///
  /// - parameters:
  ///   - found: the statement as it was found.
  ///   - due: the statements whose content was taken in.
  ///   - pace: So many documents are looked at in one turn.
  /// - returns: nil if it is heeded or gone by now, has to wait for another about some of its
  ///   transactions, or what is kept of those does not tell.
  /// - throws: ``Outdated`` if it has to be made anew.
  init?(
    _ found: StatementTable.Kept, besides due: Set<Int64>, in database: StoreDatabase,
    _ pace: HeedingPace
  ) throws {
    guard let (statement, listed, lineage) = try Self.basis(of: found, in: database),
      let reading = try Self.compared(statement, listed, lineage, besides: due, in: database)
    else { return nil }
    self.statement = statement
    self.reading = reading
    documents = reading.omitted.sorted { $0.key < $1.key }.map { key, dropped in
      Document(key: key, dropped: dropped, isUncertain: reading.uncertain.contains(key))
    }
    var (dying, isWhole, next) = ([] as [Document], true, 0)
    while next < documents.count {
      let some = documents[next..<pace.end(from: next, of: documents)]
      try database.read { db in
        let dropping = try DocumentDropping(database.streams(db), db)
        for document in some {
          let state = try dropping.state(of: document.key)
          isWhole = isWhole && state.canDrop(document.dropped)
          if dropping.revival(of: document, state) != nil { dying.append(document) }
        }
      }
      next = some.endIndex
    }
    (self.dying, self.isWhole) = (dying, isWhole)
    do {
      mark = try HeedingMark(documents, continuing: statement.heeding)
    } catch {
      throw StorageError.from(error, file: database.file)
    }
  }

  /// What it rests on, but for what segments hold.
  private static func basis(
    of found: StatementTable.Kept, in database: StoreDatabase
  ) throws -> (StatementTable.Kept, [StatementReading.Listed], Lineage.Stream?)? {
    try database.read { db in
      let streams = try database.streams(db)
      guard let statement = try StatementTable.open(found.id, streams: streams, db),
        // A number may be given again.
        statement.isSame(as: found),
        // What that one takes out is counted as it goes, and must not be counted twice.
        try !StatementTable.isAnotherBegun(statement, db),
        try !StatementReading.isIncomplete(statement, db)
      else { return nil }
      let stream = try streams.stream(number: statement.stream)
      return (
        statement, try StatementReading.listed(beside: statement, db),
        streams.frontier.lineage.streams[stream]
      )
    }
  }

  /// A statement beside what else is kept; nil if that cannot be told.
  private static func compared(
    _ statement: StatementTable.Kept, _ listed: [StatementReading.Listed],
    _ lineage: Lineage.Stream?, besides due: Set<Int64>, in database: StoreDatabase
  ) throws -> StatementReading? {
    do {
      var reading = try StatementReading(statement, lineage: lineage) { id, digest in
        let bytes = try database.read { try SegmentArchive.content(of: id, digest: digest, $0) }
        guard let bytes else { throw Outdated() }
        // Outside of the turn.
        return try SegmentFile.decode(bytes).segment
      }
      return try reading.compare(with: listed, besides: due) ? reading : nil
    } catch is SegmentError {
      // What has rotted in the archive is for `doctor` to tell, and stops no import.
      return nil
    }
  }

  /// Whether nothing that it was made of has changed, but for what was done by it.
  ///
  /// - parameter heeding: what it has noted last.
  func isCurrent(_ heeding: Data?, _ db: Database) throws -> Bool {
    let row = try Row.fetchOne(
      db.prepared(
        """
        SELECT progress, heeding FROM statements JOIN archive ON archive.id = segment
        WHERE segment = ? AND stream = ? AND digest = ?
        """), arguments: [statement.id, statement.stream, Int64(bitPattern: statement.digest)])
    guard let row, try row.value(0) == statement.progress, try row.value(1) == heeding else {
      return false
    }
    return try reading.isCurrent(db) && !StatementTable.isAnotherBegun(statement, db)
  }
}

/// How far a statement has been heeded, so that nothing is counted twice if the process dies.
struct HeedingMark {
  /// Of what is taken out.
  private let digest: UInt64
  /// How many documents are done, in the order of their keys.
  var done = 0
  /// Whether something else was to be taken out when it was begun: then what a document counts of
  /// what it has forgotten is not known any more.
  let isUncertain: Bool

  /// - parameter stored: what was noted; nil if nothing was.
  init(_ documents: [HeedingPlan.Document], continuing stored: Data?) throws {
    digest = Self.digest(of: documents)
    guard let stored else {
      isUncertain = false
      return
    }
    guard stored.count == 17, let flag = stored.last else { throw StoredBytes.damage }
    let numbers = stride(from: 0, to: 16, by: 8).map { start in
      stored.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard numbers[0] == digest else {
      isUncertain = true
      return
    }
    done = Int(truncatingIfNeeded: numbers[1])
    guard (0...documents.count).contains(done) else { throw StoredBytes.damage }
    isUncertain = flag == 1
  }

  var bytes: Data {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: digest)
    bytes.append(bigEndian: UInt64(done))
    bytes.append(isUncertain ? 1 : 0)
    return Data(bytes)
  }

  private static func digest(of documents: [HeedingPlan.Document]) -> UInt64 {
    var bytes: [UInt8] = []
    for document in documents {
      for text in [document.key.collection.bytes, document.key.id.bytes] {
        bytes.append(bigEndian: UInt64(text.count))
        bytes += text
      }
      bytes.append(bigEndian: UInt64(document.dropped.count))
      for (dot, fingerprint) in document.dropped.sorted(by: { precedes($0.key, $1.key) }) {
        bytes.append(bigEndian: dot.sequence)
        bytes.append(bigEndian: UInt64(dot.index))
        bytes += fingerprint.bytes
      }
    }
    return Digest.first64(bytes)
  }

  /// Of one stream.
  private static func precedes(_ first: Dot, _ second: Dot) -> Bool {
    (first.sequence, first.index) < (second.sequence, second.index)
  }
}
