import CanonicalJSON

/// A value in a document that names a blob: what it is to hold, and what it is called.
///
/// As JSON it is an array with one object:
///
///     [{"name":"photo.jpg","sha256":"9f86d081…","size":4,"type":"image/jpeg"}]
///
/// The array makes it one value to the merge: of two that are written at once one shows whole, and
/// never the hash of one with the size of the other. A program may keep it anywhere in a document.
package struct BlobReference: Hashable, Sendable {
  /// The hash of the content.
  package let hash: BlobHash
  /// How many bytes the content has.
  package let size: Int64
  /// What the file was called; may be empty.
  package let name: String
  /// The media type, such as `image/jpeg`; nil where nobody said.
  package let type: String?

  package init(hash: BlobHash, size: Int64, name: String, type: String?) {
    self.hash = hash
    self.size = size
    self.name = name
    self.type = type
  }

  private enum Member {
    static let hash: ByteString = "sha256"
    static let size: ByteString = "size"
    static let name: ByteString = "name"
    static let type: ByteString = "type"
  }

  /// The one member that every reference has the name of: what a store looks for.
  package static let mark = "sha256"

  /// The reference as it stands in a document.
  package var json: JSON {
    var members: JSONObject = [:]
    members[Member.hash] = .string(ByteString(hash.text))
    members[Member.size] = .integer(size)
    members[Member.name] = .string(ByteString(name))
    if let type { members[Member.type] = .string(ByteString(type)) }
    return .array([.object(members)])
  }

  /// Reads what ``json`` writes; members that it does not know are left out.
  ///
  /// Nil for anything else, with no name at all or a size that is none.
  package init?(json: JSON) {
    guard case .array(let elements) = json, elements.count == 1,
      case .object(let members) = elements[0],
      case .string(let digits)? = members[Member.hash],
      let hash = BlobHash(digits.description),
      case .integer(let size)? = members[Member.size], size >= 0,
      case .string(let name)? = members[Member.name]
    else { return nil }
    var type: String?
    if case .string(let text)? = members[Member.type] { type = text.description }
    self.init(hash: hash, size: size, name: name.description, type: type)
  }
}

extension BlobReference {
  /// A reference, and where in a document it stands.
  package struct Placed: Hashable, Sendable {
    /// The keys that lead to it, and the numbers of elements of arrays.
    package let path: [ByteString]
    package let reference: BlobReference
  }

  /// All references in a value, at any depth, in the order of its canonical text.
  package static func all(in json: JSON, at path: [ByteString] = []) -> [Placed] {
    if let reference = BlobReference(json: json) {
      return [Placed(path: path, reference: reference)]
    }
    switch json {
    case .object(let object):
      return object.members.flatMap { all(in: $0.value, at: path + [$0.key]) }
    case .array(let elements):
      return elements.enumerated().flatMap {
        all(in: $0.element, at: path + [ByteString("\($0.offset)")])
      }
    default: return []
    }
  }
}
