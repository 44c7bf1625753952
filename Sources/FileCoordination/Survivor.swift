import Glibc
import SystemFiles
import SystemPackage

/// What a process that lives had when the arbiter ended.
struct Survivor {
  let member: UInt64
  let process: CoordinatingProcess
  let requests: [ClaimRequest]
  let presenters: [PresenterRecord]

  private static let attempts = 20

  private struct Unreadable: Error {}

  /// What a process has written down; nil if it claims and presents nothing.
  static func read(_ member: UInt64, in place: CoordinationPlace) throws(FileError) -> Survivor? {
    do {
      let claims = try content(of: MemberRecord.path(of: member, in: place)) {
        (bytes) throws(WireError) in try Self.claims(bytes)
      }
      let presented = try content(of: MemberRecord.presentedPath(of: member, in: place)) {
        (bytes) throws(WireError) in try PresentedFile.decode(bytes, of: member)
      }
      let (requests, presenters) = (claims?.requests ?? [], presented?.records ?? [])
      guard let process = claims?.process ?? presented?.process,
        !requests.isEmpty || !presenters.isEmpty
      else { return nil }
      return Survivor(
        member: member, process: process, requests: requests, presenters: presenters)
    } catch let error as FileError {
      throw error
    } catch {
      return Survivor(
        member: member, process: CoordinatingProcess(id: 0, name: "unknown"),
        requests: [claimOnEverything(of: member)], presenters: [])
    }
  }

  /// - returns: nil if nothing was ever written there, or it has just ended, and taken it away.
  private static func content<Content>(
    of path: FilePath, _ decode: ([UInt8]) throws(WireError) -> Content?
  ) throws -> Content? {
    for _ in 0..<attempts {
      do {
        let bytes = try RecordFile.contents(of: path, limit: MemberRecord.maximumBytes)
        if let bytes { return bytes.isEmpty ? nil : try decode(bytes) }
      } catch let error as FileError where error.errno == .fileTooLarge {
        // It claims more than is read of anybody; the others must not be left without a queue.
        throw Unreadable()
      } catch let error as FileError where error.errno == .noSuchFileOrDirectory {
        return nil
      } catch is WireError {
        throw Unreadable()
      }
      usleep(500)
    }
    throw Unreadable()
  }

  private static func claims(
    _ bytes: [UInt8]
  ) throws(WireError) -> (process: CoordinatingProcess, requests: [ClaimRequest]) {
    var reader = WireReader(bytes)
    let process = try CoordinatingProcess(wire: &reader)
    let requests = try reader.list(limit: Arbiter.maximumClaims, "claims") {
      (reader) throws(WireError) in try ClaimRequest(wire: &reader)
    }
    try reader.finish()
    return (process, requests)
  }

  /// What cannot be read may be anything.
  private static func claimOnEverything(of member: UInt64) -> ClaimRequest {
    let root = ItemPath(bytes: [UInt8(ascii: "/")]).map { [$0] } ?? []
    return ClaimRequest(
      key: CoordinationKey(member: member, number: 0), purpose: "",
      items: root.map { ClaimedItem($0, [.writes, .isDirectory, .deletes]) }, since: .zero)
  }
}
