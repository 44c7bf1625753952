import BlobStorage
import CanonicalJSON
import DocumentStorage
import Replication
import SystemFiles
import SystemPackage

/// Up to when all who are live have said that they know what was known here.
///
/// Who has not may just have referred again to what nothing refers to here any more. What is known
/// *now* everybody has hardly ever said where somebody always writes; so it is noted what was known
/// at a moment, and once that is claimed, the next moment. Noted beside the device's copies, as
/// ``BlobNotes`` are; who loses it begins anew.
struct BlobClaims {
  private struct Noted: Equatable {
    /// What was known at a moment, in milliseconds since 1970.
    var seen: Context
    var seenAt: Int64
    /// The last moment of which all was claimed.
    var claimedAt: Int64?
  }

  private static let name: FilePath.Component = "claimed.nosync"
  private static let maximumBytes = 1 << 20
  private let device: Device
  private let path: FilePath
  private let liveSince: Int64

  /// - parameter stream: Whose copies it is about: each directory has its own, beside the notes.
  init(device: Device, blobs: BlobFolder, stream: StreamID, _ limits: CompactionLimits) throws {
    self.device = device
    path = blobs.directory(of: stream).appending(Self.name)
    liveSince = try device.time(of: limits.horizon, limits)
  }

  /// The last moment of which all is claimed; nil if there is none, or something that others are
  /// known to have seen has not arrived.
  func moment() throws -> Int64? {
    let now = device.ambient.now()
    let (written, isSettled) = try device.database.settlement()
    let known = read()
    // A clock that was ahead has been put right.
    var noted =
      known.flatMap { $0.seenAt <= now ? $0 : nil }
      ?? Noted(seen: written, seenAt: now, claimedAt: nil)
    if try device.database.isClaimedByAll(noted.seen, liveSince: liveSince) {
      noted = Noted(seen: written, seenAt: now, claimedAt: noted.seenAt)
    }
    if noted != known { try write(noted) }
    return isSettled ? noted.claimedAt : nil
  }

  /// Begins anew: there is nothing for which it matters.
  func forget() {
    // Whoever finds it is only told of an earlier moment.
    try? device.container.files.remove(path)
  }

  private func read() -> Noted? {
    guard
      let bytes = try? device.container.files.contents(of: path, limit: Self.maximumBytes).bytes,
      case .object(let object)? = try? JSON(parsing: bytes),
      case .integer(let seenAt)? = object["seen_at"], case .array(let entries)? = object["seen"]
    else { return nil }
    var claimedAt: Int64?
    if case .integer(let moment)? = object["claimed_at"] { claimedAt = moment }
    let seen = entries.compactMap(Self.entry)
    guard seen.count == entries.count else { return nil }
    return Noted(seen: Context(seen), seenAt: seenAt, claimedAt: claimedAt)
  }

  private static func entry(_ json: JSON) -> Context.Entry? {
    guard case .array(let parts) = json, parts.count == 3, case .string(let stream) = parts[0],
      case .integer(let sequence) = parts[1], case .string(let fingerprint) = parts[2],
      let stream = StreamID(stream.description), sequence > 0,
      let fingerprint = Fingerprint(fingerprint.description)
    else { return nil }
    return Context.Entry(
      stream: stream, sequence: UInt64(sequence), fingerprint: fingerprint)
  }

  private func write(_ noted: Noted) throws {
    let seen = noted.seen.entries.map { entry in
      JSON.array([
        .string(ByteString(entry.stream.description)),
        .integer(Int64(clamping: entry.sequence)),
        .string(ByteString(entry.fingerprint.description)),
      ])
    }
    var object: JSONObject = ["seen_at": .integer(noted.seenAt), "seen": .array(seen)]
    if let claimedAt = noted.claimedAt { object["claimed_at"] = .integer(claimedAt) }
    try device.container.files.replaceDurably(
      path, with: JSON.object(object).canonicalBytes(), device.ambient)
  }
}

extension FileSystem {
  /// Writes a file in the place of another, and has the disk keep it.
  func replaceDurably(_ path: FilePath, with bytes: [UInt8], _ ambient: Ambient) throws(FileError) {
    let staged = path.removingLastComponent().appending(ambient.temporaryName())
    try publish(bytes, at: staged, temporaryName: ambient.temporaryName())
    do throws(FileError) {
      try rename(staged, to: path)
    } catch {
      // What failed first is what is told.
      try? remove(staged)
      throw error
    }
    try synchronizeDirectory(path.removingLastComponent())
  }
}
