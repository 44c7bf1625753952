import BlobStorage
import CanonicalJSON
import Foundation
import Replication
import Syncing
import SystemFiles

extension DocumentStore {
  /// The attachments of a document, wherever they stand in it: those that show, then those that
  /// lost a conflict.
  ///
  ///     for entry in try store.attachments(of: "alps", in: "trips") {
  ///       print(entry.attachment.name, entry.availability.word)
  ///     }
  ///
  /// - parameters:
  ///   - id: The document's id.
  ///   - collection: The collection's name.
  ///   - verifying: Whether to read the content and compare it with its hash; else its size tells
  ///     whether it is here.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or another one,
  ///   `.badInput` for names over the limits.
  public func attachments(
    of id: String, in collection: String, verifying: Bool = false
  ) throws -> [AttachmentEntry] {
    let key = try DocumentRules.key(collection, id)
    var entries: [AttachmentEntry] = []
    try forEachAttachment(in: nil, at: key, verifying: verifying) { entries.append($0) }
    return entries
  }

  /// The attachments of a collection, or of all.
  ///
  /// - parameters:
  ///   - collection: The collection's name; nil for all.
  ///   - verifying: As for ``attachments(of:in:verifying:)``.
  ///   - body: Called with each, sorted by collection and id; what it throws ends it.
  public func forEachAttachment(
    in collection: String? = nil, verifying: Bool = false,
    _ body: (AttachmentEntry) throws -> Void
  ) throws {
    let operation = "list attachments"
    let name = try collection.map { try DocumentRules.collection($0, operation: operation) }
    try forEachAttachment(in: name, at: nil, verifying: verifying, body)
  }

  private func forEachAttachment(
    in collection: ByteString?, at key: DocumentKey?, verifying: Bool,
    _ body: (AttachmentEntry) throws -> Void
  ) throws {
    try wordingBlobs("list attachments") {
      let device = device
      try device.requireContainer()
      let survey = try AttachmentSurvey(device: device)
      let wording = try AttachmentWording(device)
      // Looked at once no transaction is open: others may write while gigabytes are read.
      var found: [AttachmentSurvey.Found] = []
      try survey.forEach(in: collection, at: key) { found.append($0) }
      var judge = AttachmentJudge(survey, of: found)
      for one in found {
        let availability = try judge.availability(
          of: one, verifies: verifying, isStopping: { Task.isCancelled })
        try body(wording.entry(one, availability))
      }
    }
  }

  /// Whether the content of an attachment is here.
  ///
  /// - parameters:
  ///   - attachment: Whose content it is about.
  ///   - verifying: As for ``attachments(of:in:verifying:)``.
  public func availability(
    of attachment: DocumentAttachment, verifying: Bool = false
  ) throws -> AttachmentAvailability {
    try wordingBlobs("look for an attachment") {
      let device = device
      try device.requireContainer()
      let reference = try Self.reference(attachment)
      let survey = try AttachmentSurvey(device: device)
      let found = try survey.availability(
        of: reference, verifies: verifying, isStopping: { Task.isCancelled }
      ) { try survey.authors(of: reference.hash) }
      return try AttachmentWording(device).availability(found, of: reference)
    }
  }

  private static func reference(_ attachment: DocumentAttachment) throws(FeedSyncError)
    -> BlobReference
  {
    guard let reference = attachment.reference else {
      throw FeedSyncError(
        .badInput, operation: "read an attachment", message: "its hash is none")
    }
    return reference
  }
}

// MARK: - Reading

extension DocumentStore {
  /// Writes the content of an attachment into a file, whole or not at all.
  ///
  ///     try store.export(entry.attachment, to: "/home/ann/Downloads/alps.jpg")
  ///
  /// Any device's copy will do whose hash is right: it is computed as the content is copied, and
  /// the file gets its name only if it is right, once it is on the disk.
  /// - parameters:
  ///   - attachment: What to write.
  ///   - file: A path that is free, unless it may be replaced.
  ///   - replacing: Whether a file of that name may be replaced.
  /// - throws: ``FeedSyncError``: `.tryAgain` if the content has not arrived yet, `.cannotRead` if
  ///   it is damaged or lost, `.cannotWrite` if the disk is full or the name is taken,
  ///   `.noContainer` if the folder is missing, or another one.
  public func export(
    _ attachment: DocumentAttachment, to file: String, replacing: Bool = false
  ) throws {
    let path = StateLocation.absolute(file)
    try read(attachment) { device, copies, reference, reader in
      try reader.write(
        copies, of: reference, to: path,
        temporaryName: { device.ambient.temporaryName() }, replaces: replacing)
    }
  }

  /// Writes the content into a file without blocking the caller's thread.
  public func export(
    _ attachment: DocumentAttachment, to file: String, replacing: Bool = false
  ) async throws {
    try await run { try self.export(attachment, to: file, replacing: replacing) }
  }

  /// Calls `body` with the content of an attachment, in pieces of at most 256 KiB.
  ///
  /// A copy is read and verified before the first piece; if it is changed between, this throws
  /// `.cannotRead` after some pieces: whoever must have all or nothing uses
  /// `export`.
  ///
  /// - throws: What `body` throws, and as `export`.
  public func read(
    _ attachment: DocumentAttachment, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    try read(attachment) { _, copies, reference, reader in
      try reader.read(copies, of: reference, body)
    }
  }

  private func read(
    _ attachment: DocumentAttachment,
    with read: (Syncing.Device, [BlobCopy], BlobReference, BlobReader) throws -> BlobReader.Outcome
  ) throws {
    let operation = "read an attachment"
    try wordingBlobs(operation) {
      let device = device
      try device.requireContainer()
      let reference = try Self.reference(attachment)
      let survey = try AttachmentSurvey(device: device)
      let reader = BlobReader(BlobFolder(device.container), isStopping: { Task.isCancelled })
      let outcome = try read(device, try survey.copies(of: reference), reference, reader)
      guard case .none(let judged) = outcome else { return }
      let missing = survey.judge(judged, try survey.authors(of: reference.hash))
      throw FeedSyncError(
        try AttachmentWording(device).availability(missing, of: reference),
        of: attachment, operation: operation)
    }
  }
}
