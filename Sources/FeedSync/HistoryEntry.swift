import CanonicalJSON
import DocumentStorage
import Foundation
import Replication

/// What one transaction did to a document.
///
///     for entry in try store.history(of: "groceries", in: "notes").entries {
///       print(entry.time, entry.device.name ?? entry.device.id, entry.event, entry.changes)
///     }
public struct HistoryEntry: Sendable {
  /// What it meant for the document as a whole.
  public enum Event: String, Sendable {
    /// It made the document, or brought it back.
    case inserted
    /// It changed members of it.
    case edited
    /// It took the document away.
    case deleted
    /// It deleted what its author saw; an edit that the author had not seen kept the document.
    case deletedInVain = "deleted-in-vain"
  }

  /// The transaction, for `undo` of a ``DocumentStore``.
  public let transaction: TransactionID
  /// Who wrote it.
  public let device: DeviceDescription
  /// When, by that device's clock, which feedsync keeps later than all that it had seen.
  public let time: Date
  /// What it meant for the document as a whole.
  public let event: Event
  /// The members that it changed, sorted by path.
  public let changes: [MemberChange]
}

/// What a transaction changed at one place of a document.
public struct MemberChange: Sendable {
  /// What has become of the new value since.
  public enum Outcome: Sendable, Equatable {
    /// It shows.
    case shown
    /// A later transaction, whose author had seen it, changed it.
    case superseded(by: TransactionID)
    /// A value that was written without knowledge of it shows in its place.
    case lost(to: TransactionID)
    /// A deletion of the document took it away.
    case deleted(by: TransactionID)
  }

  /// The kind of operation that did it.
  public enum Kind: String, Sendable {
    /// It gave the member a value.
    case set
    /// It made the member, or one above it, an object.
    case clear
    /// It took away the member, or one above it.
    case remove
    /// It deleted the document.
    case delete
    /// It added to a counter.
    case increment
    /// It made the member a counter that starts with a number.
    case counter
    /// It put an element into a set.
    case add
    /// It made the member a set.
    case emptySet = "empty-set"
    /// One that this version does not know.
    case unknown
  }

  /// A value that another device had written at the same time.
  public struct LostValue: Sendable, Equatable {
    /// The value.
    public let value: JSON
    /// The transaction that wrote it.
    public let transaction: TransactionID
  }

  /// The member, as a JSON Pointer such as `/title`; empty for a document without members.
  public let path: String
  /// The kind of operation that did it; nil where the member only came to light by another change.
  public let kind: Kind?
  /// What showed before; nil for nothing.
  public let old: JSON?
  /// What showed after it; nil for nothing.
  public let new: JSON?
  /// What has become of the new value since; nil where there is none.
  public let outcome: Outcome?
  /// Values that its author had not seen, and that lost against it.
  public let lost: [LostValue]
}

/// The history of a document, the oldest first.
public struct DocumentTimeline: Sendable {
  /// What is not known of the past.
  public struct Missing: Sendable, Equatable {
    /// Whose transactions they are.
    public let device: DeviceDescription
    /// Their numbers.
    public let transactions: ClosedRange<UInt64>
    /// The same in words.
    public let message: String
  }

  /// What each transaction did.
  public let entries: [HistoryEntry]
  /// What was applied before this device kept what it reads; empty if the history is whole.
  public let missing: [Missing]
  /// From when on it is whole; nil if nothing was dropped that may belong to this document.
  ///
  /// What had been written over before that may have been, by `compact`, here or elsewhere.
  public let start: Date?
}

// MARK: - From the layers below

extension TransactionID {
  init(_ dot: Dot) { self.init(stream: dot.stream.description, sequence: dot.sequence) }
}

extension DocumentTimeline {
  package init(_ recorded: RecordedEvents, of key: DocumentKey, names: [StreamID: String]) throws {
    entries = try recorded.history(of: key).changes.map { try HistoryEntry($0, names: names) }
    let events = recorded.events[key] ?? []
    let isYounger =
      !events.isEmpty && events.allSatisfy { $0.header.time > recorded.start ?? .zero }
    start = (isYounger ? nil : recorded.start).map { Date($0) }
    missing = recorded.missing.map { missing in
      Missing(
        device: DeviceDescription(id: missing.stream.description, name: missing.name),
        transactions: missing.range, message: FeedSyncError.notKept(missing))
    }
  }
}

extension HistoryEntry {
  fileprivate init(_ change: DocumentHistory.Change, names: [StreamID: String]) throws {
    let header = change.header
    let event: Event =
      switch (change.wasVisible, change.isVisible) {
      case (_, true) where change.deletes: .deletedInVain
      case (false, true): .inserted
      case (_, false) where change.deletes: .deleted
      default: .edited
      }
    self.init(
      transaction: TransactionID(stream: header.stream.description, sequence: header.sequence),
      device: DeviceDescription(id: header.stream.description, name: names[header.stream]),
      time: Date(header.time), event: event,
      changes: try change.members.map { try MemberChange($0) })
  }
}

extension MemberChange {
  fileprivate init(_ member: DocumentHistory.Member) throws {
    self.init(
      path: member.path.pointer, kind: member.kind.map { Kind($0) },
      old: try member.old.map { try JSON(parsing: $0, limits: .held) },
      new: try member.new.map { try JSON(parsing: $0, limits: .held) },
      outcome: member.outcome.map { Outcome($0) },
      lost: try member.lost.map {
        LostValue(
          value: try JSON(parsing: $0.value, limits: .held), transaction: TransactionID($0.dot))
      })
  }
}

extension MemberChange.Kind {
  fileprivate init(_ kind: OperationKind) {
    self = Self(rawValue: kind.name) ?? .unknown
  }
}

extension MemberChange.Outcome {
  fileprivate init(_ outcome: DocumentHistory.Outcome) {
    self =
      switch outcome {
      case .shown: .shown
      case .superseded(let dot): .superseded(by: TransactionID(dot))
      case .lost(let dot): .lost(to: TransactionID(dot))
      case .deleted(let dot): .deleted(by: TransactionID(dot))
      }
  }
}

extension Date {
  /// The millisecond of a hybrid clock's moment.
  init(_ time: HybridTime) {
    self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
  }
}
