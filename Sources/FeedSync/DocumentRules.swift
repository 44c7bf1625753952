import CanonicalJSON
import Replication

/// What may be written (protocol.md 18), and what is said where it may not.
package enum DocumentRules {
  /// The key of a document, if both names are within the limits.
  package static func key(
    _ collection: String, _ id: String, operation: String = "name a document"
  ) throws(FeedSyncError) -> DocumentKey {
    let key = DocumentKey(collection: ByteString(collection), id: ByteString(id))
    if let problem = key.problem { throw error(problem, operation: operation) }
    return key
  }

  /// A collection's name, if it is one.
  package static func collection(
    _ name: String, operation: String
  ) throws(FeedSyncError) -> ByteString {
    let name = ByteString(name)
    if let problem = DocumentKey.problem(ofCollection: name) {
      throw error(problem, operation: operation)
    }
    return name
  }

  package static func error(
    _ problem: DocumentKey.Problem, operation: String = "name a document"
  ) -> FeedSyncError {
    let message =
      switch problem {
      case .collectionLength(let count):
        "a collection's name has 1 to \(Limits.collectionBytes) characters, not \(count)"
      case .collectionCharacter: "a collection's name consists of a-z, 0-9, '.', '_' and '-'"
      case .idLength(let count): "an id has 1 to \(Limits.idBytes) bytes, not \(count)"
      case .idControlCharacter: "an id has no control characters"
      }
    return FeedSyncError(.badInput, operation: operation, message: message)
  }

  /// The limits on a body: an object, not too deep, at most 1 MiB of canonical text.
  package static func check(_ body: JSON, operation: String) throws(FeedSyncError) {
    guard case .object = body else {
      throw FeedSyncError(
        .badInput, operation: operation, message: "a document is a JSON object")
    }
    guard body.depth(isWithin: Limits.depth) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a body is at most \(Limits.depth) objects and arrays deep")
    }
    let count = body.canonicalBytes().count
    guard count <= Limits.bodyBytes else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a body has at most \(Limits.bodyBytes) bytes, this one has \(count)",
        hint: "divide it into several documents")
    }
  }

  /// The limits on a merge patch: an object, not too deep.
  ///
  /// What comes of it is a body; it may itself name more than one has, to take it away.
  package static func check(patch: JSON) throws(FeedSyncError) {
    guard case .object = patch else {
      throw FeedSyncError(
        .badInput, operation: "patch", message: "a merge patch is a JSON object here")
    }
    guard patch.depth(isWithin: Limits.depth) else {
      throw FeedSyncError(
        .badInput, operation: "patch",
        message: "a merge patch is at most \(Limits.depth) objects and arrays deep")
    }
  }

  /// Elements of a set, if they are within the limit.
  package static func elements(
    _ values: [JSON], operation: String
  ) throws(FeedSyncError) -> Set<SetElement> {
    var elements: Set<SetElement> = []
    for value in values {
      let element = SetElement(value)
      guard element.isSmall else {
        throw FeedSyncError(
          .badInput, operation: operation,
          message: "an element of a set has at most \(Limits.elementBytes) bytes, this one has"
            + " \(element.key.bytes.count)",
          hint: "keep what is large in documents of their own, and their ids in the set")
      }
      guard value.depth(isWithin: Limits.depth) else {
        throw FeedSyncError(
          .badInput, operation: operation,
          message: "a body is at most \(Limits.depth) objects and arrays deep")
      }
      elements.insert(element)
    }
    return elements
  }

  package static let stale = FeedSyncError(
    .tryAgain, operation: "write the document",
    message: "the version that was read has been deleted or rewritten since",
    hint: "read the document again, and write with its new token")
}

extension JSON {
  /// Whether it has no more than `limit` arrays and objects inside one another.
  fileprivate func depth(isWithin limit: Int) -> Bool {
    switch self {
    case .array(let elements):
      limit > 0 && elements.allSatisfy { $0.depth(isWithin: limit - 1) }
    case .object(let object):
      limit > 0 && object.members.allSatisfy { $0.value.depth(isWithin: limit - 1) }
    default: true
    }
  }
}
