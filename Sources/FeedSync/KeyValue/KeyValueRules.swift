import CanonicalJSON
import Replication

/// What a key-value store may hold: Apple's limits, and what is said where they are passed.
package enum KeyValueRules {
  /// What the collections begin with that key-value stores are kept in.
  package static let prefix = "feedsync.kv."
  /// What a store is called where nobody gives a name.
  package static let usualName = "default"
  /// How many bytes a key may have.
  package static let keyBytes = 64
  /// How many keys a store may have.
  package static let keyCount = 1024
  /// How many bytes all values may have together; one may have as many.
  ///
  /// A megabyte, not a mebibyte: so that a document, which may have a mebibyte, holds the largest.
  package static let valueBytes = 1_000_000

  /// The collection of the store of this name.
  package static func collection(_ name: String) throws(FeedSyncError) -> ByteString {
    let operation = "name a key-value store"
    let longest = Limits.collectionBytes - prefix.utf8.count
    guard (1...longest).contains(name.utf8.count) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a key-value store's name has 1 to \(longest) characters,"
          + " not \(name.utf8.count)")
    }
    guard DocumentKey.problem(ofCollection: ByteString(prefix + name)) == nil else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a key-value store's name consists of a-z, 0-9, '.', '_' and '-'")
    }
    return ByteString(prefix + name)
  }

  /// The document that holds the value of a key.
  package static func document(
    _ key: String, in collection: ByteString
  ) throws(FeedSyncError) -> DocumentKey {
    let operation = "name a key"
    guard (1...keyBytes).contains(key.utf8.count) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a key has 1 to \(keyBytes) bytes, not \(key.utf8.count)")
    }
    let document = DocumentKey(collection: collection, id: ByteString(key))
    guard document.problem == nil else {
      throw FeedSyncError(
        .badInput, operation: operation, message: "a key has no control characters")
    }
    return document
  }

  /// A value that can be stored, as JSON.
  package static func json(_ value: PropertyListValue) throws(FeedSyncError) -> JSON {
    guard value.isFinite else {
      throw FeedSyncError(
        .badInput, operation: "set a value",
        message: "a number or date is infinite, or not a number, which cannot be stored")
    }
    return value.json
  }
}

/// A write that would take a store over its limits: nothing of it was written.
package struct KeyValueViolation: Error {
  /// The keys that it would have written.
  let keys: [String]
  let described: FeedSyncError

  /// Nil if a store that came from `before` to `after` is within its limits, or not further from
  /// them: what devices wrote at once may have taken it over, and has to be brought down.
  init?(from before: KeyValueUsage, to after: KeyValueUsage, writing keys: [String]) {
    let operation = "set a value"
    if after.keys > KeyValueRules.keyCount, after.keys > before.keys {
      described = FeedSyncError(
        .badInput, operation: operation,
        message: "a key-value store has at most \(KeyValueRules.keyCount) keys, and this one would"
          + " have \(after.keys); nothing was changed",
        hint: "remove keys, or keep many things in documents")
    } else if after.bytes > KeyValueRules.valueBytes, after.bytes > before.bytes {
      described = FeedSyncError(
        .badInput, operation: operation,
        message: "the values of a key-value store have at most \(KeyValueRules.valueBytes) bytes,"
          + " and these would have \(after.bytes); nothing was changed",
        hint: "remove keys, or keep what is large in documents")
    } else {
      return nil
    }
    self.keys = keys
  }
}

/// How much a key-value store holds, of what it may hold.
public struct KeyValueUsage: Hashable, Sendable {
  /// How many keys have a value, out of 1,024.
  public internal(set) var keys = 0
  /// How many bytes their values have as canonical JSON, out of 1,000,000.
  public internal(set) var bytes = 0
}
