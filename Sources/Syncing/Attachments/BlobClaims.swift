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
  /// What was known at a moment, in milliseconds since 1970.
  private struct Moment: Equatable {
    var seen: Context
    var at: Int64
  }

  private struct Noted: Equatable {
    /// That of which it is waited for that all claim it.
    var waiting: Moment
    /// The last of which that was so.
    var claimed: Moment?
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
    // A clock that was ahead has been put right; and what a database had that was put back since
    // nobody may ever claim.
    var noted =
      known.flatMap { $0.waiting.at <= now && $0.waiting.seen.isWithin(written) ? $0 : nil }
      ?? Noted(waiting: Moment(seen: written, at: now), claimed: nil)
    if try isClaimed(noted.waiting) {
      noted = Noted(waiting: Moment(seen: written, at: now), claimed: noted.waiting)
    }
    if noted != known {
      // What is so is so whether or not it is noted: on a full disk, what goes makes room.
      try? write(noted)
    }
    // Once more: somebody may be live since who has not claimed it.
    guard isSettled, let claimed = noted.claimed, try isClaimed(claimed) else { return nil }
    return claimed.at
  }

  private func isClaimed(_ moment: Moment) throws -> Bool {
    try device.database.isClaimedByAll(moment.seen, liveSince: liveSince)
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
      let waiting = Self.moment(object, "seen")
    else { return nil }
    return Noted(waiting: waiting, claimed: Self.moment(object, "claimed"))
  }

  private static func moment(_ object: JSONObject, _ name: String) -> Moment? {
    guard case .integer(let at)? = object[ByteString(name + "_at")],
      case .array(let entries)? = object[ByteString(name)]
    else { return nil }
    let seen = entries.compactMap(entry)
    return seen.count == entries.count ? Moment(seen: Context(seen), at: at) : nil
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

  private static func json(_ entry: Context.Entry) -> JSON {
    .array([
      .string(ByteString(entry.stream.description)), .integer(Int64(clamping: entry.sequence)),
      .string(ByteString(entry.fingerprint.description)),
    ])
  }

  private func write(_ noted: Noted) throws {
    var object = JSONObject()
    for (name, moment) in [("seen", noted.waiting), ("claimed", noted.claimed)] {
      guard let moment else { continue }
      object[ByteString(name + "_at")] = .integer(moment.at)
      object[ByteString(name)] = .array(moment.seen.entries.map(Self.json))
    }
    try device.container.files.replaceDurably(
      path, with: JSON.object(object).canonicalBytes(), device.ambient)
  }
}

extension Context {
  /// Whether it has seen no more than another.
  fileprivate func isWithin(_ other: Context) -> Bool {
    entries.allSatisfy { other.contains(stream: $0.stream, sequence: $0.sequence) }
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
