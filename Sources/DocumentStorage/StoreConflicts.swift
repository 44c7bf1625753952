import CanonicalJSON
import GRDB
import Replication

/// How a conflict is settled.
package enum ConflictChoice: Sendable {
  /// By the value of this number, as they are listed: 1 is the one that shows.
  ///
  /// Where a path has two conflicts, the second's values are counted on from the first's.
  case listed(Int)
  /// By another value.
  case value(JSON)
}

/// Why a conflict cannot be settled as asked.
package enum ConflictError: Error, Equatable, Sendable {
  /// There is none at the path, or in the document.
  case none(DocumentKey, Path?)
  /// Which one is meant has to be said.
  case several(DocumentKey, [Path])
  /// There are fewer values than the number.
  case noSuchValue(Int, of: Int)
  /// A document is an object.
  case notAnObject
  /// The write that settles the conflict would settle others as well, by what shows there.
  case settlesMore(DocumentKey, Path, [Path])
}

extension StoreSnapshot {
  /// Calls `body` with each document that has conflicts, sorted by collection and id.
  ///
  /// - parameter collections: Nil for all of them.
  package func forEachConflicted(
    in collections: Set<ByteString>? = nil,
    _ body: (DocumentKey, [DocumentConflict]) throws -> Void
  ) throws {
    let sql = """
      SELECT name, documents.id AS id FROM documents INDEXED BY conflicted
      JOIN collections ON collections.id = collection WHERE conflicts > 0
      ORDER BY name, documents.id
      """
    for row in try Row.fetchAll(db.prepared(sql)) {
      let key = try row.documentKey()
      guard collections?.contains(key.collection) ?? true else { continue }
      try body(key, try conflicts(of: key))
    }
  }

  /// The conflicts of a document, sorted by path.
  package func conflicts(of key: DocumentKey) throws -> [DocumentConflict] {
    try state(of: key).conflicts()
  }
}

extension StoreWriter {
  /// The conflicts of a document as this transaction leaves it so far.
  package func conflicts(of key: DocumentKey) throws -> [DocumentConflict] {
    try state(of: key).conflicts()
  }

  /// Settles a conflict, here and wherever this transaction arrives.
  ///
  /// A document that was deleted beside its edits is written whole, and so is an object that was
  /// taken away beside what shows in it, or with which something else competes (protocol.md 11,
  /// 13): nobody who chose a value of one member has chosen among those of another.
  ///
  /// - parameter path: nil for the only one that the document has, or, if what shows is chosen, for
  ///   all of them.
  /// - parameter check: judges the body that comes out.
  /// - throws: ``ConflictError``; then the transaction must not be committed.
  package mutating func resolve(
    _ key: DocumentKey, at path: Path? = nil, by choice: ConflictChoice,
    check: (JSON) throws -> Void = { _ in }
  ) throws {
    let listed = try conflicts(of: key)
    let conflicts = listed.filter { path == nil || $0.path == path }
    let paths = Set(conflicts.map(\.path)).sorted()
    guard let first = paths.first else { throw ConflictError.none(key, path) }
    guard paths.count == 1 else {
      guard case .listed(1) = choice else { throw ConflictError.several(key, paths) }
      // First the whole, by what shows; then members at once, each of which would take as many
      // looks at the document by itself.
      let whole = conflicts.filter(\.path.isRoot)
      if !whole.isEmpty { try settle(whole, of: key, by: choice, check: check) }
      let members = try self.conflicts(of: key).filter { paths.contains($0.path) }
      try settleMembers(of: members, of: key, check: check)
      var rest = try self.conflicts(of: key)
      for path in paths where !path.isRoot {
        // Where an object above it was written whole, it is settled by now.
        let own = rest.filter { $0.path == path }
        guard !own.isEmpty else { continue }
        try settle(own, of: key, by: choice, check: check)
        rest = try self.conflicts(of: key)
      }
      return
    }
    try settle(conflicts, of: key, by: choice, check: check)
    let others = Self.settled(listed, except: first, rest: try self.conflicts(of: key))
    guard others.isEmpty else { throw ConflictError.settlesMore(key, first, others) }
  }

  /// Where values are listed no more that have nothing to do with a path, sorted.
  ///
  /// Who chooses a value has chosen all that is in it; and who chooses one of a member wants the
  /// document, though somebody has deleted it.
  private static func settled(
    _ before: [DocumentConflict], except path: Path, rest: [DocumentConflict]
  ) -> [Path] {
    let others = before.filter { conflict in
      !conflict.path.isAtOrBelow(path) && !(conflict.path.isRoot && conflict.kind == .delete)
    }
    let settled = others.filter { conflict in
      let left = rest.filter { $0.path == conflict.path && $0.kind == conflict.kind }
      // What stands above the path, and shows, has changed by the choice.
      let isAbove = path.isAtOrBelow(conflict.path)
      if isAbove, conflict.kind == .doubtful {
        // So has what is hidden there, which is listed with what stands in it.
        return left.isEmpty
      }
      let values = isAbove ? conflict.values.dropFirst() : conflict.values[...]
      return !values.allSatisfy { value in
        left.contains { $0.values.contains { $0.content == value.content } }
      }
    }
    return Set(settled.map(\.path)).sorted()
  }

  /// Settles all competing values of members by what shows.
  private mutating func settleMembers(
    of conflicts: [DocumentConflict], of key: DocumentKey, check: (JSON) throws -> Void
  ) throws {
    let doubtful = Set(conflicts.filter { $0.kind == .doubtful }.map(\.path))
    let paths = Set(conflicts.map(\.path)).filter { path in
      !path.isRoot && !doubtful.contains { path.isAtOrBelow($0) }
    }
    guard !paths.isEmpty, let present = try view(of: key).json else { return }
    try check(present)
    let named = paths.sorted().reduce(JSON.object(JSONObject())) { named, path in
      named.naming(path.keys[...])
    }
    _ = try change(to: present, named: named, at: key)
  }

  /// Settles all conflicts of one path.
  private mutating func settle(
    _ conflicts: [DocumentConflict], of key: DocumentKey, by choice: ConflictChoice,
    check: (JSON) throws -> Void
  ) throws {
    guard let first = conflicts.first else { return }
    let content = try choice.content(of: conflicts)
    // A write that changes nothing would leave what is in doubt as it is.
    guard conflicts.contains(where: { $0.kind == .doubtful }), !first.path.isRoot || content != nil
    else {
      return try settle(
        first, of: key, content: content, restored: choice.restored(of: conflicts), check: check)
    }
    if first.path.isRoot, let content {
      guard case .object = content else { throw ConflictError.notAnObject }
    }
    try settle(
      content, restoring: choice.restored(of: conflicts), at: first.path, of: key,
      check: check)
  }

  private mutating func settle(
    _ conflict: DocumentConflict, of key: DocumentKey, content: JSON?,
    restored: DocumentConflict.Value?,
    check: (JSON) throws -> Void
  ) throws {
    guard !conflict.path.isRoot else {
      return try settleDocument(
        key, content, restored: restored, check: check)
    }
    guard let content, let present = try view(of: key).json else { return }
    let body = present.with(content, at: conflict.path.keys[...])
    try check(body)
    let named = JSON.object(JSONObject()).with(true, at: conflict.path.keys[...])
    // What shows stays what it is, unless another value is chosen.
    let restoration = restored.map { Restoration([conflict.path], kinds: $0.kinds) }
    _ = try change(to: body, named: named, restoring: restoration, at: key)
  }

  private mutating func settleDocument(
    _ key: DocumentKey, _ content: JSON?, restored: DocumentConflict.Value?,
    check: (JSON) throws -> Void
  ) throws {
    if let content {
      guard case .object = content else { throw ConflictError.notAnObject }
      try check(content)
      // What shows stays what it is, unless another value is chosen.
      let state = try state(of: key)
      let shown = Set((state.view().root?.subtree ?? []).map(\.path))
      _ = try put(
        content, at: key, kinds: state.unfoundedKinds.filter { !shown.contains($0.key) },
        restoring: restored.map { Restoration([.root], kinds: $0.kinds) }, settlesOrphans: true)
      return
    }
    // What is in doubt, and not shown, can only be deleted once it is. Where just inserts are
    // missing it is not made for that: whoever got that without the deletion, which may have to
    // wait, would see a document come back.
    let state = try state(of: key)
    if !state.view().isVisible, !state.hasOrphans { _ = try put(.object(JSONObject()), at: key) }
    _ = try delete(key, settlesOrphans: true)
  }
}

extension ConflictChoice {
  /// The value that is chosen; nil for the document's absence.
  fileprivate func content(of conflicts: [DocumentConflict]) throws -> JSON? {
    switch self {
    case .value(let value): return value
    case .listed(let number):
      let values = conflicts.flatMap(\.values)
      // Not by what is one less: of the least number there is none.
      guard (1...).contains(number), number <= values.count else {
        throw ConflictError.noSuchValue(number, of: values.count)
      }
      return try values[number - 1].content.map { try JSON(parsing: $0, limits: .held) }
    }
  }

  /// The value that is chosen, if it is not the one that shows.
  fileprivate func restored(of conflicts: [DocumentConflict]) -> DocumentConflict.Value? {
    guard case .listed(let number) = self, number > 1 else { return nil }
    return conflicts.flatMap(\.values)[number - 1]
  }
}

extension JSON {
  /// The same as what names what is changed, with one more path: what is named above it names it.
  fileprivate func naming(_ keys: ArraySlice<ByteString>) -> JSON {
    guard let key = keys.first else { return .bool(true) }
    guard case .object(var object) = self else { return self }
    object[key] = (object[key] ?? .object(JSONObject())).naming(keys.dropFirst())
    return .object(object)
  }

  /// The same with `value` at a path of keys, through objects that are made where there are none.
  fileprivate func with(_ value: JSON, at keys: ArraySlice<ByteString>) -> JSON {
    guard let key = keys.first else { return value }
    var object = JSONObject()
    if case .object(let present) = self { object = present }
    object[key] = (object[key] ?? .object(JSONObject())).with(value, at: keys.dropFirst())
    return .object(object)
  }
}
