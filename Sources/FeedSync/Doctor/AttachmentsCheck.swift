import BlobStorage
import Syncing
import SystemFiles

/// Whether the content of all attachments is here, by a look at sizes: to read gigabytes is what
/// `attachments verify` is for.
package struct AttachmentsCheck: DoctorCheck {
  package let name = "attachments"
  private static let named = 10

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand else { return [] }
    // Then none can be here.
    if let inTheWay = inTheWay(of: BlobFolder(device.container)) { return [inTheWay] }
    let survey = try AttachmentSurvey(device: device)
    let wording = try AttachmentWording(device)
    // Looked at once no transaction is open: a folder on a network may not answer for long.
    var found: [AttachmentSurvey.Found] = []
    try survey.forEach { found.append($0) }
    var judge = AttachmentJudge(survey, of: found)
    let missing = try found.map { wording.entry($0, try judge.availability(of: $0)) }
      .filter { !$0.availability.isHere }
    let awaited = missing.filter { if case .awaited = $0.availability { true } else { false } }
    let bad = missing.filter { if case .awaited = $0.availability { false } else { true } }
    return bad.prefix(Self.named).map(finding) + more(bad.count - Self.named) + note(awaited)
  }

  /// What stands where the content of all attachments is to be, and is no folder.
  private func inTheWay(of blobs: BlobFolder) -> Finding? {
    guard let kind = try? blobs.container.files.status(of: blobs.root).kind, kind != .directory
    else { return nil }
    return Finding(
      .error, check: name, file: blobs.root.string,
      message: "it is no folder but: \(kind.rawValue); no attachment is read or written there",
      hint: "put the folder itself in its place: no syncer follows a link, and to it all that was"
        + " in the folder is deleted")
  }

  private func finding(_ entry: AttachmentEntry) -> Finding {
    let error = FeedSyncError(
      entry.availability, of: entry.attachment, operation: "look for attachments")
    let place = "\(entry.collection)/\(entry.id)"
    return Finding(
      entry.availability == .lost ? .error : .warning, check: name, file: error.file,
      message: "\(place): \(error.message)", hint: error.hint)
  }

  private func more(_ count: Int) -> [Finding] {
    guard count > 0 else { return [] }
    return [
      Finding(
        .warning, check: name, message: "\(count) more attachments are damaged or lost",
        hint: "'feedsync attachments list' names them all")
    ]
  }

  private func note(_ awaited: [AttachmentEntry]) -> [Finding] {
    guard !awaited.isEmpty else { return [] }
    var senders: Set<String> = []
    for case .awaited(let devices) in awaited.map(\.availability) {
      senders.formUnion(devices.map(\.words))
    }
    let noun = CountText.of(awaited.count, "attachment has", "attachments have")
    return [
      Finding(
        .note, check: name, message: "the content of \(noun) not arrived yet",
        hint: "let the syncer run here and on \(senders.sorted().joined(separator: " or "))")
    ]
  }
}
