import GRDB
import Replication
import SegmentFormat

/// What the logs say of some documents.
package struct RecordedEvents: Sendable {
  /// The transactions of a stream that are applied and whose content is not kept here.
  package struct Missing: Sendable, Equatable {
    package let stream: StreamID
    package let name: String?
    package let range: ClosedRange<UInt64>
  }

  package fileprivate(set) var events: [DocumentKey: [DocumentEvent]] = [:]
  /// What is not known; empty if the history is whole.
  package fileprivate(set) var missing: [Missing] = []
  /// From when on it is whole; nil if nothing was dropped.
  ///
  /// What had been written over before that may have been.
  package let start: HybridTime?
  /// What is held of the streams, to tell their branches apart.
  package let lineage: Lineage

  fileprivate init(lineage: Lineage, start: HybridTime?) {
    self.lineage = lineage
    self.start = start
  }

  /// What is known of the life of a document.
  package func history(of key: DocumentKey) -> DocumentHistory {
    DocumentHistory(of: events[key] ?? [], lineage: lineage)
  }
}

/// Why something of the past cannot be told or taken back.
package enum HistoryError: Error, Equatable, Sendable {
  case unknownTransaction(String)
  /// The beginning of a stream's id stands for several streams.
  case ambiguous(String, [StreamID])
  /// Several branches of a stream have a transaction of that number.
  case ambiguousBranch(String, [Context.Entry])
  /// Transactions that would have to be known are not kept.
  case incomplete(RecordedEvents.Missing)
  /// It is about something before the moment from which on history is whole.
  case forgotten(HybridTime)
}

extension TransactionLog {
  /// All transactions that touch any of `keys`.
  func events(of keys: Set<DocumentKey>) throws -> RecordedEvents {
    var recorded = RecordedEvents(
      lineage: streams.frontier.lineage, start: try historyStart)
    for row in streams.all {
      let missing = try forEach(of: row.stream) { transaction in
        for (index, operation) in transaction.operations.all.enumerated()
        where keys.contains(operation.document) {
          recorded.append(operation, at: transaction.place(index), of: transaction.header)
        }
      }
      recorded.missing += missing.map {
        RecordedEvents.Missing(stream: row.stream, name: streams.name(of: row.stream), range: $0)
      }
    }
    return recorded
  }

  /// A transaction, and the documents that it wrote.
  typealias Found = (header: Transaction.Header, documents: Set<DocumentKey>)

  /// The transaction of a name.
  ///
  /// - parameter name: `<stream>:<sequence>`, and where the stream has branches, perhaps
  ///   `:<fingerprint>`; both ids may be cut where that is unambiguous.
  /// - throws: ``HistoryError``, also if something was dropped of it.
  func transaction(named name: String) throws -> Found {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      let sequence = UInt64(parts[1]), let stream = try stream(beginningWith: String(parts[0]))
    else { throw HistoryError.unknownTransaction(name) }
    var found: [Found] = []
    var isReduced = false
    let missing = try forEach(of: stream) { transaction in
      let tip = transaction.header.tip
      guard tip.sequence == sequence,
        parts.count < 3 || tip.fingerprint.description.hasPrefix(parts[2])
      else { return }
      if !transaction.isWhole { isReduced = true }
      found.append((transaction.header, Set(transaction.operations.all.map(\.document))))
    }
    guard found.count <= 1 else {
      throw HistoryError.ambiguousBranch(name, found.map(\.header.tip))
    }
    if let only = found.first {
      let start = try historyStart
      if let start, isReduced || only.header.time <= start { throw HistoryError.forgotten(start) }
      return only
    }
    guard let range = missing.first(where: { $0.contains(sequence) }) else {
      throw HistoryError.unknownTransaction(name)
    }
    throw HistoryError.incomplete(
      RecordedEvents.Missing(stream: stream, name: streams.name(of: stream), range: range))
  }

  /// The stream whose id begins with `prefix`.
  private func stream(beginningWith prefix: String) throws -> StreamID? {
    let found = streams.all.map(\.stream).filter { $0.description.hasPrefix(prefix) }
    guard found.count <= 1 else { throw HistoryError.ambiguous(prefix, found) }
    return found.first
  }
}

extension RecordedEvents {
  fileprivate mutating func append(
    _ operation: Operation, at index: Int, of header: Transaction.Header
  ) {
    var list = events.removeValue(forKey: operation.document) ?? []
    if list.last?.header != header { list.append(DocumentEvent(header: header)) }
    list[list.count - 1].append(operation, at: index)
    events[operation.document] = list
  }

  /// Throws if something is missing.
  func whole() throws -> [DocumentKey: [DocumentEvent]] {
    if let missing = missing.first { throw HistoryError.incomplete(missing) }
    return events
  }
}

extension StoreSnapshot {
  var log: TransactionLog { TransactionLog(db: db, streams: streams) }

  /// A document's transactions, and what is not known of them.
  package func events(of key: DocumentKey) throws -> RecordedEvents {
    try log.events(of: [key])
  }

  /// The same of several documents, for which the logs are read once.
  package func events(of keys: Set<DocumentKey>) throws -> RecordedEvents {
    try log.events(of: keys)
  }

  /// A document's canonical body as of the operations stamped up to `time`; nil if it was absent.
  ///
  /// - throws: ``HistoryError/incomplete(_:)`` where something is not known that may decide it,
  ///   ``HistoryError/forgotten(_:)`` where something may have been dropped.
  package func body(of key: DocumentKey, at time: HybridTime) throws -> [UInt8]? {
    let recorded = try log.events(of: [key])
    if let start = recorded.start, time < start { throw HistoryError.forgotten(start) }
    let events = try recorded.whole()[key] ?? []
    let past = events.filter { $0.header.time <= time }
    let view = DocumentState(of: past, lineage: streams.frontier.lineage).view()
    if view.isStump, recorded.start != nil {
      let next = events.map(\.header.time).filter { $0 > time }.min()
      throw HistoryError.forgotten(next ?? time)
    }
    return view.body
  }

  /// What people call each device.
  package var deviceNames: [StreamID: String] {
    var names: [StreamID: String] = [:]
    for row in streams.all { names[row.stream] = streams.name(of: row.stream) }
    return names
  }
}
