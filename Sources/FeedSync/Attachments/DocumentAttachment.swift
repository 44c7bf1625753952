import BlobStorage

/// A file that belongs to a document: what it holds, named by its hash, and what it is called.
///
/// It is a value, which a document holds; the content itself is in the folder, beside the logs. A
/// type of the program's own may have it as a property:
///
///     struct Trip: Codable { var title: String; var cover: DocumentAttachment? }
///
///     try store.attach("/home/ann/alps.jpg") { attachment, writer in
///       try writer.update(Trip.self, at: "alps", in: "trips") { $0.cover = attachment }
///     }
///
/// In JSON it is an array with one object, `[{"name":"alps.jpg","sha256":"9f86…","size":4}]`: an
/// array is one value, so that of two which are written at once one shows whole, and the other is
/// listed as a conflict. See <doc:Attachments>.
public struct DocumentAttachment: Hashable, Sendable {
  /// What the file is called, a name without folders.
  ///
  /// One that another device wrote may be anything: do not use it as a path.
  public let name: String
  /// The SHA-256 of the content, 64 lower-case hexadecimal digits.
  public let sha256: String
  /// How many bytes the content has.
  public let size: Int64
  /// The media type, such as `image/jpeg`; nil where nobody said.
  public let type: String?
}

extension DocumentAttachment: Codable {
  private enum Key: String, CodingKey {
    case name, sha256, size, type
  }

  /// Reads what ``encode(to:)`` writes.
  ///
  /// - throws: `DecodingError` for anything else, such as a hash that is none.
  public init(from decoder: any Decoder) throws {
    var array = try decoder.unkeyedContainer()
    let object = try array.nestedContainer(keyedBy: Key.self)
    let size = try object.decode(Int64.self, forKey: .size)
    let digits = try object.decode(String.self, forKey: .sha256)
    guard array.isAtEnd, size >= 0, let hash = BlobHash(digits) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "this is no attachment"))
    }
    self.init(
      name: try object.decode(String.self, forKey: .name), sha256: hash.text, size: size,
      type: try object.decodeIfPresent(String.self, forKey: .type))
  }

  /// Writes it as an array with one object.
  public func encode(to encoder: any Encoder) throws {
    var array = encoder.unkeyedContainer()
    var object = array.nestedContainer(keyedBy: Key.self)
    try object.encode(name, forKey: .name)
    try object.encode(sha256, forKey: .sha256)
    try object.encode(size, forKey: .size)
    try object.encodeIfPresent(type, forKey: .type)
  }
}

extension DocumentAttachment {
  init(_ reference: BlobReference) {
    self.init(
      name: reference.name, sha256: reference.hash.text, size: reference.size,
      type: reference.type)
  }

  /// Nil if it names no hash, which only a program can make that builds one in another way.
  var reference: BlobReference? {
    BlobHash(sha256).map { BlobReference(hash: $0, size: size, name: name, type: type) }
  }
}
