import CanonicalJSON
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// A device with a newer program, whose transactions are put together by hand.
struct NewerAuthor {
  let world: World
  let stream: StreamID
  private(set) var position: StreamPosition = .start
  /// The operation that made the document.
  let insert = Dot(stream: StreamID(rawValue: 0xFEED), sequence: 1, index: 0)
  let append = OperationKind(code: 9, cover: .nothing, carriesValue: true)

  init(_ world: World, stream: StreamID = StreamID(rawValue: 0xFEED)) {
    (self.world, self.stream) = (world, stream)
  }

  func operation(
    _ kind: OperationKind, _ pointer: String = "", _ payload: [UInt8] = [], id: String = "doc"
  ) throws -> Operation {
    Operation(
      document: Peer.key(id), insert: insert, path: try #require(Path(pointer: pointer)),
      kind: kind,
      payload: payload)
  }

  /// Writes a transaction, and brings its file into a folder.
  mutating func write(_ operations: OperationList, to folder: FilePath) throws {
    let (sequence, before) = (position.sequence + 1, position.fingerprint)
    let time = HybridTime(milliseconds: 1_700_000_000_000 + Int64(sequence))
    var context = Context()
    context.advance(
      Context.Entry(stream: stream, sequence: position.sequence, fingerprint: before))
    let form = CanonicalTransaction.bytes(
      sequence: sequence, time: time, context: context, operations: operations)
    let header = Transaction.Header(
      stream: stream, sequence: sequence, time: time, context: context, nonce: 5,
      fingerprint: Fingerprint(after: before, nonce: 5, canonicalForm: form))
    let segment = Segment(
      range: Segment.Range(
        container: world.marker.container, stream: stream, first: sequence, last: sequence,
        fingerprintBefore: before),
      attributes: [],
      transactions: [
        EncodedTransaction(Transaction(header: header, operations: operations), after: nil)
      ])
    position = StreamPosition(after: header)
    let (bytes, digest) = SegmentFile.encode(segment)
    let name = SegmentName(first: sequence, last: sequence, digest: digest)
    let file = LogFile(
      directory: try #require(FilePath.Component(stream.description)),
      name: try #require(name.component()), bytes: bytes)
    try world.deliver(file, to: folder)
  }
}
