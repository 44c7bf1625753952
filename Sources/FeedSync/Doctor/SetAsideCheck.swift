import DocumentStorage
import Syncing

/// Which files cannot be imported as they are.
package struct SetAsideCheck: DoctorCheck {
  package let name = "set-aside"
  /// So many are named one by one; more are counted.
  private static let named = 20

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.device else { return [] }
    // Of a folder that is away nothing else is known than what was.
    let present = patient.deviceAtHand
    let records = try device.database.fileRecords().values
      .filter { $0.reason.isSetAside && present?.hasChanged($0) != true }.sorted { $0.key < $1.key }
    var findings = records.prefix(Self.named).map { finding($0) }
    let more = records.count - findings.count
    if more > 0 {
      findings.append(
        Finding(
          .warning, check: name,
          message: CountText.of(more, "more file is set aside", "more files are set aside"),
          hint: "'feedsync status' names them all"))
    }
    return findings
  }

  private func finding(_ record: FileRecord) -> Finding {
    let detail = record.detail.map { " (\($0))" } ?? ""
    let (severity, what, advice) = Self.words(of: record.reason)
    return Finding(
      severity, check: record.reason == .branch ? "branch" : name, file: record.key.path,
      message: what + detail, hint: advice)
  }

  private static func words(of reason: FileRecord.Reason) -> (Finding.Severity, String, String) {
    switch reason {
    case .incomplete:
      (
        .warning, "the file ends too early, or is still being transferred",
        "let the syncer finish; if it stays so, have the syncer bring the file again"
      )
    case .newer:
      (.error, "a newer feedsync wrote this file", "update feedsync on this machine")
    case .otherContainer:
      (
        .warning, "the file belongs to another container, and its content is not in this one",
        "if 'feedsync init' was run on two machines before their folders had met, run 'feedsync"
          + " init DIR --adopt' on the one that wrote it, or again where it was run before; else"
          + " somebody has copied it here: move it back to its own folder"
      )
    case .notAFile:
      (.warning, "this is no regular file", "remove it, if it is not there for a reason of yours")
    case .unreadable:
      (
        .error, "the file cannot be read",
        "check its owner and mode, and those of its folder; the syncer may be another user"
      )
    case .branch:
      (
        .error,
        "the file contradicts itself about what it follows; those of devices that were cloned,"
          + " or restored from a backup, are imported",
        "nothing is lost: keep the file, and see the page 'Troubleshooting' of the documentation"
      )
    default:
      (
        .error, "the file is damaged",
        "have the syncer bring it again: its author's machine may have it whole under the same"
          + " name; where there is one of that name with -2 before .log, this one can go"
      )
    }
  }
}
