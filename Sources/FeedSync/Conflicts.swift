import CanonicalJSON
import DocumentStorage
import Foundation
import Replication

/// Values that were written without knowledge of one another, and differ.
///
/// The one with the latest stamp shows, on every device; the others are kept until somebody writes
/// who has seen them.
///
///     for conflict in try store.conflicts(of: "groceries", in: "notes") {
///       print(conflict.path, conflict.values.map { $0.content?.canonical ?? "deleted" })
///     }
public struct Conflict: Hashable, Sendable {
  /// What it is about.
  public enum Kind: String, Sendable {
    /// Different values of one member.
    case value
    /// Different kinds of things at one place, such as an object and a number.
    case structure
    /// Somebody deleted the document who had not seen an edit of it.
    case delete
    /// There are edits of a document whose insert is not here; another document may show in its
    /// place.
    case missingInsert = "missing-insert"
    /// A value that does not show, or all of a document, since it may have been changed or deleted
    /// by somebody who has seen a branch of a cloned device that has not arrived here.
    case doubtful
  }

  /// One of the values.
  public struct Value: Hashable, Sendable {
    /// The value; nil stands for the document's absence.
    public let content: JSON?
    /// Who wrote it; nil if it is this device's and not published yet, or nobody's.
    public let device: DeviceDescription?
    /// When it was written, by that device's clock.
    public let time: Date?
    /// The transaction that wrote it, the latest of those that an object consists of.
    public let transaction: TransactionID?
  }

  /// The document's collection.
  public let collection: String
  /// The document's id.
  public let id: String
  /// The member, as a JSON Pointer such as `/title`; empty for the document as a whole.
  public let path: String
  /// What it is about.
  public let kind: Kind
  /// What shows, then what lost, the newest first.
  public let values: [Value]
  /// The values of other conflicts at the same path: who settles one settles all.
  let beside: Set<Value>
}

/// A document that has conflicts, and where.
public struct ConflictedDocument: Hashable, Sendable {
  /// The collection's name.
  public let collection: String
  /// The document's id.
  public let id: String
  /// What competes in it, sorted by path.
  public let conflicts: [Conflict]
}

/// How a conflict is settled.
public enum ConflictResolution: Sendable {
  /// By what shows: the first of its values.
  case shown
  /// By another of its values.
  case choosing(Conflict.Value)
  /// By a new value.
  case value(JSON)
}

extension DocumentStore {
  /// The documents that have conflicts, sorted by collection and id.
  ///
  ///     for document in try store.conflictedDocuments() {
  ///       print(document.collection, document.id, document.conflicts.map(\.path))
  ///     }
  public func conflictedDocuments() throws -> [ConflictedDocument] {
    try conflictedDocuments(in: nil)
  }

  /// - parameter collections: Nil for all of them.
  func conflictedDocuments(in collections: Set<ByteString>?) throws -> [ConflictedDocument] {
    try transaction("list conflicts") {
      try database.readSnapshot { snapshot in
        var documents: [ConflictedDocument] = []
        let names = snapshot.deviceNames
        try snapshot.forEachConflicted(in: collections) { key, conflicts in
          documents.append(try ConflictedDocument(key, conflicts, names: names))
        }
        return documents
      }
    }
  }

  /// The documents that have conflicts, without blocking the caller's thread.
  public func conflictedDocuments() async throws -> [ConflictedDocument] {
    try await run { try self.conflictedDocuments() }
  }

  /// The conflicts of a document, sorted by path; none for a document that is not there.
  ///
  /// - throws: ``FeedSyncError`` with `.badInput` for names over the limits.
  public func conflicts(of id: String, in collection: String) throws -> [Conflict] {
    let key = try DocumentRules.key(collection, id)
    return try transaction("read conflicts") {
      try database.readSnapshot { snapshot in
        let names = snapshot.deviceNames
        return try Conflict.all(snapshot.conflicts(of: key), of: key, names: names)
      }
    }
  }

  /// Settles a conflict: here, and on every device that the transaction reaches.
  ///
  ///     if let conflict = try store.conflicts(of: "groceries", in: "notes").first {
  ///       try store.resolve(conflict, by: .shown)
  ///     }
  ///
  /// One may settle others: that of the document as a whole settles all; so read them anew after
  /// each. Where one of a member would settle that of another member, it is refused: the document,
  /// or an object in it, was taken away beside its edits, or something else competes with that
  /// object, and so it is written anew as a whole.
  /// If two devices settle it at the same time and differently, their two values are a conflict.
  /// - throws: ``FeedSyncError`` with `.notFound` if it is settled already, `.badInput` for a value
  ///   that makes the document no object or too large, `.tryAgain` where other values compete
  ///   by now than `conflict` has, `.usage` where it would settle others.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, by resolution: ConflictResolution
  ) throws -> WriteResult<Void> {
    let operation = "settle a conflict"
    let key = try DocumentRules.key(conflict.collection, conflict.id)
    guard let path = Path(pointer: conflict.path) else {
      throw FeedSyncError(
        .usage, operation: operation, message: "'\(conflict.path)' is no JSON Pointer")
    }
    return try commit(operation) { writer in
      try writer.resolve(
        key, at: path, by: try writer.choice(resolution, of: conflict, in: key, at: path)
      ) {
        try DocumentRules.check($0, operation: operation)
      }
    }
  }
}

extension StoreWriter {
  /// The resolution in terms of the conflict as it is now.
  ///
  /// - throws: where a value has come since, which nobody has chosen against.
  fileprivate func choice(
    _ resolution: ConflictResolution, of conflict: Conflict, in key: DocumentKey, at path: Path
  ) throws -> ConflictChoice {
    let listed = try conflicts(of: key).filter { $0.path == path }
    // That there is none any more is told by whoever settles it.
    guard !listed.isEmpty else { return .listed(1) }
    let known = conflict.values + conflict.beside
    let isShown = listed.contains { present in
      present.values.first.map { conflict.values.first?.matches($0) ?? false } ?? false
    }
    guard isShown,
      listed.flatMap(\.values).allSatisfy({ value in known.contains { $0.matches(value) } })
    else {
      throw FeedSyncError(
        .tryAgain, operation: "settle a conflict",
        message: "something has been written meanwhile, and other values compete now",
        hint: "read the conflict again")
    }
    switch resolution {
    case .shown: return .listed(1)
    case .value(let json): return .value(json)
    case .choosing(let value):
      let values = listed.flatMap(\.values)
      guard let index = values.firstIndex(where: { value.matches($0) }) else {
        throw FeedSyncError(
          .tryAgain, operation: "settle a conflict",
          message: "the value is none of the conflict's any more", hint: "read it again")
      }
      return .listed(index + 1)
    }
  }
}

extension Conflict.Value {
  /// Whether it is the same as one that competes now: of two that look the same, one may be a
  /// counter's.
  fileprivate func matches(_ value: DocumentConflict.Value) -> Bool {
    content?.canonicalBytes() == value.content
      && transaction == value.stamp.map { TransactionID($0.dot) }
  }
}

// MARK: - From the layers below

extension ConflictedDocument {
  package init(
    _ key: DocumentKey, _ conflicts: [DocumentConflict], names: [StreamID: String]
  ) throws {
    self.init(
      collection: key.collection.description, id: key.id.description,
      conflicts: try Conflict.all(conflicts, of: key, names: names))
  }
}

extension Conflict {
  /// The conflicts of a document.
  package static func all(
    _ conflicts: [DocumentConflict], of key: DocumentKey, names: [StreamID: String]
  ) throws -> [Conflict] {
    let values = try conflicts.map { try $0.values.map { try Value($0, names: names) } }
    return conflicts.indices.map { index in
      let path = conflicts[index].path
      let beside = conflicts.indices.filter { $0 != index && conflicts[$0].path == path }
      return Conflict(
        collection: key.collection.description, id: key.id.description, path: path.pointer,
        kind: Kind(rawValue: conflicts[index].kind.rawValue) ?? .structure,
        values: values[index], beside: Set(beside.flatMap { values[$0] }))
    }
  }
}

extension Conflict.Value {
  fileprivate init(_ value: DocumentConflict.Value, names: [StreamID: String]) throws {
    self.init(
      content: try value.content.map { try JSON(parsing: $0, limits: .held) },
      device: value.stamp.map { stamp in
        DeviceDescription(id: stamp.dot.stream.description, name: names[stamp.dot.stream])
      },
      time: value.stamp.map {
        Date(timeIntervalSince1970: Double($0.time.milliseconds) / 1000)
      },
      transaction: value.stamp.map { TransactionID($0.dot) })
  }
}
