import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// Ann wrote two documents over and over; then so many devices were made, which are all gone by
/// now, that no file may name them all.
@Suite("Where more devices have written than a statement may name") struct ManyStreamsTests {
  private let world: World
  private let ann: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    try ann.publish(1...20) { "n\($0 % 2)" }
    for number in 1...SegmentFile.writtenContextEntries { try placeFile(of: number) }
    try ann.importAll()
  }

  /// A device that has written something without any operation.
  private func placeFile(of number: Int) throws {
    let stream = StreamID(rawValue: UInt128(number))
    let transaction = EncodedTransaction(
      time: 1 << 16, nonce: 1, isRelative: false, hasSeenOwn: true, changes: [], operations: [])
    let segment = Segment(
      range: Segment.Range(
        container: world.marker.container, stream: stream, first: 1, last: 1,
        fingerprintBefore: .origin),
      attributes: [], transactions: [transaction])
    let file = SegmentFile.encode(segment)
    let directory = try #require(FilePath.Component(stream.description))
    let name = SegmentName(first: 1, last: 1, digest: file.digest)
    try world.deliver(
      LogFile(
        directory: directory, name: try #require(name.component()), bytes: file.bytes),
      to: ann.folder)
  }

  private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
  }

  @Test("nothing is dropped, and files go whose content others have all the same")
  func keeps() throws {
    #expect(try ann.device.database.contextEntries() > SegmentFile.writtenContextEntries)
    let old = try #require(
      try world.logs(in: ann.folder).first { $0.directory == ann.directory })
    #expect(try compact().joined == 20)
    world.advance(milliseconds: CompactionLimits.small().horizon)
    #expect(try compact().removed.count == 20)
    world.advance(milliseconds: CompactionLimits.week)
    try world.deliver(old, to: ann.folder)
    let report = try compact()
    #expect(report.dropped == 0 && report.written == 0)
    #expect(report.removed == [old.path(in: ann.folder)])
    #expect(try ann.device.database.archivedSegments(of: ann.stream).map(\.sequences) == [1...20])
  }
}
