import BlobStorage
import DocumentStorage
import Replication

/// Which blobs the operations refer to that this device keeps.
struct BlobNeeds {
  /// What any of them refers to, and so has to stay.
  private(set) var needed: Set<BlobHash> = []
  /// What those refer to that this device alone wrote, and so it has to have; of others, whoever
  /// else wrote them has it.
  private(set) var own: Set<BlobHash> = []
  /// What tells whether that is still so.
  let stamp: DatabaseStamp

  /// - parameters:
  ///   - existing: the blobs that somebody has in the folder: no others are told, since whatever
  ///     looks like a hash is taken for one.
  ///   - limits: of how long ago something has to have arrived of a device for it to be waited for.
  init(device: Device, among existing: Set<BlobHash>, _ limits: CompactionLimits) throws {
    let sole = try Set(device.database.soleStreams())
    // Before the documents are read: what arrives between is in them, and keeps more at most.
    let isClaimed = try device.database.isAllClaimed(
      liveSince: device.time(of: limits.horizon, limits))
    var needed: Set<BlobHash> = []
    var own: Set<BlobHash> = []
    stamp = try device.database.forEachMention(of: BlobReference.mark) { mention in
      guard !(mention.isDeleted && isClaimed) else { return }
      let hashes = BlobHash.mentioned(in: mention.payload, among: existing)
        .union(BlobHash.mentioned(in: mention.path.bytes, among: existing))
      needed.formUnion(hashes)
      if sole.contains(mention.author) { own.formUnion(hashes) }
    }
    self.needed = needed
    self.own = own
  }
}
