import BlobStorage
import DocumentStorage
import Replication

/// Which blobs the operations refer to that this device keeps.
struct BlobNeeds {
  /// What any of them refers to, and so has to stay.
  private(set) var needed: Set<BlobHash> = []
  /// What those of this device refer to, and so it has to have.
  private(set) var own: Set<BlobHash> = []
  /// What tells whether that is still so.
  let stamp: DatabaseStamp

  /// - parameters:
  ///   - kept: the streams that this device answers for.
  ///   - limits: of how long ago something has to have arrived of a device for it to be waited for.
  init(device: Device, kept: Set<StreamID>, _ limits: CompactionLimits) throws {
    // Before the documents are read: what arrives between is in them, and keeps more at most.
    let isClaimed = try device.database.isAllClaimed(
      liveSince: device.time(of: limits.horizon, limits))
    var needed: Set<BlobHash> = []
    var own: Set<BlobHash> = []
    stamp = try device.database.forEachMention(of: BlobReference.mark) { mention in
      guard !(mention.isDeleted && isClaimed) else { return }
      let hashes = BlobHash.mentioned(in: mention.payload)
        .union(BlobHash.mentioned(in: mention.path.bytes))
      needed.formUnion(hashes)
      if kept.contains(mention.author) { own.formUnion(hashes) }
    }
    self.needed = needed
    self.own = own
  }
}
