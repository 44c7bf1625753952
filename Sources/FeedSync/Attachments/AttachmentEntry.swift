import BlobStorage
import DocumentStorage
import Replication
import Syncing
import SystemFiles

/// An attachment of a document, and whether its content is here.
public struct AttachmentEntry: Hashable, Sendable {
  /// The document's collection.
  public let collection: String
  /// The document's id.
  public let id: String
  /// Where in the document it stands, as a JSON Pointer such as `/attachments/alps.jpg`.
  public let path: String
  /// What it is.
  public let attachment: DocumentAttachment
  /// Whether it shows; else it lost a conflict, and is kept until that is settled.
  public let isShown: Bool
  /// Whether its content is here.
  public let availability: AttachmentAvailability
}

/// Whether the content of an attachment is here, and if not, from whom it may still come.
public enum AttachmentAvailability: Hashable, Sendable {
  /// Something that has the name of a copy and is not what it should be.
  public struct DamagedCopy: Hashable, Sendable {
    /// Whose copy it is.
    public let device: DeviceDescription
    /// Where it is.
    public let file: String
    /// What is wrong with it.
    public let problem: String
  }

  /// A whole copy is here; of that device.
  case here(DeviceDescription)
  /// No copy is here yet: these devices have written references to it, in whatever documents, had
  /// the content by then, and may still send it.
  case awaited(from: [DeviceDescription])
  /// What is here is cut or damaged; one of these devices may still send a whole copy.
  case damaged([DamagedCopy], awaitedFrom: [DeviceDescription])
  /// No copy is here, and nobody is left who could send one: whoever wrote a reference to it is
  /// this device, whose copy somebody has taken away, or was retired.
  case lost

  /// Whether a whole copy is here.
  public var isHere: Bool { if case .here = self { true } else { false } }

  /// One word for it: `here`, `awaited`, `damaged` or `lost`.
  public var word: String {
    switch self {
    case .here: "here"
    case .awaited: "awaited"
    case .damaged: "damaged"
    case .lost: "lost"
    }
  }
}

/// Turns what is known of blobs into what users are told.
struct AttachmentWording {
  private let names: [StreamID: String?]
  private let blobs: BlobFolder

  init(_ device: Syncing.Device) throws {
    names = try Dictionary(
      uniqueKeysWithValues: device.database.streamSummaries().map { ($0.stream, $0.name) })
    blobs = BlobFolder(device.container)
  }

  func entry(
    _ found: AttachmentSurvey.Found, _ availability: BlobAvailability
  ) -> AttachmentEntry {
    AttachmentEntry(
      collection: found.document.collection.description, id: found.document.id.description,
      path: Path(keys: found.path).pointer, attachment: DocumentAttachment(found.reference),
      isShown: found.isShown, availability: self.availability(availability, of: found.reference))
  }

  func availability(
    _ availability: BlobAvailability, of reference: BlobReference
  ) -> AttachmentAvailability {
    switch availability {
    case .here(let copy): .here(device(copy.stream))
    case .awaited(let senders): .awaited(from: senders.map(device))
    case .damaged(let copies, let senders):
      .damaged(
        copies.map { copy in
          AttachmentAvailability.DamagedCopy(
            device: device(copy.stream), file: blobs.file(reference.hash, of: copy.stream).string,
            problem: Self.problem(copy.condition, of: reference))
        }, awaitedFrom: senders.map(device))
    case .lost: .lost
    }
  }

  private func device(_ stream: StreamID) -> DeviceDescription {
    DeviceDescription(id: stream.description, name: names[stream] ?? nil)
  }

  private static func problem(
    _ condition: BlobCopy.Condition, of reference: BlobReference
  ) -> String {
    switch condition {
    case .whole: "it is whole"
    case .short(let size):
      "it ends after \(size) of \(CountText.of(reference.size, "byte")): it is on its way, or was"
        + " cut"
    case .long(let size): "it has \(CountText.of(size, "byte")) instead of \(reference.size)"
    case .otherContent: "it has other content than its name says"
    case .notAFile(let kind): "it is no regular file but: \(kind.rawValue)"
    case .unreadable(let error): "it cannot be read: \(error.errno.description)"
    }
  }
}
