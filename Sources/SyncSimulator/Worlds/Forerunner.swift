import CanonicalJSON
import ReferenceModel
import Replication
import SegmentFormat
import SharedFolder
import SystemPackage

/// A device with a made-up newer program, of which the world knows only what it publishes.
///
/// What it has seen it knows from the ledger, and what shows there from the model: nothing of what
/// is judged takes part in what it writes.
struct Forerunner {
  /// What only the newer program understands: a remark on a place, which shows nothing and covers
  /// nothing.
  static let remark = OperationKind(code: 11, cover: .nothing, carriesValue: true)
  /// What that program understands.
  static let understood = KindCodes.known.union(KindCodes(remark))
  static let stream = StreamID(rawValue: 0xF0FE << 64)
  private static let nonce: UInt64 = 7

  let life: Life
  private var position = StreamPosition.start
  /// What its last transaction had seen.
  private var context = Context()

  init(life: Life) { self.life = life }

  /// A transaction, as it is published, and what is known of it.
  struct Work {
    let document: DocumentKey
    let path: [ByteString]
    /// What it saw of the document.
    let body: JSON
    let header: Replication.Transaction.Header
    let bytes: [UInt8]
    let name: FilePath.Component
  }

  /// Whether it wrote something that is kept of a document.
  static func wrote(_ entry: DocumentState.Entry) -> Bool { entry.stamp.dot.stream == stream }

  static var directory: FilePath.Component {
    FilePath.Component(stream.description) ?? "forerunner"
  }

  /// Remarks on something in a document; nil where it sees none.
  mutating func write(
    about key: DocumentKey, in container: ContainerID, wall: Int64, _ ledger: Ledger,
    _ random: inout SplitMix
  ) throws -> Work? {
    let context = meet(ledger, &random)
    let seen = ledger.known(of: context)
    guard let (body, insert) = ledger.document(at: key, asSeen: seen) else { return nil }
    let path = place(in: body, &random)
    let operation = Replication.Operation(
      document: key, insert: insert, path: Path(keys: path),
      kind: Self.remark, payload: [UInt8(random.below(200))])
    let transaction = transaction(
      [operation], context,
      at: max(
        HybridTime(milliseconds: wall),
        HybridTime(rawValue: max(ledger.latestTime(of: seen), position.time.rawValue) + 1)))
    let (file, name) = try publish(transaction, in: container)
    self.context = context
    position = StreamPosition(after: transaction.header)
    return Work(
      document: key, path: path, body: body, header: transaction.header, bytes: file, name: name)
  }

  /// Hears of some transaction, and all that its author had seen.
  private func meet(_ ledger: Ledger, _ random: inout SplitMix) -> Context {
    var entries = context.entries
    if position.sequence > 0 {
      entries.append(
        Context.Entry(
          stream: Self.stream, sequence: position.sequence, fingerprint: position.fingerprint))
    }
    let others = ledger.authors.indices.filter {
      !ledger.authors[$0].isOf(Self.stream) && !ledger.authors[$0].transactions.isEmpty
    }
    if !others.isEmpty {
      let author = random.pick(others)
      let transactions = ledger.authors[author].transactions
      let last = transactions.count - 1
      let chosen = transactions[random.chance(60) ? last : random.below(transactions.count)]
      // Who writes on what was read before claims less than the transactions before that one.
      let led = ledger.led(
        upTo: Ledger.Place(author: author, sequence: Int(chosen.entry.sequence)))
      entries += led.authors.map { ledger.authors[$0][led[$0]].entry }
    }
    return ledger.reduced(entries)
  }

  /// Where a remark stands: beside what is there, in some object, or at a value itself.
  private func place(in body: JSON, _ random: inout SplitMix) -> [ByteString] {
    let leaves = body.leaves.map(\.path).filter { !$0.isEmpty }
    if random.chance(30), !leaves.isEmpty { return random.pick(leaves) }
    let objects = body.objects
    let above = random.chance(60) || objects.isEmpty ? [] : random.pick(objects)
    return above + ["remark"]
  }

  private func transaction(
    _ operations: OperationList, _ context: Context, at time: HybridTime
  ) -> Replication.Transaction {
    let sequence = position.sequence + 1
    let form = CanonicalTransaction.bytes(
      sequence: sequence, time: time, context: context, operations: operations)
    return Replication.Transaction(
      header: Replication.Transaction.Header(
        stream: Self.stream, sequence: sequence, time: time, context: context,
        nonce: Self.nonce,
        fingerprint: Fingerprint(
          after: position.fingerprint, nonce: Self.nonce, canonicalForm: form)),
      operations: operations)
  }

  private func publish(
    _ transaction: Replication.Transaction, in container: ContainerID
  ) throws -> (bytes: [UInt8], name: FilePath.Component) {
    let sequence = transaction.header.sequence
    let (bytes, digest) = SegmentFile.encode(
      Segment(
        range: Segment.Range(
          container: container, stream: Self.stream, first: sequence, last: sequence,
          fingerprintBefore: position.fingerprint),
        attributes: [], transactions: [EncodedTransaction(transaction, after: nil)]))
    let name = SegmentName(first: sequence, last: sequence, digest: digest)
    guard let component = name.component() else { throw Finding("\(name) is no name") }
    return (bytes, component)
  }
}

extension Ledger {
  /// What shows of a document to somebody who has seen so much, and what made it; nil if nothing
  /// does.
  fileprivate func document(
    at key: DocumentKey, asSeen seen: Seen
  ) -> (body: JSON, insert: Dot)? {
    let model = PlainModel(
      operations: operations(on: key).filter { $0.dot.sequence <= seen[$0.dot.author] },
      dropped: Set(dropped.keys))
    let inserts = model.visible.filter { $0.path.isEmpty && $0.isClear }
    guard let body = model.shown().body,
      let insert = inserts.max(by: { $1.isLater(than: $0) })
    else { return nil }
    return (
      body,
      Dot(
        stream: StreamID(rawValue: insert.stream), sequence: insert.sequence,
        index: UInt32(insert.dot.index))
    )
  }

  /// The greatest time of what somebody has seen.
  fileprivate func latestTime(of seen: Seen) -> UInt64 {
    seen.authors.map { authors[$0][min(seen[$0], authors[$0].end)].position.time.rawValue }.max()
      ?? 0
  }
}
