import BlobStorage

extension FeedSyncError {
  /// Words why a blob could not be stored or read.
  init(blob error: BlobError, operation: String) {
    switch error {
    case .sourceChanged(let path):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: "the file changed while it was read", hint: "try again once nobody writes it")
    case .copyChanged(let path):
      self.init(
        .cannotRead, operation: operation, file: path.string,
        message: "the copy changed while it was read: what came out is not whole",
        hint: "try again")
    case .inTheWay(let path, let kind):
      self.init(
        .cannotWrite, operation: operation, file: path.string,
        message: "something that is none of feedsync's stands there: \(kind.rawValue)",
        hint: "links are not followed; look who has put it there, and take it away")
    case .vanished(let path):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: "the content was taken out of the folder before a document could refer to it",
        hint: "look what removes files there, and try again")
    case .destinationTaken(let path):
      self.init(
        .cannotWrite, operation: operation, file: path.string,
        message: "a file of that name is there", hint: "choose another name, or say --force")
    case .destinationIsNoFile(let path, let kind):
      self.init(
        .cannotWrite, operation: operation, file: path.string,
        message: "what has that name is no file, and is not replaced: \(kind.rawValue)",
        hint: "choose another name; without a file, the content goes to standard output")
    }
  }

  /// Words why the content of an attachment cannot be read.
  init(_ availability: AttachmentAvailability, of attachment: DocumentAttachment, operation: String)
  {
    let name = attachment.name
    switch availability {
    case .here(let device):
      self.init(
        .tryAgain, operation: operation,
        message: "the copy of \(device.words) came while others were looked at",
        hint: "try again")
    case .awaited(let senders):
      self.init(
        .tryAgain, operation: operation, message: "'\(name)' has not arrived here yet",
        hint: "let the syncer run here and on \(Self.words(senders)), which has it")
    case .damaged(let copies, let senders):
      self.init(
        .cannotRead, operation: operation, file: copies.first?.file,
        message: "no copy of '\(name)' is whole: \(copies.first?.problem ?? "none is here")",
        hint: senders.isEmpty
          ? "bring it back from the syncer's versions (.stversions), another machine or a backup"
          : "let the syncer run here and on \(Self.words(senders)); if that does not end it, remove"
            + " the file that is damaged, so that the syncer brings it again")
    case .lost:
      self.init(
        .cannotRead, operation: operation,
        message: "'\(name)' is lost: no copy is here, and nobody is left who could send one",
        hint: "bring it back from the syncer's versions (.stversions) or a backup, or attach it"
          + " again: its SHA-256 is \(attachment.sha256)")
    }
  }

  private static func words(_ devices: [DeviceDescription]) -> String {
    devices.map(\.words).joined(separator: " or ")
  }
}
