import Foundation
import GRDB
import Replication
import SegmentFormat
import SystemPackage

/// Local transactions on their way into the folder.
///
/// The borders of a batch are fixed in the database before its file is written, so that whoever
/// publishes it, and however often, writes the same name (protocol.md 32).
package enum Outbox {
  /// A segment to be published.
  package struct Batch: Sendable {
    package let first: UInt64
    package let last: UInt64
    package let segment: Segment
    /// As a process may have written it while the stream was the device's, and then have ended.
    package let earlier: Segment?
    /// The fingerprint of the last transaction.
    let fingerprint: Fingerprint

    /// - parameter isFormer: whether another branch of the stream may have been written, and drop
    ///   what this leans on.
    fileprivate init(_ stored: Stored, isFormer: Bool) throws {
      first = UInt64(stored.first)
      last = UInt64(stored.last)
      (segment, fingerprint) = try stored.segment(mayLean: !isFormer)
      earlier = isFormer && first == last ? try stored.segment(mayLean: true).segment : nil
    }
  }

  /// A batch is closed when it holds this much; a larger transaction is a batch alone.
  static let batchBytes = 2 << 20
  static let batchTransactions = 4096
  /// Of this many lone transactions one is written whole.
  ///
  /// So a stream can be read behind something that is lost; more would make small files larger.
  static let wholeInterval: Int64 = 64

  /// Refuses a context that readers would set aside: what cannot be published, not even by a device
  /// that is made anew, must not be acknowledged.
  ///
  /// - throws: ``StorageError/contextTooLarge(entries:)``
  package static func check(_ context: Context) throws(StorageError) {
    guard context.entries.count <= SegmentFile.writtenContextEntries else {
      throw .contextTooLarge(entries: context.entries.count)
    }
  }

  static func append(
    _ transaction: Transaction, after previous: StreamPosition, container: ContainerID,
    streams: inout StreamDirectory, _ db: Database
  ) throws {
    let sequence = transaction.header.sequence
    let segment = Segment(
      range: Segment.Range(
        container: container, stream: transaction.header.stream, first: sequence,
        last: sequence, fingerprintBefore: previous.fingerprint),
      attributes: [], transactions: [EncodedTransaction(transaction, after: nil)])
    let content = SegmentFile.encode(segment, compressing: false).bytes
    // What no segment can carry must not be acknowledged.
    guard content.count <= SegmentFile.maximumBodyBytes else {
      throw StorageError.transactionTooLarge(bytes: content.count)
    }
    let context = try ContextCoding.encode(previous.context) { try streams.number(of: $0, db) }
    try db.run(
      "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)",
      bound: [
        .integer(try streams.number(of: transaction.header.stream, db)),
        .integer(Int64(sequence)), .integer(Int64(content.count)), .blob(context),
        .integer(Int64(bitPattern: previous.time.rawValue)),
        .integer(previous.nonce.map { Int64(bitPattern: $0) }), .blob(content),
      ])
  }

  /// Where what no batch holds yet is to be divided: of the stream that the device writes now,
  /// since a former one was divided when it ended.
  static func openBorders(_ db: Database) throws -> [(first: Int64, last: Int64)] {
    let rows = try Row.fetchCursor(
      db.prepared(
        """
        SELECT sequence, bytes FROM outbox JOIN device ON device.stream = outbox.stream
        WHERE sequence > (SELECT coalesce(max(last), 0) FROM batches
          WHERE batches.stream = device.stream)
        ORDER BY sequence
        """))
    var borders: [(first: Int64, last: Int64)] = []
    var bytes = 0
    while let row = try rows.next() {
      let sequence: Int64 = try row.value(0)
      let size: Int = try row.value(1)
      guard sequence > 0, 0...SegmentFile.maximumBodyBytes ~= size else {
        throw StoredBytes.damage
      }
      if let current = borders.last, bytes + size <= batchBytes,
        sequence - current.first < batchTransactions
      {
        borders[borders.count - 1].last = sequence
        bytes += size
      } else {
        borders.append((sequence, sequence))
        bytes = size
      }
    }
    return borders
  }

  /// Divides what no batch holds yet into batches.
  ///
  /// - returns: whether the first of them tells the others what this device is called.
  @discardableResult
  static func fixBatches(_ db: Database) throws -> Bool {
    let borders = try openBorders(db)
    guard let first = borders.first, let device = try DeviceRecord.fetch(db) else { return false }
    // The name travels when it is new to the readers: with the first segment, or once changed.
    let published = try String.fetchOne(db.prepared("SELECT published_name FROM device"))
    // By bytes, as the column is compared.
    let isNew = published.map { !$0.utf8.elementsEqual(device.name.utf8) } ?? true
    if isNew { try noteName(device, from: first.first, db) }
    for border in borders {
      let introduction =
        isNew && border == first
        ? try Introduction(of: device.name, from: border.first, db) : Introduction()
      try db.run(
        """
        INSERT INTO batches(stream, first, last, device_name, former_streams)
          SELECT stream, ?, ?, ?, ? FROM device
        """,
        [border.first, border.last, introduction.name, introduction.storedStreams])
    }
    // Not each time: the row has a page of its own.
    if isNew { try db.run("UPDATE device SET published_name = name") }
    return isNew
  }

  /// Notes this device's name as those will who read the file that begins with `sequence`.
  private static func noteName(
    _ device: DeviceRecord, from sequence: Int64, _ db: Database
  ) throws {
    let sql = """
      SELECT content FROM outbox WHERE stream = (SELECT stream FROM device) AND sequence = ?
      """
    let content = try Data.fetchOne(db.prepared(sql), arguments: [sequence]) ?? Data()
    let stored = try SegmentFile.decode([UInt8](content)).segment
    let position = StreamPosition(
      sequence: stored.range.first - 1, fingerprint: stored.range.fingerprintBefore,
      context: Context())
    guard let first = try stored.transactions(after: position).first else {
      throw StoredBytes.damage
    }
    var streams = try StreamDirectory(db)
    try streams.learn(
      LearntName(name: device.name, time: first.header.time), of: device.stream, db)
    try streams.save(db)
  }

  /// What waits, as it is stored: to make a segment of it takes the database no longer.
  struct Stored: Sendable {
    /// Where the stream stood before a transaction, but for its number.
    fileprivate struct Start {
      let context: [UInt8]
      let time: Int64
      let nonce: Int64?
    }

    fileprivate let first: Int64
    fileprivate let last: Int64
    fileprivate let introduction: Introduction
    fileprivate let streams: StreamDirectory
    fileprivate let contents: [[UInt8]]
    /// Of a lone transaction that may lean on the one before it.
    fileprivate let start: Start?
  }

  static func stored(
    of stream: Int64, first: Int64, last: Int64, introduction: Introduction,
    streams: StreamDirectory, _ db: Database
  ) throws -> Stored {
    let rows = try Row.fetchCursor(
      db.prepared(
        """
        SELECT * FROM outbox WHERE stream = ? AND sequence BETWEEN ? AND ? ORDER BY sequence
        """),
      arguments: [stream, first, last])
    var contents: [[UInt8]] = []
    var start: Stored.Start?
    while let row = try rows.next() {
      contents.append(try [UInt8](row.value("content") as Data))
      // The first of several may not lean on anything.
      guard first == last, first % wholeInterval != 0 else { continue }
      start = Stored.Start(
        context: try [UInt8](row.value("previous_context") as Data),
        time: try row.value("previous_time"), nonce: try row.value("previous_nonce"))
    }
    return Stored(
      first: first, last: last, introduction: introduction, streams: streams,
      contents: contents, start: start)
  }
}

extension Outbox.Stored {
  /// The segment that this is to be published as.
  ///
  /// - parameter mayLean: whether it may, if it is a lone transaction, lean on the one before it.
  func segment(
    mayLean: Bool = true
  ) throws -> (segment: Segment, fingerprint: Fingerprint) {
    var encoded: [EncodedTransaction] = []
    var previous: StreamPosition?
    var range: Segment.Range?
    for content in contents {
      let stored = try SegmentFile.decode(content).segment
      let position = StreamPosition(
        sequence: stored.range.first - 1, fingerprint: stored.range.fingerprintBefore,
        context: Context())
      if mayLean, let start {
        previous = StreamPosition(
          sequence: position.sequence, fingerprint: position.fingerprint,
          context: try ContextCoding.decode(start.context, streams: streams),
          time: HybridTime(rawValue: UInt64(bitPattern: start.time)),
          nonce: start.nonce.map { UInt64(bitPattern: $0) })
      }
      for transaction in try stored.transactions(after: position) {
        encoded.append(EncodedTransaction(transaction, after: previous))
        previous = StreamPosition(after: transaction.header)
      }
      range = range ?? stored.range
    }
    guard let range, let previous, encoded.count == Int(last - first) + 1
    else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the outbox has a hole")
    }
    let segment = Segment(
      range: Segment.Range(
        container: range.container, stream: range.stream, first: UInt64(first),
        last: UInt64(last), fingerprintBefore: range.fingerprintBefore),
      attributes: introduction.attributes, transactions: encoded)
    return (segment, previous.fingerprint)
  }
}

extension StoreDatabase {
  /// Divides what waits to be published into batches, whose borders stay.
  package func fixBatches() throws {
    let isNeeded = try read { db in
      try Bool.fetchOne(
        db.prepared(
          """
          SELECT EXISTS (SELECT 1 FROM outbox WHERE stream = (SELECT stream FROM device)
            AND sequence > (SELECT coalesce(max(last), 0) FROM batches
              WHERE stream = (SELECT stream FROM device)))
          """)) ?? false
    }
    guard isNeeded else { return }
    try write { db in _ = try Outbox.fixBatches(db) }
  }

  /// The streams of which batches wait, and whether each is that which the device writes now; that
  /// one is last, since a former one's number is less.
  package func batchedStreams() throws -> [(stream: Int64, isPresent: Bool)] {
    try read { db in
      let present = try Int64.fetchOne(db.prepared("SELECT stream FROM device"))
      return try Int64.fetchAll(db.prepared("SELECT DISTINCT stream FROM batches ORDER BY stream"))
        .map { (stream: $0, isPresent: $0 == present) }
    }
  }

  /// The next batch to publish, a former stream's first; nil if all is in the folder.
  package func nextBatch() throws -> Outbox.Batch? {
    for (stream, _) in try batchedStreams() {
      if let batch = try nextBatch(of: stream) { return batch }
    }
    return nil
  }

  /// The next batch to publish of a stream; nil if all of it is in the folder.
  ///
  /// Whoever writes meanwhile waits only for it to be read, not for what is made of it.
  package func nextBatch(of stream: Int64) throws -> Outbox.Batch? {
    let found = try read { db in
      let sql = "SELECT * FROM batches WHERE stream = ? ORDER BY first LIMIT 1"
      guard let row = try Row.fetchOne(db.prepared(sql), arguments: [stream])
      else { return nil as (stored: Outbox.Stored, isFormer: Bool)? }
      let stored = try Outbox.stored(
        of: stream, first: row.value("first"), last: row.value("last"),
        introduction: Introduction(row), streams: streams(db), db)
      let present = try Int64.fetchOne(db.prepared("SELECT stream FROM device"))
      return (stored, present != stream)
    }
    guard let found else { return nil }
    do {
      return try Outbox.Batch(found.stored, isFormer: found.isFormer)
    } catch {
      throw StorageError.from(error, file: file)
    }
  }

  /// Notes that a batch is in the folder, and keeps its file's content in the archive.
  ///
  /// Should power fail before that is on disk, the batch is published once more, and found to be
  /// there, as where the process dies in between.
  ///
  /// - parameter file: its content, and the digest that belongs in its name.
  /// - parameter hasOwnName: whether the file stands under that name.
  /// - parameter home: where the container was when the device was opened.
  /// - returns: false, with nothing noted, if `init` has meanwhile made another folder the
  ///   device's: that one must get the batch, too.
  package func markPublished(
    _ batch: Outbox.Batch, file: SegmentFile.Encoded, hasOwnName: Bool = true, home: FilePath
  ) throws -> Bool {
    defer { countStreamChange() }
    var known: ReadCache.Known?
    let isNoted = try writeRepeatable { db in
      guard let device = try readCache.device(db, isWriting: true), device.record.path == home
      else { return false }
      var streams = try readCache.streams(db, isWriting: true)
      let range = batch.segment.range
      let stream = try streams.number(of: range.stream, db)
      try SegmentRecords.note(
        range, digest: file.digest, hasOwnName: hasOwnName, fingerprint: batch.fingerprint,
        stream: stream, db)
      try SegmentArchive.store(
        file.bytes, of: range, digest: file.digest, fingerprint: batch.fingerprint,
        stream: stream, db)
      try db.run(
        "DELETE FROM batches WHERE stream = ? AND first = ?", [stream, Int64(batch.first)])
      try db.run(
        "DELETE FROM outbox WHERE stream = ? AND sequence BETWEEN ? AND ?",
        [stream, Int64(batch.first), Int64(batch.last)])
      known = try ReadCache.Known(streams.asStored, device, leftBy: db)
      return true
    }
    readCache.keep(known)
    return isNoted
  }

  /// How many local transactions are not known to be in the folder.
  package func unpublishedCount() throws -> Int {
    try read { db in try Int.fetchOne(db.prepared("SELECT count(*) FROM outbox")) ?? 0 }
  }
}
