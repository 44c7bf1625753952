import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Files in which a process keeps what it claims and what it presents, so that the next arbiter
/// knows.
///
/// They are written before the arbiter is asked or told, and after the end of a claim, so whatever
/// an arbiter may have granted or known stands there. The lock of the first tells whether the
/// process lives; they are read only after the arbiter has ended.
final class MemberRecord: Sendable {
  private let member: UInt64
  private let place: CoordinationPlace
  private let claims: RecordFile
  private let presented = Mutex<PresentedFile?>(nil)
  private let lock: FileLock

  static let maximumBytes = 1 << 24

  /// Makes the file of a process.
  init(member: UInt64, in place: CoordinationPlace) throws(FileError) {
    self.member = member
    self.place = place
    let path = Self.path(of: member, in: place)
    let files = LinuxFileSystem()
    while true {
      let lock = try files.lock(path, exclusive: true, wait: true, holder: [])
      do {
        claims = try RecordFile(at: path)
        self.lock = lock
        return
      } catch {
        // An arbiter that found it without its lock has removed it.
        guard error == .noSuchFileOrDirectory else { throw FileError(.open, path, error) }
      }
    }
  }

  /// Replaces the claims that stand there.
  func write(_ process: CoordinatingProcess, _ requests: [ClaimRequest]) throws(FileError) {
    var writer = WireWriter()
    if !requests.isEmpty {
      process.write(to: &writer)
      writer.put(list: requests) { $1.write(to: &$0) }
    }
    try claims.replace(by: writer.bytes)
  }

  /// Replaces the presenters that stand there.
  func write(
    _ process: CoordinatingProcess, presenting records: [PresenterRecord]
  ) throws(FileError) {
    try presented.withLock { (presented) throws(FileError) in
      if presented == nil {
        guard records.contains(where: { $0.path != nil }) else { return }
        presented = try PresentedFile(at: Self.presentedPath(of: member, in: place))
      }
      try presented?.write(process, records)
    }
  }

  /// Notes where a presenter's item is by now; nil: nowhere, or it was taken away.
  func note(
    _ process: CoordinatingProcess, _ presenter: CoordinationKey, at path: ItemPath?
  ) throws(FileError) {
    try presented.withLock { (presented) throws(FileError) in
      if presented == nil {
        guard path != nil else { return }
        presented = try PresentedFile(at: Self.presentedPath(of: member, in: place))
      }
      try presented?.note(process, presenter, at: path)
    }
  }

  /// Takes the files away, since nothing is claimed any more.
  func remove() {
    Self.remove(member, in: place)
    lock.release()
  }

  /// The lock's file last, without which nobody would find the other.
  private static func remove(_ member: UInt64, in place: CoordinationPlace) {
    for path in [presentedPath(of: member, in: place), path(of: member, in: place)] {
      _ = path.withPlatformString { unlink($0) }
    }
  }

  static func path(of member: UInt64, in place: CoordinationPlace) -> FilePath {
    let digits = String(member, radix: 16)
    return place.members.appending(String(repeating: "0", count: 16 - digits.count) + digits)
  }

  static func presentedPath(of member: UInt64, in place: CoordinationPlace) -> FilePath {
    FilePath(path(of: member, in: place).string + ".presented")
  }
}

extension MemberRecord {
  /// The processes that live and may hold or present something; the records of others are removed.
  static func survivors(
    in place: CoordinationPlace, except own: UInt64
  ) throws(FileError) -> [Survivor] {
    var result: [Survivor] = []
    for entry in try LinuxFileSystem().list(place.members) {
      guard let member = UInt64(entry.name.string, radix: 16), member != own else { continue }
      if hasEnded(member, in: place) { continue }
      if let survivor = try Survivor.read(member, in: place) { result.append(survivor) }
    }
    return result
  }

  /// Whether a process has ended; its record is removed if so.
  static func hasEnded(_ member: UInt64, in place: CoordinationPlace) -> Bool {
    let files = LinuxFileSystem()
    let path = path(of: member, in: place)
    do {
      _ = try files.status(of: path)
    } catch {
      // Where it cannot be looked at, for want of memory, say, nobody is let in beside it.
      return error.errno == .noSuchFileOrDirectory
    }
    do {
      let lock = try files.lock(path, exclusive: true, wait: false, holder: [])
      remove(member, in: place)
      lock.release()
      return true
    } catch {
      return false
    }
  }
}
