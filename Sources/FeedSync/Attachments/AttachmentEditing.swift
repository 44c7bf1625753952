import BlobStorage
import CanonicalJSON

/// Where the attachments of a document are that are known by name: its member `attachments`, an
/// object from names to attachments.
enum AttachmentEditing {
  static let member: ByteString = "attachments"
  private static let nameBytes = 255

  /// Whether a name can be one: that of a file, for programs that make one of it.
  static func check(_ name: String, operation: String) throws(FeedSyncError) {
    let isShort = (1...nameBytes).contains(name.utf8.count)
    let isName = name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
    guard isShort, isName, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "an attachment's name has 1 to \(nameBytes) bytes, no '/' and no control"
          + " characters, and is not '.' or '..'")
    }
  }

  /// Gives a document an attachment of its name; one that has the name already is replaced.
  ///
  /// - throws: ``FeedSyncError`` with `.badInput` where the document keeps something else there.
  static func attach(
    _ attachment: DocumentAttachment, to id: String, in collection: String,
    _ writer: WriteTransaction
  ) throws {
    let operation = "attach a file"
    let name = ByteString(attachment.name)
    let present = try writer.body(at: id, in: collection)?[member]
    if let present {
      guard case .object(let object) = present,
        object[name].map({ BlobReference(json: $0) != nil }) ?? true
      else {
        throw FeedSyncError(
          .badInput, operation: operation,
          message: "the document keeps something else in its member '\(member)'",
          hint: "programs of your own can keep attachments in another member")
      }
    }
    guard let reference = attachment.reference else { return }
    let patch: JSON = .object([member: .object([name: reference.json])])
    try writer.patch(patch, at: id, in: collection)
  }

  /// Takes attachments out of a document.
  ///
  /// - returns: The names that it has no attachments of.
  static func remove(
    _ names: [String], from id: String, in collection: String, _ writer: WriteTransaction
  ) throws -> [String] {
    var present = JSONObject()
    if case .object(let object)? = try writer.body(at: id, in: collection)?[member] {
      present = object
    }
    let isThere = { (name: String) in
      present[ByteString(name)].map { BlobReference(json: $0) != nil } ?? false
    }
    var members = JSONObject()
    for name in names where isThere(name) { members[ByteString(name)] = JSON.null }
    if !members.members.isEmpty {
      try writer.patch(.object([member: .object(members)]), at: id, in: collection)
    }
    return names.filter { !isThere($0) }
  }
}

extension JSON {
  /// A member of an object.
  fileprivate subscript(key: ByteString) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }
}
