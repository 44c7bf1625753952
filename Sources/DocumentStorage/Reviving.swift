import GRDB
import Replication

/// A document that is to be written anew before what others have dropped of it is taken out.
struct Revival {
  let key: DocumentKey
  let steps: [EditPlan.Step]
  /// That of what it restates.
  let time: HybridTime

  /// About how large it is in a transaction.
  var bytes: Int {
    StoreWriter.bytes(of: key, steps.lazy.map { $0.payload.count + $0.path.bytes.count })
  }
}

extension StoreWriter {
  /// About how much larger operations on a document make a transaction.
  ///
  /// - parameter operations: how many bytes the payload and the path of each have.
  static func bytes(of key: DocumentKey?, _ operations: some Sequence<Int>) -> Int {
    // A document stands once in a segment's table, whatever the number of its operations. At 48
    // bytes each, `maximumBytes` are as many as a segment may have at most.
    operations.reduce((key?.id.bytes.count ?? 0) + 32) { $0 + $1 + 48 }
  }
}

/// Writes documents anew that others had deleted, and forgotten, while they were edited here
/// (protocol.md 24).
///
/// Under a stream of its own: only its first transaction can claim to have seen nothing, and what
/// is written anew must cover nothing. The device goes on under that stream.
struct Reviving {
  let nonce: UInt64
  let identity: DeviceIdentity

  /// Writes documents anew: in the transaction of the database that takes out what they were made
  /// of, or an edit made between the two would lose its ground.
  func write(_ revivals: [Revival], _ db: Database) throws {
    try beginStream(db)
    var writer: StoreWriter?
    // A transaction has one time, and each is later than the one before.
    for revival in revivals.sorted(by: { ($0.time, $0.key) < ($1.time, $1.key) }) {
      if let full = writer, !full.hasRoom(for: revival) {
        try finish(&writer)
      }
      var next =
        try writer
        ?? StoreWriter(db, notBefore: revival.time, nonce: nonce, identity: identity)
      // Held twice, all that it has would be copied for each document.
      writer = nil
      try next.revive(revival)
      writer = next
    }
    try finish(&writer)
    try Outbox.fixBatches(db)
  }

  private func finish(_ writer: inout StoreWriter?) throws {
    _ = try writer?.finish()
    writer = nil
  }

  /// Makes the device go on under a stream that has said nothing yet.
  private func beginStream(_ db: Database) throws {
    guard let device = try DeviceRecord.current(db, identity)?.record else {
      throw StorageError.noDevice
    }
    guard try StreamDirectory(db).position(of: device.stream).sequence > 0 else { return }
    try DeviceRecord.beginStream(identity.mint(), db)
  }
}

extension StoreWriter {
  /// A transaction is ended when it has this many bytes: any number of documents may be revived.
  private static let revivalBytes = 4 << 20

  /// Whether another document may be written anew in the same transaction.
  fileprivate func hasRoom(for revival: Revival) -> Bool {
    header.time >= revival.time && bytes <= Self.revivalBytes
      && bytes + revival.bytes <= Self.maximumBytes
  }
}
