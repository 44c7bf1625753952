import CanonicalJSON
import DocumentStorage
import Replication

/// What is to become of a key; nil removes it.
package struct KeyValueEdit {
  package let key: String
  package let value: PropertyListValue?

  package init(key: String, value: PropertyListValue?) {
    self.key = key
    self.value = value
  }
}

/// How a key's value stands in its document.
///
/// The body is `{"value":[…]}`. An array is one value to the merge, so that two dictionaries that
/// are written at once are never mixed. An empty one says that the key has been removed: a
/// document shows so where its key was removed beside a write that came earlier, so that of both
/// the later counts, as of two writes.
package enum KeyValueBody {
  private static let member: ByteString = "value"
  private static let start = Array(#"{"value":["#.utf8)
  private static let end = Array("]}".utf8)

  static let removed = body([])

  static func holding(_ value: PropertyListValue) throws(FeedSyncError) -> JSON {
    body([try KeyValueRules.json(value)])
  }

  private static func body(_ content: [JSON]) -> JSON { .object([member: .array(content)]) }

  /// How large the value in a canonical body is; nil if there is none.
  ///
  /// What somebody else put there counts, too.
  static func valueBytes(_ body: [UInt8]) -> Int? {
    let wrapped = start.count + end.count
    guard body.count > wrapped || !body.starts(with: start) else { return nil }
    return max(body.count - wrapped, 1)
  }

  /// What a body holds.
  package enum Content {
    case removed
    case value(PropertyListValue)
    /// No key-value store wrote it, or one of a later version.
    case unreadable
  }

  package static func content(_ body: [UInt8]) throws -> Content {
    guard case .object(let object) = try JSON(parsing: body, limits: .held),
      object.members.count == 1, case .array(let held)? = object[member], held.count <= 1
    else { return .unreadable }
    guard let json = held.first else { return .removed }
    return PropertyListValue(json: json).map { .value($0) } ?? .unreadable
  }
}

// MARK: - Writing

/// Writes keys in a transaction: all, or none where the store would pass its limits.
package enum KeyValueEditing {
  /// - returns: The keys that were to be removed, and had no value.
  /// - throws: ``FeedSyncError`` for a key or value that is none; ``KeyValueViolation``.
  package static func apply(
    _ edits: [KeyValueEdit], in collection: ByteString, to writer: inout StoreWriter
  ) throws -> [String] {
    let bodies = try edits.map { edit in
      (
        try KeyValueRules.document(edit.key, in: collection),
        try edit.value.map { try KeyValueBody.holding($0) }
      )
    }
    let present = try writer.committed().keyValueSizes(in: collection)
    try check(bodies, beside: present, writing: edits.map(\.key))
    for (document, body) in bodies {
      if let body {
        try DocumentRules.check(body, operation: "set a value")
        _ = try writer.put(body, at: document)
      } else if try writer.body(at: document) != nil {
        // Written and deleted: alone it is a deletion, and beside a write the later counts.
        _ = try writer.put(KeyValueBody.removed, at: document)
        _ = try writer.delete(document)
      }
    }
    return edits.filter { $0.value == nil && present[ByteString($0.key)] == nil }.map(\.key)
  }

  private static func check(
    _ bodies: [(document: DocumentKey, body: JSON?)], beside present: [ByteString: Int],
    writing keys: [String]
  ) throws {
    var sizes = present
    for (document, body) in bodies {
      sizes[document.id] = body.flatMap { KeyValueBody.valueBytes($0.canonicalBytes()) }
    }
    let violation = KeyValueViolation(
      from: KeyValueUsage(present), to: KeyValueUsage(sizes), writing: keys)
    if let violation { throw violation }
  }
}

extension KeyValueUsage {
  init(_ sizes: [ByteString: Int]) {
    self.init(keys: sizes.count, bytes: sizes.values.reduce(0, +))
  }
}

extension StoreSnapshot {
  /// The keys that have a value, with its bytes.
  func keyValueSizes(in collection: ByteString) throws -> [ByteString: Int] {
    var sizes: [ByteString: Int] = [:]
    try forEachDocument(in: collection) { key, body in
      sizes[key.id] = KeyValueBody.valueBytes(body)
    }
    return sizes
  }

  /// What tells the values of keys apart in this process; a key without a value has none.
  func keyValueDigests(
    of keys: Set<ByteString>?, in collection: ByteString
  ) throws -> [ByteString: Int] {
    var digests: [ByteString: Int] = [:]
    guard let keys else {
      try forEachDocument(in: collection) { digests[$0.id] = KeyValueBody.digest($1) }
      return digests
    }
    for key in keys {
      let body = try document(at: DocumentKey(collection: collection, id: key))?.body
      digests[key] = body.flatMap { KeyValueBody.digest($0) }
    }
    return digests
  }
}

extension KeyValueBody {
  static func digest(_ body: [UInt8]) -> Int? { valueBytes(body) == nil ? nil : body.hashValue }
}
