import DocumentStorage
import SegmentFormat

/// When segments are joined, and when the files of those that were may go.
package struct CompactionLimits: Sendable {
  /// So many segments of a level become one of the next.
  ///
  /// More make more files, fewer write each transaction more often.
  package let fanOut: Int
  /// At most so many become one at once, where many have gathered.
  package let mostParts: Int
  /// About how large a joined segment becomes, in bytes, where the stream is not large; one that is
  /// more than half as large is joined no more.
  ///
  /// It is held in memory, here and by every reader, with all that it unpacks to: fifty times as
  /// much where transactions are short. And a reader unpacks one while it takes in another, which
  /// it does well where both are small.
  package let bytes: Int
  /// At most so many operations, and bytes before compression, become one segment: a reader takes
  /// no more than twice or four times as much, and what is very regular is small only as it is
  /// stored.
  package let operations: Int
  package let bodyBytes: Int
  /// Nor become more transactions one segment than have so many entries in their contexts together,
  /// once those are complete.
  package let contextEntries: Int
  /// How long a file stays, in milliseconds, whose content another file has and no other device is
  /// known to have.
  ///
  /// A syncer may carry the removal before what takes the file's place, and this machine may burn
  /// between the two; by then what takes its place has been carried.
  ///
  /// And so long what is dead stays, since somebody may want to see or undo what covered it.
  package let grace: Int64
  /// Of how long ago something has to have arrived of a device, in milliseconds, for it to be
  /// waited for.
  ///
  /// What it had not seen by then may be dropped all the same; safety never depends on it, only
  /// whether what it writes on its return finds what it was made on.
  package let horizon: Int64
  /// How much of the time between two looks at the files counts at most for all that has to have
  /// been for some time, in milliseconds: a machine that was off has heard of nobody.
  package let attention: Int64
  /// Whether what is dead is dropped; what others have dropped is heeded all the same.
  package private(set) var drops: Bool
  /// For how long something may have been applied, in milliseconds, until this device says that it
  /// has it, though it has nothing else to say.
  ///
  /// Sooner makes more files, later lets others wait longer with what they could drop.
  package let silence: Int64
  /// How often a device looks by itself whether there is something to do, in milliseconds; 0 for
  /// never.
  package let interval: Int64
  /// A segment is written anew for what is dead of it if that is one operation of so many.
  let deadShare: Int
  /// And if it becomes smaller by that by one byte of so many; nil: whatever comes of it.
  ///
  /// What stands in the place of a transaction that is not whole any more, its fingerprint, takes
  /// more than a short edit did.
  package let savedShare: Int?
  /// How much is taken out at once of what was dropped.
  let heeding: HeedingPace

  /// - precondition: `fanOut` is at least 2, and the others are greater than zero, but for `grace`
  ///   and `interval`, which may be zero.
  package init(
    fanOut: Int, mostParts: Int, bytes: Int, grace: Int64, horizon: Int64 = 90 * 86_400_000,
    silence: Int64 = 6 * 3_600_000, interval: Int64 = 3_600_000,
    operations: Int = SegmentFile.maximumOperations / 2,
    bodyBytes: Int = SegmentFile.maximumBodyBytes / 4,
    contextEntries: Int = SegmentFile.writtenContextTotal, drops: Bool = true,
    deadShare: Int = 4, savedShare: Int? = nil, heeding: HeedingPace = .standard,
    attention: Int64 = .max
  ) {
    self.fanOut = fanOut
    self.mostParts = mostParts
    self.bytes = bytes
    self.operations = operations
    self.bodyBytes = bodyBytes
    self.contextEntries = contextEntries
    self.grace = grace
    self.horizon = horizon
    self.silence = silence
    self.interval = interval
    self.drops = drops
    self.deadShare = deadShare
    self.savedShare = savedShare
    self.heeding = heeding
    self.attention = attention
  }

  /// About how large a joined segment becomes: larger in a large stream, so that its files stay
  /// few, but not beyond 2 MiB for that.
  ///
  /// - parameter size: how large all of the stream's segments are together.
  package func bytes(ofStreamWith size: Int) -> Int {
    var bytes = bytes
    while bytes < 2 << 20, size / bytes > Self.manyFiles { bytes = min(bytes * 2, 2 << 20) }
    return bytes
  }

  private static let manyFiles = 128

  /// The same, and nothing is dropped.
  var keepingAll: CompactionLimits {
    var limits = self
    limits.drops = false
    return limits
  }

  /// What holds where a user has said nothing.
  package static let standard = CompactionLimits(
    fanOut: 32, mostParts: 1024, bytes: 256 << 10, grace: 7 * 86_400_000,
    savedShare: 8, attention: 36 * 3_600_000)
}

extension Device {
  /// The time before which something has to have happened to have been for so long, as far as this
  /// device has looked after its files meanwhile.
  ///
  /// - parameter age: in milliseconds.
  /// - returns: in milliseconds since 1970.
  func time(of age: Int64, _ limits: CompactionLimits) throws -> Int64 {
    try database.time(age, before: ambient.now(), countingAtMost: limits.attention)
  }
}
