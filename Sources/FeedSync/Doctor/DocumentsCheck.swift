import DocumentFiles
import SystemPackage

/// Whether a program ended amid saving a document, and left a file that no listing shows.
package struct DocumentsCheck: DoctorCheck {
  package let name = "documents"
  /// What is younger may be a save that goes on.
  private static let minuteMilliseconds: Int64 = 60_000
  private static let named = 10

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand, let root = patient.folderAtHand?.documents else {
      return []
    }
    let time = (device.ambient.now() - Self.minuteMilliseconds).multipliedReportingOverflow(
      by: 1_000_000)
    guard !time.overflow else { return [] }
    let left = try DocumentLeftovers(below: root).older(than: time.partialValue)
    return left.prefix(Self.named).map(finding) + more(left.count - Self.named)
  }

  private func finding(_ path: FilePath) -> Finding {
    Finding(
      .warning, check: name, file: path.string,
      message: "a save or a removal of a document broke off here, and left this file",
      hint: "look into it: if it is newer than the document beside it, move it there, or to a name"
        + " that does not begin with a dot; else remove it")
  }

  private func more(_ count: Int) -> [Finding] {
    guard count > 0 else { return [] }
    return [
      Finding(
        .warning, check: name, message: "\(count) more such files are in the documents' folders",
        hint: "their names begin with '.feedsync-'")
    ]
  }
}
