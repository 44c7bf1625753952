import BlobStorage
import DocumentStorage
import Replication

/// Which blobs the operations refer to that this device keeps.
struct BlobNeeds {
  /// What any of them refers to, and so has to stay.
  private(set) var needed: Set<BlobHash> = []
  /// What those refer to that this device alone wrote, and so it has to have; of others, whoever
  /// else wrote them has it, unless they have not heard of it for some time that this device has
  /// edited the document.
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
    let untold = try UntoldEdits(device: device, limits)
    var needed: Set<BlobHash> = []
    var own: Set<BlobHash> = []
    stamp = try device.database.forEachMention(of: BlobReference.mark) { mention in
      guard !(mention.isDeleted && isClaimed) else { return }
      let hashes = BlobHash.mentioned(in: mention.payload, among: existing)
        .union(BlobHash.mentioned(in: mention.path.bytes, among: existing))
      needed.formUnion(hashes)
      if sole.contains(mention.author) || !hashes.isEmpty && untold.hold(mention.shown) {
        own.formUnion(hashes)
      }
    }
    self.needed = needed
    self.own = own
  }
}

/// What this device wrote and somebody does not say to have.
///
/// Who deletes a document knowing nothing of an edit, and then forgets it, takes its content away;
/// and the edit brings the document back.
private struct UntoldEdits {
  private let stream: StreamID
  /// How far all others say that they have it; nil where there are none.
  private let told: UInt64?
  /// How far those say it who may wait for this device no more, or not yet: who has not been heard
  /// of for as long may not have heard either.
  private let toldUnwaited: UInt64?
  /// Half a grace ago, in milliseconds since 1970: those who wait are waited for.
  private let moment: Int64

  init(device: Device, _ limits: CompactionLimits) throws {
    stream = try device.database.device()?.stream ?? device.record.stream
    let peers = try device.database.peers(liveSince: device.time(of: limits.horizon, limits))
    told = peers.map(\.has).min()
    toldUnwaited = peers.filter { !$0.isLive || $0.has == 0 }.map(\.has).min()
    moment = try device.time(of: limits.grace / 2, limits)
  }

  func hold(_ stamps: [Stamp]) -> Bool { stamps.contains(where: holds) }

  private func holds(_ stamp: Stamp) -> Bool {
    guard stamp.dot.stream == stream else { return false }
    if let toldUnwaited, stamp.dot.sequence > toldUnwaited { return true }
    guard let told, stamp.dot.sequence > told else { return false }
    return Int64(stamp.time.milliseconds) <= moment
  }
}
