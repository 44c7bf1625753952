import CanonicalJSON
import Replication
import SegmentFormat

/// What three devices write in turn about a hundred documents, each knowing all that was before.
struct Sample {
  let container = ContainerID(rawValue: 1)
  private(set) var transactions: [Transaction] = []
  private(set) var states: [DocumentKey: DocumentState] = [:]
  private var positions: [StreamID: StreamPosition] = [:]
  private var frontier = Frontier()

  static let documents = 100
  private static let operationsPerTransaction = 5

  /// - parameter count: how many transactions of five operations each.
  init(count: Int) {
    for number in 0..<count { write(number) }
  }

  var operationCount: Int { transactions.reduce(0) { $0 + $1.operations.count } }

  /// All transactions of the first device, as one segment.
  var segment: Segment {
    let own = transactions.filter { $0.header.stream == Self.stream(0) }
    var previous: StreamPosition?
    let encoded = own.map { transaction in
      defer { previous = StreamPosition(after: transaction.header) }
      return EncodedTransaction(transaction, after: previous)
    }
    let range = Segment.Range(
      container: container, stream: Self.stream(0), first: 1, last: UInt64(own.count),
      fingerprintBefore: .origin)
    return Segment(range: range, attributes: [], transactions: encoded)
  }

  private static func stream(_ device: Int) -> StreamID { StreamID(rawValue: UInt128(device + 1)) }

  private mutating func write(_ number: Int) {
    let stream = Self.stream(number % 3)
    let position = positions[stream] ?? .start
    let time = HybridTime(milliseconds: 1_700_000_000_000 + Int64(number))
    func header(_ fingerprint: Fingerprint) -> Transaction.Header {
      Transaction.Header(
        stream: stream, sequence: position.sequence + 1, time: time, context: frontier.closed,
        nonce: 7, fingerprint: fingerprint)
    }
    let name = "https://www.example.com/posts/2024/03/15/item-\(number * 37 % Self.documents)"
    let key = DocumentKey(collection: "items", id: ByteString(name))
    var state = states[key] ?? DocumentState()
    var operations: [Operation] = []
    for step in 0..<Self.operationsPerTransaction {
      operations += edit(&state, at: key, number, step, header(.origin), operations.count)
    }
    let form = CanonicalTransaction.bytes(
      sequence: position.sequence + 1, time: time, context: frontier.closed,
      operations: operations)
    let sealed = header(
      Fingerprint(after: position.fingerprint, nonce: 7, canonicalForm: form))
    state.seal(sealed.tip)
    states[key] = state
    frontier.apply(sealed, after: position.fingerprint)
    frontier.close()
    positions[stream] = StreamPosition(after: sealed)
    transactions.append(Transaction(header: sealed, operations: operations))
  }

  private func edit(
    _ state: inout DocumentState, at key: DocumentKey, _ number: Int, _ step: Int,
    _ header: Transaction.Header, _ first: Int
  ) -> [Operation] {
    let field = ByteString("field\((number / Self.documents + step * 8) % 40)")
    let title = "Some title of about sixty characters in length for the item"
    let value: JSON = step % 2 == 0 ? .integer(Int64(number)) : .string(ByteString(title))
    let patch: JSON = .object([field: value])
    let body = (state.view().json ?? .object(JSONObject())).mergePatched(with: patch)
    let outcome = state.plan(
      writing: body, patch: patch, rewritesEqual: true, frontier: frontier, digest: Digest.token)
    guard case .write(let plan) = outcome else { return [] }
    return state.perform(plan, wanted: body, on: key, header: header, firstIndex: first)
  }
}
