import CanonicalJSON
import FeedSync

/// How attachments are printed.
enum AttachmentForm {
  static func json(_ attachment: DocumentAttachment) -> JSON {
    .object([
      "name": .text(attachment.name), "sha256": .text(attachment.sha256),
      "size": .number(attachment.size), "type": attachment.type.map { .text($0) } ?? .null,
    ])
  }

  static func json(_ entry: AttachmentEntry) -> JSON {
    .object([
      "collection": .text(entry.collection), "id": .text(entry.id), "path": .text(entry.path),
      "attachment": json(entry.attachment), "shown": .bool(entry.isShown),
      "state": .text(entry.availability.word), "from": from(entry.availability),
      "damaged": damaged(entry.availability),
    ])
  }

  /// Whose copy it is; or from whom one may still come.
  private static func from(_ availability: AttachmentAvailability) -> JSON {
    switch availability {
    case .here(let device): .array([json(device)])
    case .awaited(let senders), .damaged(_, let senders): .array(senders.map(json))
    case .lost: .array([])
    }
  }

  private static func damaged(_ availability: AttachmentAvailability) -> JSON {
    guard case .damaged(let copies, _) = availability else { return .array([]) }
    return .array(
      copies.map { copy in
        .object([
          "device": json(copy.device), "file": .text(copy.file), "problem": .text(copy.problem),
        ])
      })
  }

  private static func json(_ device: DeviceDescription) -> JSON {
    .object(["id": .text(device.id), "name": device.name.map { .text($0) } ?? .null])
  }

  /// `here      123  notes/n1  photo.jpg`, and what is the matter, if something is.
  static func text(_ entry: AttachmentEntry) -> String {
    let place = NameText.escaped("\(entry.collection)/\(entry.id)")
    let name = NameText.escaped(entry.attachment.name)
    let size = "\(entry.attachment.size)"
    let columns = [entry.availability.word, size, place, name].joined(separator: "\t")
    return columns + (entry.isShown ? "" : "\tin conflict") + matter(entry.availability)
  }

  private static func matter(_ availability: AttachmentAvailability) -> String {
    switch availability {
    case .here: ""
    case .awaited(let senders): "\tfrom \(words(senders))"
    case .damaged(let copies, let senders):
      "\t\(copies.map { "\(device($0.device)): \($0.problem)" }.joined(separator: "; "))"
        + (senders.isEmpty ? "" : "; from \(words(senders))")
    case .lost: "\tnobody is left who could send it"
    }
  }

  private static func words(_ devices: [DeviceDescription]) -> String {
    devices.map(device).joined(separator: " or ")
  }

  private static func device(_ device: DeviceDescription) -> String {
    device.name.map { NameText.escaped($0) } ?? String(device.id.prefix(8))
  }
}
