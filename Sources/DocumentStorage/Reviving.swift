import GRDB
import Replication

/// A document that is to be written anew before what others have dropped of it is taken out.
struct Revival {
  let key: DocumentKey
  let steps: [EditPlan.Step]

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
  let now: HybridTime
  let nonce: UInt64
  let identity: DeviceIdentity

  /// Writes documents anew: in the transaction of the database that takes out what they were made
  /// of, or an edit made between the two would lose its ground.
  func write(_ revivals: [Revival], _ db: Database) throws {
    try beginStream(db)
    var writer = try StoreWriter(db, now: now, nonce: nonce, identity: identity)
    for revival in revivals {
      let isFull = writer.bytes + revival.bytes > StoreWriter.maximumBytes && writer.bytes > 0
      if isFull || writer.bytes > Self.transactionBytes {
        _ = try writer.finish()
        writer = try StoreWriter(db, now: now, nonce: nonce, identity: identity)
      }
      try writer.revive(revival)
    }
    _ = try writer.finish()
    try Outbox.fixBatches(db)
  }

  /// Makes the device go on under a stream that has said nothing yet.
  private func beginStream(_ db: Database) throws {
    guard let device = try DeviceRecord.current(db, identity)?.record else {
      throw StorageError.noDevice
    }
    guard try StreamDirectory(db).position(of: device.stream).sequence > 0 else { return }
    try DeviceRecord.beginStream(identity.mint(), db)
  }

  /// A transaction is ended when it has this many bytes: any number of documents may be revived.
  private static let transactionBytes = 4 << 20
}
