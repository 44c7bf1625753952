import CanonicalJSON

/// The limits that bind local writes; a merge never refuses (protocol.md 18).
package enum Limits {
  /// How deep objects and arrays may be nested.
  package static let depth = 64
  /// How many bytes the canonical body of a document may have: 1 MiB.
  package static let bodyBytes = 1 << 20
  /// How many bytes a document's id may have.
  package static let idBytes = 1024
  /// How many bytes a collection's name may have.
  package static let collectionBytes = 64
  /// How many bytes the canonical text of a set's element may have.
  package static let elementBytes = 1024
}

extension JSONLimits {
  /// Of what is read here and was judged when it came: a path and the value at it may each be as
  /// deep as a body.
  package static let held = JSONLimits(maximumDepth: 2 * Limits.depth + 1)
}

/// Names a document: a collection, and an id in it.
///
/// Sorts by collection, then id, as bytes.
package struct DocumentKey: Hashable, Comparable, Sendable {
  package let collection: ByteString
  package let id: ByteString

  package init(collection: ByteString, id: ByteString) {
    self.collection = collection
    self.id = id
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.collection == rhs.collection ? lhs.id < rhs.id : lhs.collection < rhs.collection
  }
}

extension DocumentKey {
  /// Why a key cannot be written.
  package enum Problem: Error, Equatable, Sendable {
    case collectionLength(Int)
    case collectionCharacter
    case idLength(Int)
    case idControlCharacter
  }

  /// What is wrong with this key for a local write; nil if nothing is.
  package var problem: Problem? {
    Self.problem(ofCollection: collection) ?? Self.problem(ofID: id.bytes.span)
  }

  /// Collection names have 1 to 64 characters out of `[a-z0-9._-]`.
  package static func problem(ofCollection collection: ByteString) -> Problem? {
    guard (1...Limits.collectionBytes).contains(collection.bytes.count) else {
      return .collectionLength(collection.bytes.count)
    }
    let allowed = collection.bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return allowed ? nil : .collectionCharacter
  }

  /// Ids have 1 to 1,024 bytes, none of them of control characters.
  package static func problem(ofID id: Span<UInt8>) -> Problem? {
    guard (1...Limits.idBytes).contains(id.count) else { return .idLength(id.count) }
    // Control characters: C0, DEL, and C1, which is 0xC2 0x80…0x9F in UTF-8.
    var previous: UInt8 = 0
    for index in id.indices {
      let byte = id[index]
      if byte < 0x20 || byte == 0x7F { return .idControlCharacter }
      if previous == 0xC2, byte < 0xA0 { return .idControlCharacter }
      previous = byte
    }
    return nil
  }
}
