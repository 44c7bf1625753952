import CanonicalJSON
import DocumentStorage
import Foundation
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Older versions kept no marks of what they applied.
@Suite("A branch that leaves a stream where an older version applied it") struct OldBranchTests {
  private static let versions = OldStore.versions.filter { $0 < 3 }

  /// Bob's second transaction is a file of its own; this device's is in one with its third.
  @Test(
    "is told from what was applied, and nothing of it is lost", arguments: versions, [false, true])
  func isApplied(version: Int, isOwn: Bool) throws {
    let store = try OldStore(version: version)
    let device = try store.open()
    let streams = try device.database.streamSummaries()
    let stream = try #require(streams.first { $0.name == (isOwn ? "dev" : "bob") }).stream
    try Self.branch(off: stream, of: device)
    _ = try Importer(device: device).importAll()
    // What had not been read again by then waited for it.
    _ = try Importer(device: device).importAll()
    #expect(try device.dump().contains(#""id":"branched""#))
    #expect(try device.database.streamSummaries().contains { $0.tips.count == 2 })
  }

  /// Writes a second transaction of `stream` beside the one that is there.
  private static func branch(off stream: StreamID, of device: Device) throws {
    let directory = device.container.directory(of: stream)
    let first = try #require(
      try device.container.files.list(directory).map(\.name)
        .first { $0.string.hasPrefix("0000000000000001-0000000000000001-") })
    let contents = try device.container.files.contents(
      of: directory.appending(first), limit: 1 << 20)
    let segment = try SegmentFile.decode(contents.bytes).segment
    let before = try #require(try segment.transactions(after: .start).last).header
    var context = Context()
    context.advance(before.tip)
    let time = HybridTime(rawValue: before.time.rawValue + 1)
    let insert = Dot(stream: stream, sequence: 2, index: 0)
    let key = DocumentKey(collection: "notes", id: "branched")
    let operation = Operation(document: key, insert: insert, path: .root, kind: .clear)
    let form = CanonicalTransaction.bytes(
      sequence: 2, time: time, context: context, operations: [operation])
    let header = Transaction.Header(
      stream: stream, sequence: 2, time: time, context: context, nonce: 99,
      fingerprint: Fingerprint(after: before.fingerprint, nonce: 99, canonicalForm: form))
    let range = Segment.Range(
      container: segment.range.container, stream: stream, first: 2, last: 2,
      fingerprintBefore: before.fingerprint)
    let transaction = Transaction(header: header, operations: [operation])
    let next = Segment(
      range: range, attributes: [], transactions: [EncodedTransaction(transaction, after: nil)])
    _ = try device.container.publish(
      SegmentFile.encode(next), of: range, temporaryName: device.ambient.temporaryName())
  }
}
