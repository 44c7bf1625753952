import CanonicalJSON
import Foundation
import GRDB
import Replication
import SegmentFormat

/// A document as it stood at one moment.
package struct StoredDocument: Sendable {
  package let key: DocumentKey
  /// The canonical body.
  package let body: [UInt8]
  package let token: VersionToken
  /// Where a newer version has written what this one cannot show.
  package let newerPaths: [Path]
}

/// What is known of one device's stream.
package struct StreamSummary: Sendable, Equatable {
  package let stream: StreamID
  package let name: String?
  /// The last applied transaction of each branch; a stream has several if its device was cloned.
  package let tips: [Context.Entry]
  /// How many branches it is known to have.
  package let branches: Int
  /// Whether this device writes it.
  package let isOwn: Bool
  /// Whether this device wrote it before it found itself cloned or restored.
  package let wasOwn: Bool
  /// The last applied transaction of the branch that has got furthest.
  package var tip: Context.Entry {
    tips.max() ?? Context.Entry(stream: stream, sequence: 0, fingerprint: .origin)
  }
  /// How far it is applied on the branch that has got furthest.
  package var applied: UInt64 { tip.sequence }
  /// Since when its device is known never to come back, in milliseconds since 1970.
  package let retiredAt: Int64?
  /// When something of it arrived last, in milliseconds since 1970, if any has since then; nil if
  /// nothing has.
  ///
  /// It has come back, and is waited for as others are.
  package let returnedAt: Int64?
  /// When the last applied transaction was written by its author's clock, in milliseconds since
  /// 1970; nil if there is none.
  package let writtenAt: Int64?
  /// Since when something is missing, in milliseconds since 1970.
  package let gapSince: Int64?
  /// What was missing and is given up; nil if nothing is.
  package let givenUp: GivenUp?

  package struct GivenUp: Sendable, Equatable {
    /// The last transaction that was given up.
    package let last: UInt64
    /// In milliseconds since 1970.
    package let at: Int64
  }
}

/// Counts that `status` shows.
package struct StoreCounts: Sendable, Equatable {
  package let documents: Int
  package let conflicts: Int
  package let unpublished: Int
  package let pendingRemovals: Int
  /// Documents with operations of newer versions.
  package let newerDocuments: Int
  /// Transactions with such operations: they are not claimed before an upgrade.
  package let newerTransactions: Int
}

/// One consistent state of the store; valid only while it is being read.
package struct StoreSnapshot {
  let db: Database
  let streams: StreamDirectory
  private let table: DocumentTable
  private let known = Known()

  /// What is worked out once for all that is read.
  private final class Known {
    /// What its reader has seen, which takes a look at all that is open.
    var seen: Context?
  }

  init(_ db: Database, streams: StreamDirectory) throws {
    self.db = db
    self.streams = streams
    table = try DocumentTable(db)
  }

  func state(of key: DocumentKey) throws -> DocumentState {
    try table.state(of: key, streams: streams)
  }

  /// A document's body and version; nil if it is absent.
  package func document(at key: DocumentKey) throws -> StoredDocument? {
    let state = try state(of: key)
    let view = state.view()
    guard let body = view.body else { return nil }
    let seen = known.seen ?? streams.frontier.seen
    known.seen = seen
    guard
      let token = VersionToken(
        of: view, in: state, frontier: streams.frontier, seen: seen, digest: Digest.token)
    else { return nil }
    return StoredDocument(key: key, body: body, token: token, newerPaths: state.newerPaths())
  }

  /// The collections that have visible documents, sorted.
  package func collectionNames() throws -> [ByteString] {
    try table.collections.sorted.filter { collection in
      try Int.fetchOne(
        db.prepared("SELECT 1 FROM documents WHERE collection = ? AND visible LIMIT 1"),
        arguments: [collection.number]) != nil
    }.map(\.name)
  }

  /// Calls `body` with the id of each visible document of a collection, sorted.
  package func forEachID(
    in collection: ByteString, _ body: (ByteString) throws -> Void
  ) throws {
    guard let number = table.collections.number(of: collection) else { return }
    try table.forEachVisible(in: number, columns: "id") { try body(ByteString($0[0] as String)) }
  }

  /// Calls `body` with each visible document and its canonical body, sorted by collection and id.
  ///
  /// Read as it is needed, so any number of documents takes the memory of one.
  package func forEachDocument(
    in collection: ByteString? = nil, _ body: (DocumentKey, [UInt8]) throws -> Void
  ) throws {
    for entry in table.collections.sorted where collection == nil || collection == entry.name {
      try table.forEachVisible(in: entry.number) { row in
        let state = try StateCoding.decode(
          try [UInt8](row.value("state") as Data), streams: streams,
          lineage: streams.frontier.lineage)
        guard let content = state.view().body else { return }
        try body(
          DocumentKey(collection: entry.name, id: ByteString(try row.value("id") as String)),
          content)
      }
    }
  }
}

extension StoreWriter {
  /// The store as it stood before this transaction.
  package func committed() throws -> StoreSnapshot { try StoreSnapshot(db, streams: streams) }
}

extension StoreDatabase {
  /// Reads any number of things from one consistent state.
  package func readSnapshot<Result>(
    _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    try read { db in try body(try StoreSnapshot(db, streams: streams(db))) }
  }

  /// A document's body and version; nil if it is absent.
  package func document(at key: DocumentKey) throws -> StoredDocument? {
    try readSnapshot { try $0.document(at: key) }
  }

  /// The collections that have visible documents, sorted.
  package func collectionNames() throws -> [ByteString] {
    try readSnapshot { try $0.collectionNames() }
  }

  /// As ``StoreSnapshot/forEachID(in:_:)``.
  package func forEachID(
    in collection: ByteString, _ body: (ByteString) throws -> Void
  ) throws {
    try readSnapshot { try $0.forEachID(in: collection, body) }
  }

  /// As ``StoreSnapshot/forEachDocument(in:_:)``.
  package func forEachDocument(
    in collection: ByteString? = nil, _ body: (DocumentKey, [UInt8]) throws -> Void
  ) throws {
    try readSnapshot { try $0.forEachDocument(in: collection, body) }
  }

  package func counts() throws -> StoreCounts {
    try read { db in
      func count(_ sql: String) throws -> Int { try Int.fetchOne(db.prepared(sql)) ?? 0 }
      return StoreCounts(
        documents: try count("SELECT count(*) FROM documents WHERE visible"),
        conflicts: try count(
          "SELECT coalesce(sum(conflicts), 0) FROM documents INDEXED BY conflicted"
            + " WHERE conflicts > 0"),
        unpublished: try count("SELECT count(*) FROM outbox"),
        pendingRemovals: try count(
          "SELECT coalesce(sum(pending), 0) FROM documents INDEXED BY waiting WHERE pending > 0"),
        newerDocuments: try count(
          "SELECT count(*) FROM documents INDEXED BY newer WHERE newer > 0"),
        newerTransactions: try count("SELECT count(*) FROM newer_transactions"))
    }
  }

  /// All streams met, sorted by id.
  package func streamSummaries() throws -> [StreamSummary] {
    try read { db in
      let own = try device(db)?.stream
      let streams = try streams(db)
      let returns = try StreamDirectory.returns(db)
      return streams.all.map { row in
        let tips = row.positions.filter { $0.sequence > 0 }.map {
          Context.Entry(stream: row.stream, sequence: $0.sequence, fingerprint: $0.fingerprint)
        }
        let isForked = streams.frontier.lineage.streams[row.stream]?.isForked ?? false
        return StreamSummary(
          stream: row.stream, name: streams.name(of: row.stream), tips: tips,
          branches: isForked ? tips.count : min(tips.count, 1), isOwn: row.stream == own,
          wasOwn: row.isOwn && row.stream != own,
          retiredAt: row.retiredAt, returnedAt: returns[row.number],
          writtenAt: row.positions.filter { $0.sequence > 0 }.map(\.time).max()
            .map { Int64($0.milliseconds) },
          gapSince: row.gapSince,
          givenUp: streams.frontier.givenUp[row.stream].map {
            StreamSummary.GivenUp(last: $0, at: row.givenUpAt ?? 0)
          })
      }
    }
  }

  /// The sequence of the last transaction that this device wrote; 0 if it wrote none.
  package func ownSequence() throws -> UInt64 {
    try read { db in
      guard let own = try device(db)?.stream else { return 0 }
      return try streams(db).position(of: own).sequence
    }
  }

  /// The last transaction that this device wrote under its present stream; nil if it wrote none.
  package func ownTip() throws -> Context.Entry? {
    try read { db in
      guard let own = try device(db)?.stream else { return nil }
      let position = try streams(db).position(of: own)
      guard position.sequence > 0 else { return nil }
      return Context.Entry(
        stream: own, sequence: position.sequence, fingerprint: position.fingerprint)
    }
  }

  /// Whether a transaction is applied, and not another one of its number.
  package func holds(_ transaction: Context.Entry) throws -> Bool {
    try read { db in try streams(db).holding(transaction, db) == .held }
  }

  /// How far each stream is applied, and the names that count as imported.
  package func importedNames() throws -> ImportedNames {
    try read { db in
      let streams = try streams(db)
      var names = ImportedNames()
      for row in streams.all {
        names.applied[row.stream] = row.positions.map(\.sequence).max()
        names.givenUp[row.stream] = streams.frontier.givenUp[row.stream]
      }
      // What the archive lacks counts as not imported, so that the next scan reads it once more.
      let lacks = try db.integer("SELECT EXISTS (SELECT 1 FROM unarchived)") == 1
      let isKept = """
        AND NOT EXISTS (SELECT 1 FROM unarchived
          WHERE unarchived.stream = known.stream AND unarchived.first = known.first
            AND unarchived.last = known.last AND unarchived.digest = known.digest)
        """
      let sql = "SELECT stream, first, last, digest FROM segments AS known WHERE named "
      try db.forEachRow(sql + (lacks ? isKept : "")) { row in
        names.segments.insert(
          ImportedNames.Name(
            stream: try streams.stream(number: row.value(0)), first: try row.number(1),
            last: try row.number(2), digest: UInt64(bitPattern: try row.value(3))))
      }
      return names
    }
  }

  /// Notes since when something of these streams is missing; streams left out have no gap.
  ///
  /// - returns: the streams that have a gap now and had none before.
  package func noteGaps(_ streams: Set<StreamID>, now: Int64) throws -> [StreamID: Int64] {
    let known = try streamSummaries()
    let since = Dictionary(
      uniqueKeysWithValues: known.compactMap { row in row.gapSince.map { (row.stream, $0) } })
    guard Set(since.keys) != streams else { return since }
    return try write { db in
      var directory = try StreamDirectory(db)
      var result: [StreamID: Int64] = [:]
      try db.run("UPDATE streams SET gap_since = NULL WHERE gap_since IS NOT NULL")
      for stream in streams {
        let start = since[stream] ?? now
        result[stream] = start
        try db.run(
          "UPDATE streams SET gap_since = ? WHERE id = ?",
          [start, try directory.number(of: stream, db)])
      }
      return result
    }
  }
}

/// What the folder's names are compared with.
package struct ImportedNames: Sendable {
  package struct Name: Hashable, Sendable {
    package let stream: StreamID
    package let first: UInt64
    package let last: UInt64
    package let digest: UInt64

    package init(stream: StreamID, first: UInt64, last: UInt64, digest: UInt64) {
      self.stream = stream
      self.first = first
      self.last = last
      self.digest = digest
    }

    /// What is of the content alone tells most names apart, and there are many.
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
  }

  package var applied: [StreamID: UInt64] = [:]
  /// Up to where what is missing is given up.
  package var givenUp: [StreamID: UInt64] = [:]
  package var segments: Set<Name> = []

  package init() {}
}
