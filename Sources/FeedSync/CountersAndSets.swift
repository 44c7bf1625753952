import CanonicalJSON
import DocumentStorage
import Replication

/// Counters and sets: members that several devices change at once without a conflict.
///
/// Types of a program's own can have them as properties, ``Counter`` and ``ReplicatedSet``; these
/// functions change them in any document.
extension WriteTransaction {
  /// Adds to a counter: what devices add at once is summed.
  ///
  ///     try writer.increment("/votes", at: "picnic", in: "plans")
  ///
  /// A plain integer becomes a counter that starts with it; where there is nothing, and where the
  /// document is absent, the counter starts with 0. It shows as an integer. Writing another integer
  /// there, with `put` or `patch`, starts the counter anew; any other value ends it.
  ///
  /// The sum is exact, and shows as the nearest integer from -2^63 to 2^64-1: beyond these nothing
  /// changes in what shows, but what is added counts, and shows once the sum is back between them.
  /// - parameters:
  ///   - path: A JSON Pointer (`/stock/apples`), `$.stock.apples`, or the name of a member.
  ///   - amount: What is added; it may be negative.
  ///   - id: The document's id.
  ///   - collection: The collection's name.
  /// - returns: Whether anything changed.
  /// - throws: ``FeedSyncError``: `.badInput` where something else than an integer stands at the
  ///   path, or a value above it that is no object, `.usage` for a path that is none.
  @discardableResult
  public func increment(
    _ path: String, by amount: Int64 = 1, at id: String, in collection: String
  ) throws -> Bool {
    try edit(.increment(amount), at: path, of: id, in: collection, operation: "add to a counter")
  }

  /// Puts elements into a set: what devices insert at once is united.
  ///
  ///     try writer.insert(["garden", "urgent"], into: "/tags", at: "picnic", in: "plans")
  ///
  /// A plain array becomes a set of its elements; where there is nothing, and where the document is
  /// absent, a set is made. It shows as an array of distinct elements in the order of their
  /// canonical texts. Writing another array there, with `put` or `patch`, adds and removes what
  /// differs; any other value ends the set. Of an insertion and a removal of the same element at
  /// once the insertion wins; what is there already is not inserted again, and goes with a removal.
  /// - parameters:
  ///   - elements: Any values that encode to at most 1,024 bytes.
  ///   - path: As for ``increment(_:by:at:in:)``.
  ///   - id: The document's id.
  ///   - collection: The collection's name.
  /// - returns: Whether anything changed.
  /// - throws: ``FeedSyncError``: `.badInput` for an element that is too large, or where something
  ///   else than an array stands at the path, `.usage` for a path that is none.
  @discardableResult
  public func insert(
    _ elements: [some Encodable], into path: String, at id: String, in collection: String
  ) throws -> Bool {
    let operation = "insert into a set"
    let elements = try DocumentRules.elements(
      try elements.map { try DocumentEncoder().encode($0) }, operation: operation)
    return try edit(
      .elements(adding: elements, removing: []), at: path, of: id, in: collection,
      operation: operation)
  }

  /// Takes elements out of a set; those that it does not have are passed over.
  ///
  ///     try writer.remove(["urgent"], from: "/tags", at: "picnic", in: "plans")
  ///
  /// Parameters and errors are those of ``insert(_:into:at:in:)``.
  @discardableResult
  public func remove(
    _ elements: [some Encodable], from path: String, at id: String, in collection: String
  ) throws -> Bool {
    let elements = try elements.map { SetElement(try DocumentEncoder().encode($0)) }
    return try edit(
      .elements(adding: [], removing: Set(elements)), at: path, of: id, in: collection,
      operation: "remove from a set")
  }

  private func edit(
    _ edit: KindEdit, at path: String, of id: String, in collection: String, operation: String
  ) throws -> Bool {
    let key = try DocumentRules.key(collection, id)
    return try self.edit(edit, at: try KindPath.parse(path, operation: operation), of: key)
  }

  func edit(_ kindEdit: KindEdit, at path: Path, of key: DocumentKey) throws -> Bool {
    try edit { writer in
      try writer.edit(kindEdit, at: path, of: key) {
        try DocumentRules.check($0, operation: "write the document")
      }
    }
  }
}

/// Paths of counters and sets as users write them.
package enum KindPath {
  package static func parse(_ text: String, operation: String) throws(FeedSyncError) -> Path {
    do {
      return try MemberPath.path(text)
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}
