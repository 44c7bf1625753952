import DocumentStorage
import FeedSync
import Foundation
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// A device of a made-up newer version of feedsync, on a real folder.
///
/// It keeps nothing but its stream's id: what it has written and seen is in the folder. It writes
/// the next format version, which a reader of version 1 can read, with attributes and kinds of
/// operations that this version does not know, in every envelope; or one that it cannot read.
struct NewerProgram {
  /// What stands beside a value, and covers nothing.
  static let reaction = OperationKind(code: 13, cover: .nothing, carriesValue: true)
  /// What takes the place of all that stood there.
  static let table = OperationKind(code: 14, cover: .path, carriesValue: true)
  /// What takes away, in a way of its own.
  static let retire = OperationKind(code: 15, cover: .path, carriesValue: false)
  /// What takes the document away.
  static let archive = OperationKind(code: 12, cover: .document, carriesValue: false)

  private let container: ContainerFolder
  private let marker: Marker
  private let stream: StreamID
  /// All transactions in the folder that it can read, stream by stream in order.
  private(set) var read: [StreamID: [Transaction]] = [:]
  private var own: StreamPosition = .start
  private var context = Context()
  private var latest = HybridTime.zero

  init(folder: FilePath, stream: StreamID) throws {
    container = ContainerFolder(root: folder, files: LinuxFileSystem())
    marker = try container.marker()
    self.stream = stream
    try readFolder()
  }

  private mutating func readFolder() throws {
    let segments = try container.list().segments.compactMap { file -> Segment? in
      let path = container.logs.appending(file.directory).appending(file.name)
      let bytes = try container.files.contents(of: path, limit: SegmentFile.maximumFileBytes).bytes
      return try? SegmentFile.decode(bytes).segment
    }
    var positions: [StreamID: StreamPosition] = [:]
    for segment in segments.sorted(by: { $0.range.first < $1.range.first }) {
      let position = positions[segment.range.stream] ?? .start
      let transactions = try segment.transactions(after: position)
      guard let last = transactions.last else { continue }
      positions[segment.range.stream] = StreamPosition(after: last.header)
      read[segment.range.stream, default: []] += transactions
    }
    for (author, position) in positions {
      context.advance(
        Context.Entry(
          stream: author, sequence: position.sequence, fingerprint: position.fingerprint))
      latest = max(latest, position.time)
    }
    own = positions[stream] ?? .start
  }

  /// The operation that made a document, as the last insert in the folder has it.
  private func insert(of document: DocumentKey) -> Dot? {
    let inserts = read.values.joined().flatMap { transaction in
      transaction.operations.enumerated().compactMap { index, operation -> Stamp? in
        guard operation.document == document, operation.kind == .clear, operation.path.isRoot
        else { return nil }
        return transaction.stamp(index)
      }
    }
    return inserts.max()?.dot
  }

  private func document(_ id: String) -> DocumentKey {
    DocumentKey(collection: "notes", id: ByteString(id))
  }

  /// A path of one key.
  private func path(_ key: String) throws -> Path {
    guard let path = Path(pointer: "/" + key) else { throw Errno.invalidArgument }
    return path
  }
}

// MARK: - Writing

extension NewerProgram {
  /// Writes a document of its own, with what only it understands in it, and something of each kind
  /// into documents of others.
  mutating func write(number: Int, shared: String, doomed: String?) throws {
    let sequence = own.sequence + 1
    let key = document("newer-\(number)")
    let insert = Dot(stream: stream, sequence: sequence, index: 0)
    func operation(
      _ kind: OperationKind, _ path: Path, _ payload: [UInt8] = []
    ) -> Replication.Operation {
      Replication.Operation(document: key, insert: insert, path: path, kind: kind, payload: payload)
    }
    let root = Path(keys: [])
    var operations = [
      operation(.clear, root),
      operation(.set, try path("title"), Leaf(.string("from the future"))?.bytes ?? []),
      operation(.set, try path("gone"), Leaf(.string("covered"))?.bytes ?? []),
      operation(Self.table, try path("table"), Array("a new kind of value".utf8)),
    ]
    if let insert = self.insert(of: document(shared)) {
      operations.append(
        Replication.Operation(
          document: document(shared), insert: insert, path: try path("reactions"),
          kind: Self.reaction, payload: Array("+\(number)".utf8)))
    }
    try publish(OperationList(operations))
    try publish([operation(Self.retire, try path("gone"))])
    guard let doomed, let insert = self.insert(of: document(doomed)) else { return }
    try publish(
      [
        Replication.Operation(
          document: document(doomed), insert: insert, path: root, kind: Self.archive)
      ])
  }

  /// Writes what only a reader of the next format can read.
  mutating func writeUnreadable() throws {
    let key = document("unreadable")
    let insert = Dot(stream: stream, sequence: own.sequence + 1, index: 0)
    try publish(
      [Replication.Operation(document: key, insert: insert, path: Path(keys: []), kind: .clear)],
      minimumReader: UInt8(SegmentFile.version) + 1)
  }

  /// - parameter minimumReader: the oldest format whose readers can apply it; else what it needs.
  private mutating func publish(
    _ operations: OperationList, minimumReader: UInt8? = nil
  ) throws {
    let now = HybridTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    latest = max(now, HybridTime(rawValue: latest.rawValue + 1))
    let sequence = own.sequence + 1
    let form = CanonicalTransaction.bytes(
      sequence: sequence, time: latest, context: context, operations: operations)
    let header = Transaction.Header(
      stream: stream, sequence: sequence, time: latest, context: context, nonce: 7,
      fingerprint: Fingerprint(after: own.fingerprint, nonce: 7, canonicalForm: form))
    let segment = Segment(
      range: Segment.Range(
        container: marker.container, stream: stream, first: sequence, last: sequence,
        fingerprintBefore: own.fingerprint),
      attributes: [
        .deviceName("newer"), Segment.Attribute(number: 77, content: Array("unknown".utf8)),
      ],
      transactions: [
        EncodedTransaction(Transaction(header: header, operations: operations), after: nil)
      ])
    try place(segment, minimumReader: minimumReader)
    own = StreamPosition(after: header)
    context.advance(header.tip)
  }

  private func place(_ segment: Segment, minimumReader: UInt8?) throws {
    var (bytes, digest) = SegmentFile.encode(segment)
    // Both versions are a byte each, behind the magic; the checksum is of all before it.
    bytes[SegmentFile.magic.count] = UInt8(SegmentFile.version) + 1
    if let minimumReader { bytes[SegmentFile.magic.count + 1] = minimumReader }
    bytes.removeLast(8)
    let checksum = Digest.first64(bytes)
    bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
    let directory = container.directory(of: stream)
    for path in [container.logs, directory]
    where (try? container.files.status(of: path)) == nil {
      try container.files.makeDirectory(path, mode: 0o777)
    }
    let name = SegmentName(
      first: segment.range.first, last: segment.range.last, digest: digest)
    guard let component = name.component() else { throw Errno.invalidArgument }
    try container.files.publish(
      bytes, at: directory.appending(component), temporaryName: ".feedsync-newer.nosync")
  }
}
