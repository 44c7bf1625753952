import BlobStorage
import Foundation
import Syncing
import SystemFiles
import SystemPackage

extension DocumentStore {
  /// Stores a file's content in the folder, and gives a document an attachment of it.
  ///
  ///     try store.attach("/home/ann/alps.jpg", to: "alps", in: "trips")
  ///
  /// The attachment stands in the document's member `attachments` under its name; one of that name
  /// is replaced, and an absent document is made. When it returns, the content is on the disk, and
  /// so is the transaction; the file may go. Content that this device has stored already is not
  /// written again. Files of any size take a megabyte of memory.
  ///
  /// - parameters:
  ///   - file: The file; a link is followed.
  ///   - id: The document's id.
  ///   - collection: The collection's name.
  ///   - name: What the attachment is called; the file's name if nil.
  ///   - type: The media type, such as `image/jpeg`.
  /// - throws: ``FeedSyncError``, with nothing changed: `.noContainer` if the folder is missing, or
  ///   another one; `.cannotWrite` if the disk is full; `.cannotRead` or `.notPermitted` if the
  ///   file cannot be read, `.tryAgain` if it changed meanwhile; `.badInput` for a name that is
  ///   none, and where the document keeps something else in that member.
  @discardableResult
  public func attach(
    _ file: String, to id: String, in collection: String, as name: String? = nil,
    type: String? = nil
  ) throws -> WriteResult<DocumentAttachment> {
    _ = try DocumentRules.key(collection, id)
    return try attach(file, as: name, type: type) { attachment, writer in
      try AttachmentEditing.attach(attachment, to: id, in: collection, writer)
    }
  }

  /// Attaches a file without blocking the caller's thread; cancelling the task ends it, with
  /// nothing changed.
  @discardableResult
  public func attach(
    _ file: String, to id: String, in collection: String, as name: String? = nil,
    type: String? = nil
  ) async throws -> WriteResult<DocumentAttachment> {
    try await run { try self.attach(file, to: id, in: collection, as: name, type: type) }
  }

  /// Stores a file's content in the folder, and runs a transaction that writes the attachment where
  /// it likes.
  ///
  ///     try store.attach("/home/ann/alps.jpg") { attachment, writer in
  ///       try writer.update(Trip.self, at: "alps", in: "trips") { $0.cover = attachment }
  ///     }
  ///
  /// - parameters:
  ///   - file: The file; a link is followed.
  ///   - name: What the attachment is called; the file's name if nil.
  ///   - type: The media type, such as `image/jpeg`.
  ///   - body: As for `write`.
  /// - throws: What `body` throws, and as `attach` with a document.
  @discardableResult
  public func attach(
    _ file: String, as name: String? = nil, type: String? = nil,
    writing body: (DocumentAttachment, WriteTransaction) throws -> Void
  ) throws -> WriteResult<DocumentAttachment> {
    let operation = "attach a file"
    let typed = StateLocation.absolute(file)
    let name = name ?? typed.lastComponent?.string ?? ""
    let source: BlobSource
    do throws(FileError) {
      // The last component may be a link of the user's own.
      let files = device.container.files
      source = BlobSource(file: try files.canonicalPath(of: typed), in: files)
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
    return try attach(source, as: name, type: type, writing: body)
  }

  /// Stores what a closure gives piece by piece, and attaches it to a document.
  @discardableResult
  package func attach(
    named name: String, type: String?, to id: String, in collection: String,
    reading stream: @escaping ((ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws -> WriteResult<DocumentAttachment> {
    _ = try DocumentRules.key(collection, id)
    return try attach(BlobSource(stream: stream), as: name, type: type) { attachment, writer in
      try AttachmentEditing.attach(attachment, to: id, in: collection, writer)
    }
  }

  private func attach(
    _ source: BlobSource, as name: String, type: String?,
    writing body: (DocumentAttachment, WriteTransaction) throws -> Void
  ) throws -> WriteResult<DocumentAttachment> {
    let operation = "attach a file"
    try AttachmentEditing.check(name, operation: operation)
    return try wordingBlobs(operation) {
      let attaching = try Attaching(device: device, isStopping: { Task.isCancelled })
      return try attaching.attach(source) { stored, check in
        let attachment = DocumentAttachment(
          name: name, sha256: stored.hash.text, size: stored.size, type: type)
        return try commit(operation) { writer in
          let transaction = WriteTransaction(writer)
          defer { transaction.end(&writer) }
          try body(attachment, transaction)
          try check(writer)
          return attachment
        }
      }
    }
  }

  /// Takes attachments out of a document's member `attachments`, in one transaction.
  ///
  ///     try store.removeAttachments(["alps.jpg"], from: "alps", in: "trips")
  ///
  /// Their content stays for as long as anything refers to it, and some days longer: see
  /// <doc:Attachments>.
  /// - returns: As its value, the names that the document has no attachments of.
  /// - throws: As `write`.
  @discardableResult
  public func removeAttachments(
    _ names: [String], from id: String, in collection: String
  ) throws -> WriteResult<[String]> {
    try write { try AttachmentEditing.remove(names, from: id, in: collection, $0) }
  }

  /// Words the errors of this package; those of the caller, and a cancellation, are passed on.
  func wordingBlobs<Value>(_ operation: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      guard error is BlobError || FeedSyncError.isOfThisPackage(error) else { throw error }
      throw FeedSyncError(error, operation: operation)
    }
  }
}
