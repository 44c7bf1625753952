import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// A file in which a process keeps what it claims, and whether it presents anything, so that the
/// next arbiter knows.
///
/// It is written before the claim is asked for and after its end, so whatever an arbiter may have
/// granted stands there. Its lock tells whether the process lives; the file is read only after the
/// arbiter has ended.
final class MemberRecord: Sendable {
  private let descriptor: Descriptor
  private let path: FilePath
  private let lock: FileLock

  private static let maximumBytes = 1 << 24
  private static let headerBytes = 16

  /// Makes the file of a process.
  init(member: UInt64, in place: CoordinationPlace) throws(FileError) {
    path = place.members.appending(Self.name(of: member))
    let files = LinuxFileSystem()
    while true {
      let lock = try files.lock(path, exclusive: true, wait: true, holder: [])
      let number = path.withPlatformString { open($0, O_RDWR | O_NOFOLLOW | O_CLOEXEC) }
      // An arbiter that found it without its lock has removed it.
      if number >= 0 {
        descriptor = Descriptor(number)
        self.lock = lock
        return
      }
      guard errno == ENOENT else { throw FileError(.open, path, Errno.last) }
    }
  }

  /// Replaces what stands there.
  func write(
    _ process: CoordinatingProcess, _ requests: [ClaimRequest], presents: Bool
  ) throws(FileError) {
    let isIdle = requests.isEmpty && !presents
    let body = isIdle ? [] : Self.encode(process, requests, presents: presents)
    var header = WireHeader(count: UInt64(body.count), checksum: Self.checksum(body)).bytes
    header += body
    // One call: a process that is killed leaves the old content or the new one.
    let count = header.withUnsafeBytes { pwrite(descriptor.number, $0.baseAddress, $0.count, 0) }
    guard count == header.count else { throw FileError(.write, path, Errno.last) }
  }

  /// Takes the file away, since nothing is claimed any more.
  func remove() {
    _ = path.withPlatformString { unlink($0) }
    lock.release()
  }

  private static func encode(
    _ process: CoordinatingProcess, _ requests: [ClaimRequest], presents: Bool
  ) -> [UInt8] {
    var writer = WireWriter()
    process.write(to: &writer)
    writer.put(list: requests) { $1.write(to: &$0) }
    writer.put(presents)
    return writer.bytes
  }

  private static func name(of member: UInt64) -> String {
    let digits = String(member, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// FNV-1a, against a record that is being written while it is read.
  private static func checksum(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private struct WireHeader {
    var count: UInt64
    var checksum: UInt64

    var bytes: [UInt8] {
      [count, checksum].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
      }
    }

    init(count: UInt64, checksum: UInt64) {
      self.count = count
      self.checksum = checksum
    }

    init(bytes: ArraySlice<UInt8>) {
      func word(_ start: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[bytes.startIndex + start + $1]) << (8 * UInt64($1)) }
      }
      count = word(0)
      checksum = word(8)
    }
  }
}

extension MemberRecord {
  /// What a process had when the arbiter ended.
  struct Survivor {
    let member: UInt64
    let process: CoordinatingProcess
    let requests: [ClaimRequest]
    let presents: Bool
  }

  /// The processes that live and may hold or present something; the records of others are removed.
  static func survivors(
    in place: CoordinationPlace, except own: UInt64
  ) throws(FileError) -> [Survivor] {
    var result: [Survivor] = []
    for entry in try LinuxFileSystem().list(place.members) {
      guard let member = UInt64(entry.name.string, radix: 16), member != own else { continue }
      if hasEnded(member, in: place) { continue }
      if let survivor = try read(member, in: place) { result.append(survivor) }
    }
    return result
  }

  /// Whether a process has ended; its record is removed if so.
  static func hasEnded(_ member: UInt64, in place: CoordinationPlace) -> Bool {
    let files = LinuxFileSystem()
    let path = place.members.appending(name(of: member))
    guard (try? files.status(of: path)) != nil else { return true }
    do {
      let lock = try files.lock(path, exclusive: true, wait: false, holder: [])
      _ = path.withPlatformString { unlink($0) }
      lock.release()
      return true
    } catch {
      return false
    }
  }

  private static func read(
    _ member: UInt64, in place: CoordinationPlace
  ) throws(FileError) -> Survivor? {
    let path = place.members.appending(name(of: member))
    for _ in 0..<20 {
      let bytes: [UInt8]
      do {
        bytes = try LinuxFileSystem().contents(of: path, limit: maximumBytes).bytes
      } catch  where error.errno == .fileTooLarge {
        // It claims more than is read of anybody; the others must not be left without a queue.
        break
      } catch  where error.errno == .noSuchFileOrDirectory {
        // It has just ended, and taken it away.
        return nil
      }
      // Nothing was ever asked for.
      guard bytes.count >= headerBytes else { return nil }
      let header = WireHeader(bytes: bytes[..<headerBytes])
      if header.count == 0 { return nil }
      if header.count <= UInt64(bytes.count - headerBytes) {
        let body = Array(bytes[headerBytes..<headerBytes + Int(header.count)])
        if checksum(body) == header.checksum, let found = try? decode(body, of: member) {
          return found
        }
      }
      usleep(500)
    }
    return Survivor(
      member: member, process: CoordinatingProcess(id: 0, name: "unknown"),
      requests: [claimOnEverything(of: member)], presents: true)
  }

  private static func decode(
    _ bytes: [UInt8], of member: UInt64
  ) throws(WireError) -> Survivor {
    var reader = WireReader(bytes)
    let process = try CoordinatingProcess(wire: &reader)
    let requests = try reader.list(limit: Arbiter.maximumClaims, "claims") {
      (reader) throws(WireError) in try ClaimRequest(wire: &reader)
    }
    let presents = try reader.flag()
    try reader.finish()
    return Survivor(member: member, process: process, requests: requests, presents: presents)
  }

  /// What cannot be read may be anything.
  private static func claimOnEverything(of member: UInt64) -> ClaimRequest {
    let root = ItemPath(bytes: [UInt8(ascii: "/")]).map { [$0] } ?? []
    return ClaimRequest(
      key: CoordinationKey(member: member, number: 0), purpose: "",
      items: root.map { ClaimedItem($0, [.writes, .isDirectory, .deletes]) }, since: .zero)
  }
}
