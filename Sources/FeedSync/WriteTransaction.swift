import CanonicalJSON
import DocumentStorage
import Replication

/// A transaction in the making, for the body of `write` on a ``DocumentStore``.
///
/// Reads see what it has written so far. Of what is written, only what differs from the present
/// content becomes a change, so concurrent edits of other members survive.
public final class WriteTransaction {
  private var writer: StoreWriter?

  init(_ writer: StoreWriter) { self.writer = writer }

  /// Ends it, and gives the writer back.
  func end(_ target: inout StoreWriter) {
    if let writer { target = writer }
    writer = nil
  }

  private static let over = FeedSyncError(
    .usage, operation: "write", message: "the transaction is over",
    hint: "use it only inside the body that it was given to")

  func edit(_ body: (inout StoreWriter) throws -> StoreWriter.Edit) throws -> Bool {
    guard var writer else { throw Self.over }
    // Taken out, so that the writer is changed in place.
    self.writer = nil
    defer { self.writer = writer }
    switch try body(&writer) {
    case .changed: return true
    case .unchanged, .absent: return false
    case .stale: throw DocumentRules.stale
    }
  }

  /// Makes several edits of a document, or none where one of them is refused: whoever catches that
  /// may go on.
  private func together(at key: DocumentKey, _ edits: () throws -> Void) throws {
    let before = writer?.point(of: key)
    do {
      try edits()
    } catch {
      if let before { writer?.goBack(to: before) }
      throw error
    }
  }
}

// MARK: - Reading

extension WriteTransaction {
  /// A document's content as this transaction leaves it so far; nil if it is absent.
  public func body(at id: String, in collection: String) throws -> JSON? {
    guard let writer else { throw Self.over }
    let key = try DocumentRules.key(collection, id)
    return try writer.body(at: key).map { try JSON(parsing: $0, limits: .held) }
  }

  /// The same as a value of a type of the program's.
  ///
  /// - throws: `DecodingError` if the content does not have that form.
  public func get<Value: Decodable>(
    _ type: Value.Type = Value.self, at id: String, in collection: String
  ) throws -> Value? {
    try body(at: id, in: collection).map { try DocumentDecoder().decode(type, from: $0) }
  }
}

// MARK: - Writing

extension WriteTransaction {
  /// Writes a document whole: members that `value` does not have are removed.
  ///
  /// To change a document that may have members which this program does not know, because another
  /// version of it wrote them, use ``update(_:at:in:_:)``.
  /// - parameters:
  ///   - value: Encodes to an object of at most 1 MiB, 64 levels deep. Dates become ISO 8601 with
  ///     milliseconds, `Data` base64.
  ///   - id: The document's id, 1 to 1,024 bytes.
  ///   - collection: The collection's name, 1 to 64 characters of `a-z0-9._-`.
  ///   - version: What the new content was made from; nil for what is there now. Members changed
  ///     by others since then are kept, or become conflicts where both changed the same one.
  /// - returns: Whether anything changed.
  /// - throws: `EncodingError`; ``FeedSyncError`` with `.badInput` over a limit (a transaction has
  ///   at most 48 MiB), `.tryAgain` where the document has been rewritten since the version was
  ///   deleted or replaced, or the version has not arrived here, `.usage` where writes based on
  ///   different versions come together in one transaction. A document that is absent is made anew.
  @discardableResult
  public func put<Value: Encodable>(
    _ value: Value, at id: String, in collection: String, basedOn version: VersionToken? = nil
  ) throws -> Bool {
    let encoded = try EncodedMembers(value)
    return try put(
      encoded.json, kinds: encoded.members.kinds, at: id, in: collection, basedOn: version)
  }

  /// Writes a document whole, from JSON.
  ///
  /// - returns: Whether anything changed.
  /// - throws: As `put` with a value, but for `EncodingError`; `.badInput` for what is no object,
  ///   too.
  @discardableResult
  public func put(
    _ body: JSON, at id: String, in collection: String, basedOn version: VersionToken? = nil
  ) throws -> Bool {
    try put(body, kinds: [:], at: id, in: collection, basedOn: version)
  }

  private func put(
    _ body: JSON, kinds: [Path: ReplicatedKind], at id: String, in collection: String,
    basedOn version: VersionToken?
  ) throws -> Bool {
    let key = try DocumentRules.key(collection, id)
    try DocumentRules.check(body, operation: "put")
    let token = try version?.decoded()
    return try edit { try $0.put(body, at: key, token: token, kinds: kinds) }
  }

  /// Changes a document through a value of a type of the program's; members that the type does not
  /// have, and conflicts of members that do not change, stay as they are.
  ///
  /// An array is one value. Where its length stays the same, its elements keep members that their
  /// type does not have; else it is written whole. A ``Counter`` or ``ReplicatedSet`` is written as
  /// what was done to it.
  ///
  ///     try writer.update(Note.self, at: "groceries", in: "notes") { $0.done = true }
  ///
  /// - parameters:
  ///   - type: The type to read the content as.
  ///   - id: The document's id.
  ///   - collection: The collection's name.
  ///   - change: Changes the value; what differs afterwards is written. It must not write the same
  ///     document in another way.
  /// - returns: Whether the document is there.
  /// - throws: What `change` throws, and what writing it whole would throw.
  @discardableResult
  public func update<Value: Codable>(
    _ type: Value.Type = Value.self, at id: String, in collection: String,
    _ change: (inout Value) throws -> Void
  ) throws -> Bool {
    guard let present = try body(at: id, in: collection) else { return false }
    var value = try DocumentDecoder().decode(type, from: present)
    let before = try EncodedMembers(value)
    try change(&value)
    var after = try EncodedMembers(value)
    guard before.json != after.json else { return true }
    let key = try DocumentRules.key(collection, id)
    let edits = try after.takeEdits(since: before)
    try together(at: key) {
      if before.json != after.json {
        let body = present.changed(from: before.json, to: after.json)
        try DocumentRules.check(body, operation: "update")
        let named = before.json.differing(from: after.json)
        let kinds = after.members.kinds
        _ = try edit { try $0.change(to: body, named: named, kinds: kinds, at: key) }
      }
      for (path, edit) in edits { _ = try self.edit(edit, at: path, of: key) }
    }
    return true
  }

  /// Changes members by a JSON merge patch (RFC 7396): null removes, an absent document is made.
  ///
  /// Conflicts of members that the patch does not name are left alone.
  ///
  /// - returns: Whether anything changed.
  /// - throws: ``FeedSyncError`` with `.badInput` for a patch that is no object, and where the
  ///   patch, or what would come of it, is over a limit.
  @discardableResult
  public func patch(_ patch: JSON, at id: String, in collection: String) throws -> Bool {
    let key = try DocumentRules.key(collection, id)
    try DocumentRules.check(patch: patch)
    return try edit {
      try $0.patch(patch, at: key) { try DocumentRules.check($0, operation: "patch") }
    }
  }

  /// Deletes a document; edits made elsewhere that had not seen it bring it back, as a conflict.
  ///
  /// - returns: Whether it was there.
  /// - throws: ``FeedSyncError`` with `.badInput` for names over the limits.
  @discardableResult
  public func delete(at id: String, in collection: String) throws -> Bool {
    let key = try DocumentRules.key(collection, id)
    return try edit { try $0.delete(key) }
  }
}

extension JSON {
  /// This value with the changes that lead from `before` to `after`, member by member.
  func changed(from before: JSON, to after: JSON) -> JSON {
    guard before != after else { return self }
    if case .array(let present) = self, case .array(let old) = before,
      case .array(let new) = after, present.count == old.count, old.count == new.count
    {
      return .array(present.indices.map { present[$0].changed(from: old[$0], to: new[$0]) })
    }
    guard case .object(var present) = self, case .object(let old) = before,
      case .object(let new) = after
    else { return after }
    for member in old.members where new[member.key] == nil { present[member.key] = nil }
    for (key, value) in new.members where old[key] != value {
      guard let shown = present[key], let was = old[key] else {
        present[key] = value
        continue
      }
      present[key] = shown.changed(from: was, to: value)
    }
    return .object(present)
  }
}
