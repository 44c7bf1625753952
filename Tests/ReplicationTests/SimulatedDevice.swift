import CanonicalJSON
import ReferenceModel
import Replication

/// One device: real document states and a real frontier, called in the order in which the store
/// calls them, with dictionaries for the database.
struct SimulatedDevice {
  /// A transaction on its way.
  struct Sent {
    let transaction: Transaction
    /// The fingerprint before it in its stream.
    let previous: Fingerprint
    var header: Transaction.Header { transaction.header }
    var operations: OperationList { transaction.operations }
  }

  /// Number from 0; the stream's id orders as it does.
  let author: Int
  /// The stream that it writes.
  private(set) var stream: StreamID
  /// The last transaction of that.
  private var tip: (sequence: UInt64, fingerprint: Fingerprint) = (0, .origin)
  var states: [DocumentKey: DocumentState] = [:]
  private(set) var frontier = Frontier()
  private(set) var clock = HybridClock(latest: .zero)
  /// Everything it ever wrote, in order.
  private(set) var written: [Sent] = []
  /// Two clones never agree on it.
  var nonce: UInt64 = 0
  /// Whether contexts are judged by sequence alone, whatever the fingerprints: a planted bug.
  var judgesBySequence = false

  /// Whether its program understands kinds that this version does not.
  private(set) var isNewer: Bool

  init(author: Int, isNewer: Bool = false) {
    self.author = author
    stream = Self.stream(of: author)
    self.isNewer = isNewer
  }

  /// Gives it the newer program.
  mutating func upgrade() {
    isNewer = true
    frontier.understand { _ in true }
    frontier.close()
  }

  func understands(_ operations: OperationList) -> Bool {
    isNewer || KindCodes(operations.map { KindCodes($0.kind) }).newer.isEmpty
  }

  /// Goes on under another stream, as a device does that finds itself cloned.
  mutating func begin(_ stream: StreamID) {
    self.stream = stream
    tip = (0, .origin)
  }
  var hasWaiting: Bool { states.values.contains { !$0.pending.isEmpty } }

  static func stream(of author: Int) -> StreamID { StreamID(rawValue: UInt128(author + 1)) }

  /// Any mixing function of 64 bits.
  static let digest = VersionToken.Digest { bytes in
    SplitMix.mixed(mix(bytes, into: 0xCBF2_9CE4_8422_2325))
  }

  static func mix(_ bytes: [UInt8], into hash: UInt64) -> UInt64 {
    bytes.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  func state(of key: DocumentKey) -> DocumentState {
    var state = states[key] ?? DocumentState()
    state.lineage = judgesBySequence ? nil : frontier.lineage
    return state
  }
}

// MARK: - Writing

extension SimulatedDevice {
  /// A local transaction in the making, as StoreWriter has it.
  struct Draft {
    var header: Transaction.Header
    var operations: [Operation] = []
    var states: [DocumentKey: DocumentState] = [:]
    var changed: Set<DocumentKey> = []
  }

  func beginDraft(wall: Int64) -> Draft? {
    var ticking = clock
    guard let time = ticking.tick(wallMilliseconds: wall) else { return nil }
    return Draft(
      header: Transaction.Header(
        stream: stream, sequence: tip.sequence + 1, time: time,
        context: frontier.closed, nonce: nonce, fingerprint: .origin))
  }

  func state(of key: DocumentKey, in draft: Draft) -> DocumentState {
    draft.states[key] ?? state(of: key)
  }

  func perform(
    _ plan: EditPlan, wanted: JSON?, at key: DocumentKey, in draft: inout Draft
  ) {
    var state = state(of: key, in: draft)
    draft.claim(plan.context)
    draft.operations += state.perform(
      plan, wanted: wanted, on: key, header: draft.header, firstIndex: draft.operations.count)
    draft.states[key] = state
    draft.changed.insert(key)
  }

  /// Returns the transaction; nil if there was nothing to publish.
  mutating func commit(_ draft: Draft) -> Sent? {
    var draft = draft
    var transaction: Sent?
    if !draft.operations.isEmpty {
      draft.header = sealed(draft)
      let operations = OperationList(draft.operations)
      frontier.apply(
        draft.header, after: tip.fingerprint, isUnderstood: understands(operations),
        inserts: operations.inserts(besides: draft.header.stream))
      frontier.close()
      clock.merge(draft.header.time)
      let made = Sent(
        transaction: Transaction(header: draft.header, operations: operations),
        previous: tip.fingerprint)
      tip = (draft.header.sequence, draft.header.fingerprint)
      written.append(made)
      transaction = made
    }
    for key in draft.changed {
      guard var state = draft.states[key] else { continue }
      if transaction != nil { state.seal(draft.header.tip) }
      state.lineage = judgesBySequence ? nil : frontier.lineage
      state.settle()
      states[key] = state
    }
    return transaction
  }

  private func sealed(_ draft: Draft) -> Transaction.Header {
    let header = draft.header
    var hash = Self.mix(tip.fingerprint.bytes, into: header.time.rawValue ^ nonce)
    hash = Self.mix(header.stream.bytes, into: hash ^ header.sequence)
    for operation in draft.operations {
      hash = Self.mix(operation.path.bytes.array, into: hash ^ UInt64(operation.kind.code))
      hash = Self.mix(operation.payload, into: hash)
    }
    let low = SplitMix.mixed(hash)
    return Transaction.Header(
      stream: header.stream, sequence: header.sequence, time: header.time,
      context: header.context, nonce: header.nonce,
      fingerprint: Fingerprint(rawValue: UInt128(low) << 64 | UInt128(SplitMix.mixed(low))))
  }
}

extension SimulatedDevice.Draft {
  fileprivate mutating func claim(_ context: Context) {
    precondition(operations.isEmpty || header.context == context, "one transaction, one context")
    header = Transaction.Header(
      stream: header.stream, sequence: header.sequence, time: header.time, context: context,
      nonce: header.nonce, fingerprint: .origin)
  }
}

// MARK: - Importing

extension SimulatedDevice {
  /// Applies transactions as one import does, then publishes the removals that may go now.
  ///
  /// Returns the transactions that the removals became, and the documents that changed.
  mutating func receive(
    _ transactions: [Sent], wall: Int64
  ) -> (published: [Sent], changed: Set<DocumentKey>) {
    frontier = frontier.readAnew
    var steps: [DocumentKey: [(Operation, Transaction.Header, Int)]] = [:]
    for transaction in transactions {
      frontier.apply(
        transaction.header, after: transaction.previous,
        isUnderstood: understands(transaction.operations),
        inserts: transaction.operations.inserts(besides: transaction.header.stream))
      clock.merge(transaction.header.time)
      for (index, operation) in transaction.operations.enumerated() {
        steps[operation.document, default: []].append((operation, transaction.header, index))
      }
    }
    for (key, steps) in steps {
      var state = state(of: key)
      var isChanged = false
      for (operation, header, index) in steps {
        let effect = DocumentState.Effect(operation)
        if state.apply(effect, stamp: header.stamp(index), context: header.context) {
          isChanged = true
        }
      }
      guard isChanged else { continue }
      state.settle()
      states[key] = state
    }
    frontier.close()
    let waiting = Set(states.filter { !$0.value.pending.isEmpty }.keys)
    return (releaseRemovals(wall: wall), waiting.union(steps.keys))
  }

  /// Gives up all that it has heard of and misses; returns up to where, and what it publishes then.
  mutating func giveUp(wall: Int64) -> (upTo: [StreamID: UInt64], published: [Sent]) {
    var missing = frontier.missing
    for removal in states.values.flatMap(\.pending) {
      for entry in removal.seen.entries where frontier.lineage.place(of: entry) == nil {
        missing.insert(entry)
      }
    }
    var ends: [StreamID: UInt64] = [:]
    for entry in missing.entries {
      ends[entry.stream] = max(ends[entry.stream] ?? 0, entry.sequence)
      frontier.giveUp(entry.stream, upTo: entry.sequence)
    }
    for (stream, sequence) in frontier.missingInserts {
      ends[stream] = max(ends[stream] ?? 0, sequence)
      frontier.giveUp(stream, upTo: sequence)
    }
    frontier.close()
    return (ends, releaseRemovals(wall: wall))
  }

  mutating func releaseRemovals(wall: Int64) -> [Sent] {
    var bySeen: [Context: Set<DocumentKey>] = [:]
    for (key, state) in states {
      for removal in state.pending { bySeen[removal.seen, default: []].insert(key) }
    }
    var published: [Sent] = []
    for (seen, keys) in bySeen.sorted(by: { $0.key.total < $1.key.total }) {
      guard frontier.isClosed(seen), var draft = beginDraft(wall: wall) else { continue }
      draft.claim(frontier.lineage.reduced(seen))
      for key in keys.sorted() {
        var state = state(of: key, in: draft)
        draft.operations += state.publishRemovals(
          seeing: seen, on: key, header: draft.header, firstIndex: draft.operations.count)
        draft.states[key] = state
        draft.changed.insert(key)
      }
      if let transaction = commit(draft) { published.append(transaction) }
    }
    return published
  }
}

extension Frontier {
  /// As each commit reads it, from what the one before it wrote.
  var readAnew: Frontier {
    Frontier(
      lineage: lineage, closedTips: closedTips, open: open, givenUp: givenUp, lost: lost,
      givenUpNames: givenUpNames)
  }
}

extension Context {
  /// A number that grows with the context, to put contexts in some order.
  fileprivate var total: UInt64 { entries.reduce(0) { $0 + $1.sequence } }
}

extension OperationList {
  /// Up to where other streams have to be known for the inserts to be that these write values to.
  ///
  /// What only takes away needs none: nothing of it shows.
  fileprivate func inserts(besides own: StreamID) -> [StreamID: UInt64] {
    var ends: [StreamID: UInt64] = [:]
    // Those that follow one another mostly edit the same document.
    var last: UInt32?
    for index in rows where table.rows[index].kind.carriesValue {
      let document = table.rows[index].document
      guard document != last else { continue }
      last = document
      let insert = table.documents[Int(document)].insert
      guard insert.stream != own else { continue }
      ends[insert.stream] = Swift.max(ends[insert.stream] ?? 0, insert.sequence)
    }
    return ends
  }
}
