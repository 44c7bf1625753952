import CanonicalJSON
import GRDB
import Replication
import SegmentFormat

/// A local transaction in the making: edits of any number of documents, acknowledged as one.
///
///     let result = try database.writeDocuments(now: wallClock) { writer in
///       try writer.put(key, body)
///     }
///
/// The new state and the outbox entry are committed together (design.md, "Publishing").
package struct StoreWriter {
  /// The largest transaction: a segment must be able to carry it.
  package static let maximumBytes = 48 << 20

  /// What a committed transaction did.
  package struct Result: Sendable, Equatable {
    /// How many documents it changed.
    package let changed: Int
    /// The transaction; nil if there was nothing to publish.
    package let stream: StreamID
    package let sequence: UInt64?
    /// Its fingerprint, where it is one of documents.
    package var fingerprint: Fingerprint?

    package var tip: Context.Entry? {
      guard let sequence, let fingerprint else { return nil }
      return Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint)
    }
  }

  /// A document that this transaction changes.
  struct Draft {
    var state: DocumentState
    /// Where it changes, as those who read it see that; some may stand there more than once.
    var paths: [Path] = []
  }

  let db: Database
  let placed: PlacedDevice
  var streams: StreamDirectory
  var table: DocumentTable
  let nonce: UInt64
  /// What had been seen when it began, which takes a look at all that is open.
  private lazy var seen = streams.frontier.seen
  var header: Transaction.Header
  var context: Context?
  var drafts: [DocumentKey: Draft] = [:]
  var operations: [Operation] = []
  /// About how large the transaction is by now.
  package internal(set) var bytes = 0

  /// - parameter cache: where the device and the streams may be known already.
  init(
    _ db: Database, now: HybridTime, nonce: UInt64, identity: DeviceIdentity,
    cache: ReadCache? = nil
  ) throws {
    try self.init(db, nonce: nonce, identity: identity, cache: cache) { streams, _ in
      var clock = HybridClock(latest: try DeviceRecord.clock(db, streams))
      return clock.tick(wall: now)
    }
  }

  /// One of which what it writes is as old as that which it restates.
  ///
  /// - parameter time: none before that is its.
  init(
    _ db: Database, notBefore time: HybridTime, nonce: UInt64, identity: DeviceIdentity
  ) throws {
    try self.init(db, nonce: nonce, identity: identity, cache: nil) { streams, stream in
      let position = streams.position(of: stream)
      guard position.sequence > 0, position.time >= time else { return time }
      let (next, isOver) = position.time.rawValue.addingReportingOverflow(1)
      return isOver ? nil : HybridTime(rawValue: next)
    }
  }

  private init(
    _ db: Database, nonce: UInt64, identity: DeviceIdentity, cache: ReadCache?,
    at time: (StreamDirectory, StreamID) throws -> HybridTime?
  ) throws {
    guard let placed = try DeviceRecord.current(db, identity, cache: cache) else {
      throw StorageError.noDevice
    }
    guard placed.record.leftAt == nil else { throw StorageError.left }
    (self.db, self.placed, self.nonce) = (db, placed, nonce)
    streams = try cache?.streams(db, isWriting: true) ?? StreamDirectory(db)
    table = try DocumentTable(db)
    guard let time = try time(streams, placed.record.stream) else {
      throw StorageError.clockExhausted
    }
    header = Transaction.Header(
      stream: placed.record.stream,
      sequence: streams.position(of: placed.record.stream).sequence + 1,
      time: time, context: streams.frontier.closed, nonce: nonce, fingerprint: .origin)
  }
}

extension StoreWriter {
  /// What this transaction is named if it comes to be committed and has something to publish.
  package var name: (stream: StreamID, sequence: UInt64) { (header.stream, header.sequence) }
}

// MARK: - Editing

extension StoreWriter {
  /// What an edit of one document came to.
  package enum Edit: Sendable, Equatable {
    case unchanged
    case changed
    /// The base is out of date in a way that cannot be merged; nothing was written.
    case stale
    /// There is no such document.
    case absent
  }

  /// A document's canonical body as this transaction would leave it; nil if it is absent.
  package func body(at key: DocumentKey) throws -> [UInt8]? { try state(of: key).view().body }

  /// A document as this transaction would leave it.
  func view(of key: DocumentKey) throws -> DocumentView { try state(of: key).view() }

  /// Makes `body` the document's content, as compared with `token`'s version or the present one.
  ///
  /// - parameter kinds: where numbers become counters and arrays sets, as they change.
  /// - parameter restoring: what of it is brought back, as what it was.
  /// - parameter settlesOrphans: whether edits whose insert is not here are taken away.
  package mutating func put(
    _ body: JSON, at key: DocumentKey, token: VersionToken? = nil,
    kinds: [Path: ReplicatedKind] = [:], restoring: Restoration? = nil,
    settlesOrphans: Bool = false
  ) throws -> Edit {
    if let token, try !streams.knows(token, db) { throw StorageError.unknownVersion }
    return try write(
      body, patch: nil, token: token, kinds: kinds, restoring: restoring,
      settlesOrphans: settlesOrphans, at: key)
  }

  /// Applies a merge patch (RFC 7396); `check` judges the body that comes out.
  ///
  /// - parameter rewritesEqual: whether values that show already are written again.
  package mutating func patch(
    _ patch: JSON, at key: DocumentKey, rewritesEqual: Bool = false,
    check: (JSON) throws -> Void = { _ in }
  ) throws -> Edit {
    let present = try state(of: key).view().json ?? .object(JSONObject())
    let body = present.mergePatched(with: patch)
    try check(body)
    return try write(body, patch: patch, token: nil, rewritesEqual: rewritesEqual, at: key)
  }

  /// Makes `body` the content, as a change of just the members that `named` has; conflicts of
  /// others stay as they are.
  ///
  /// - parameter named: an object whose keys, and those of objects in it, name what is changed.
  /// - parameter kinds: where numbers become counters and arrays sets, as they change.
  /// - parameter restoring: what of it is brought back, as what it was.
  package mutating func change(
    to body: JSON, named: JSON, kinds: [Path: ReplicatedKind] = [:],
    restoring: Restoration? = nil, at key: DocumentKey
  ) throws -> Edit {
    try write(body, patch: named, token: nil, kinds: kinds, restoring: restoring, at: key)
  }

  /// Edits a counter or a set as such; an absent document is made.
  ///
  /// - parameter check: judges the body that comes out.
  package mutating func edit(
    _ edit: KindEdit, at path: Path, of key: DocumentKey, check: (JSON) throws -> Void
  ) throws -> Edit {
    let outcome = try state(of: key).plan(edit, at: path, frontier: streams.frontier, seen: seen)
    return try perform(outcome, at: key, check: check)
  }

  /// Writes what stands at `path` anew, whatever shows there, to settle what is in doubt; nil takes
  /// it away.
  ///
  /// - parameter restored: see ``DocumentState/plan(settling:as:restoring:frontier:seen:)``.
  mutating func settle(
    _ content: JSON?, restoring restored: DocumentConflict.Value?, at path: Path,
    of key: DocumentKey, check: (JSON) throws -> Void
  ) throws {
    let outcome = try state(of: key).plan(
      settling: path, as: content, restoring: restored, frontier: streams.frontier, seen: seen)
    _ = try perform(outcome, at: key, check: check)
  }

  private mutating func perform(
    _ outcome: KindEdit.Outcome, at key: DocumentKey, check: (JSON) throws -> Void
  ) throws -> Edit {
    let state = try state(of: key)
    switch outcome {
    case .unchanged: return .unchanged
    case .refused(let place, let found): throw StorageError.otherKind(place, found: found)
    case .write(let plan, let body):
      try check(body)
      try perform(plan, wanted: body, on: state, at: key)
      return .changed
    }
  }

  /// - parameter settlesOrphans: see ``DocumentState/planDelete(frontier:seen:settlesOrphans:)``.
  package mutating func delete(_ key: DocumentKey, settlesOrphans: Bool = false) throws -> Edit {
    let state = try state(of: key)
    let plan = state.planDelete(
      frontier: streams.frontier, seen: seen, settlesOrphans: settlesOrphans)
    guard let plan else { return .absent }
    try perform(plan, wanted: nil, on: state, at: key)
    return .changed
  }

  private mutating func write(
    _ body: JSON, patch: JSON?, token: VersionToken?, rewritesEqual: Bool = false,
    kinds: [Path: ReplicatedKind] = [:], restoring: Restoration? = nil,
    settlesOrphans: Bool = false, at key: DocumentKey
  ) throws -> Edit {
    let state = try state(of: key)
    let outcome = state.plan(
      writing: body, patch: patch, token: token, rewritesEqual: rewritesEqual,
      kinds: kinds, restoring: restoring, settlesOrphans: settlesOrphans,
      frontier: streams.frontier, seen: seen, digest: Digest.token)
    switch outcome {
    case .unchanged: return .unchanged
    case .stale: return .stale
    case .write(let plan):
      try perform(plan, wanted: body, on: state, at: key)
      return .changed
    }
  }

  func state(of key: DocumentKey) throws -> DocumentState {
    if let draft = drafts[key] { return draft.state }
    return try table.state(of: key, streams: streams)
  }

  /// Turns the removals of a document that saw `seen` into operations that claim it; returns how
  /// many were given up instead.
  mutating func publishRemovals(at key: DocumentKey, seen: Context) throws -> Int {
    try claimContext(streams.frontier.lineage.reduced(seen))
    var state = try state(of: key)
    let before = state
    let new = state.publishRemovals(
      seeing: seen, on: key, header: header, firstIndex: operations.count)
    try count(new)
    operations += new
    let removals = before.removals(seeing: seen, on: key)
    keep(state, of: key, changedBy: removals, from: before)
    return removals.count - new.count
  }

  /// Writes a document anew of which others have dropped what is edited here.
  ///
  /// It claims nothing but what this stream has said, of other documents: so it covers nothing.
  mutating func revive(_ revival: Revival) throws {
    let position = streams.position(of: header.stream)
    let own = Context.Entry(
      stream: header.stream, sequence: position.sequence, fingerprint: position.fingerprint)
    try claimContext(position.sequence > 0 ? Context([own]) : Context())
    let insert = header.stamp(operations.count).dot
    let new = revival.steps.map { step in
      Operation(
        document: revival.key, insert: insert, path: step.path, kind: step.kind,
        payload: step.payload)
    }
    try count(new)
    let before = try state(of: revival.key)
    var state = before
    for (offset, operation) in new.enumerated() {
      state.apply(
        .init(operation), stamp: header.stamp(operations.count + offset), context: header.context)
    }
    operations += new
    keep(state, of: revival.key, changedBy: new, from: before)
  }

  /// One transaction has one context.
  private mutating func claimContext(_ claim: Context) throws {
    guard context == nil || context == claim else { throw StorageError.mixedVersions }
    context = claim
    header = Transaction.Header(
      stream: header.stream, sequence: header.sequence, time: header.time, context: claim,
      nonce: nonce, fingerprint: .origin)
  }

  /// - parameter before: What it was before `new`.
  private mutating func keep(
    _ state: DocumentState, of key: DocumentKey, changedBy new: [Operation],
    from before: DocumentState
  ) {
    func keep(in draft: inout Draft) {
      draft.state = state
      for operation in new where !operation.path.isRoot {
        draft.paths.append(before.shownPath(of: operation.kind, at: operation.path))
      }
    }
    keep(in: &drafts[key, default: Draft(state: state)])
  }

  private mutating func count(_ new: [Operation]) throws {
    let sum =
      bytes
      + Self.bytes(
        of: new.first?.document, new.lazy.map { $0.payload.count + $0.path.bytes.count })
    // What is refused is not in it: whoever catches that may go on.
    guard sum <= Self.maximumBytes else { throw StorageError.transactionTooLarge(bytes: sum) }
    bytes = sum
  }

  private mutating func perform(
    _ plan: EditPlan, wanted: JSON?, on state: DocumentState, at key: DocumentKey
  ) throws {
    if let path = state.newerPath(touchedBy: plan) {
      throw StorageError.newerOperations(key, path)
    }
    try claimContext(plan.context)
    let before = state
    var state = state
    let new = state.perform(
      plan, wanted: wanted, on: key, header: header, firstIndex: operations.count)
    try count(new)
    operations += new
    keep(state, of: key, changedBy: new, from: before)
  }
}
