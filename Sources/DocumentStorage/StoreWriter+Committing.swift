import GRDB
import Replication
import SegmentFormat

extension StoreWriter {
  private var device: DeviceRecord { placed.record }

  /// Stores states, position, clock and outbox entry.
  ///
  /// - parameter isRelease: whether all that is done is to publish what showed already: those who
  ///   follow the store are told of documents only that show something else by that, or are in
  ///   conflict.
  mutating func finish(isRelease: Bool = false) throws -> Result {
    guard !drafts.isEmpty else { return result(sequence: nil) }
    let before = isRelease ? try storedDocuments() : [:]
    // Without operations there are only removals that wait: nothing to publish yet.
    if !operations.isEmpty { try appendTransaction() }
    var documents = try saveStates()
    if isRelease {
      let after = try storedDocuments()
      documents.removeAll { before[$0.key] == after[$0.key] }
    }
    documents += try judgedAgain()
    let sequence = operations.isEmpty ? nil : header.sequence
    if !documents.isEmpty { try tell(documents, sequence: sequence) }
    return result(sequence: sequence)
  }

  private struct Shown: Equatable {
    let body: [UInt8]?
    let conflicts: Int
  }

  /// What the rows of its documents show.
  private func storedDocuments() throws -> [DocumentKey: Shown] {
    var shown: [DocumentKey: Shown] = [:]
    for key in drafts.keys {
      let view = try table.state(of: key, streams: streams).view()
      shown[key] = Shown(body: view.body, conflicts: view.conflictCount)
    }
    return shown
  }

  /// What this write had seen may tell of a branch that nobody here knew of.
  private mutating func judgedAgain() throws -> [ImportedPart.Document] {
    guard streams.hasRebranched else { return [] }
    return try table.judgeAgain(&streams, streams.hasNewMeaning ? .all : .provisional)
      .filter { drafts[$0.key] == nil }
      .map {
        ImportedPart.Document(key: $0.key, isDeleted: !$0.isVisible, paths: $0.paths.sorted())
      }
  }

  private func tell(_ documents: [ImportedPart.Document], sequence: UInt64?) throws {
    let origin = CommittedChange.Origin(
      stream: device.stream, sequence: sequence,
      collections: Set(documents.map(\.key.collection)).sorted(),
      documents: documents, isComplete: true)
    try ChangeLog.append([origin], db)
  }

  /// Stores a transaction that says nothing of documents, to carry what its segment tells.
  mutating func finishWithoutOperations() throws { try appendTransaction() }

  private func result(sequence: UInt64?) -> Result {
    Result(
      changed: drafts.count, stream: device.stream, sequence: sequence,
      fingerprint: sequence == nil ? nil : header.fingerprint)
  }

  private mutating func appendTransaction() throws {
    // First of all: who catches it has changed nothing.
    try Outbox.check(header.context)
    let previous = streams.position(of: device.stream)
    let operations = OperationList(self.operations)
    let form = CanonicalTransaction.bytes(
      sequence: header.sequence, time: header.time, context: header.context,
      operations: operations)
    header = Transaction.Header(
      stream: header.stream, sequence: header.sequence, time: header.time,
      context: header.context, nonce: nonce,
      fingerprint: Fingerprint(
        after: previous.fingerprint, nonce: nonce, canonicalForm: form))
    try streams.apply(
      header, OperationFacts(of: operations, in: header.stream), after: previous.fingerprint, db)
    try streams.save(db)
    try Outbox.append(
      Transaction(header: header, operations: operations), after: previous,
      container: device.container, streams: &streams, db)
  }

  private mutating func saveStates() throws -> [ImportedPart.Document] {
    var batch = DocumentBatch()
    let places = Array(drafts.indices)
    let order = DocumentOrder.indices(of: DocumentKeys(drafts.keys))
    let saved = try order.map { number in
      let (key, draft) = drafts[places[number]]
      var state = draft.state
      if !operations.isEmpty { state.seal(header.tip) }
      state.lineage = streams.frontier.lineage
      state.settle()
      let isVisible = try table.save(state, of: key, in: &batch) { try streams.number(of: $0, db) }
      return ImportedPart.Document(
        key: key, isDeleted: !isVisible, paths: draft.paths.sortedOnce())
    }
    try table.write(&batch)
    return saved
  }
}

extension [Path] {
  /// Each once, in their order.
  fileprivate func sortedOnce() -> [Path] {
    guard count > 1 else { return self }
    var paths: [Path] = []
    for path in sorted() where paths.last != path { paths.append(path) }
    return paths
  }
}
