import SystemFiles

/// Whether the folder's file system does what publishing needs; found out by doing it.
package struct PublishingCheck: DoctorCheck {
  package let name = "file-system"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand, device.record.leftAt == nil else { return [] }
    let folder = device.container
    // Who may not write reads along, which another check tells.
    guard (try? folder.files.checkWriting(to: folder.root)) != nil else { return [] }
    let outcome = FolderTrial(files: folder.files)
      .run(in: folder.root, name: device.ambient.temporaryName())
    var findings = outcome.faults.map { finding($0, folder: folder.root.string) }
    if outcome.foldsCase {
      findings.append(
        Finding(
          .note, check: name, file: folder.root.string,
          message: "the file system takes small and capital letters for the same",
          hint: "nothing: feedsync's names have small letters alone"))
    }
    if let leftover = outcome.leftover {
      findings.append(
        Finding(
          .warning, check: name, file: leftover.string,
          message: "this directory was made to try out the folder, and cannot be removed",
          hint: "remove it: rm -r '\(leftover.string)'"))
    }
    return findings
  }

  private func finding(_ fault: FolderTrial.Fault, folder: String) -> Finding {
    switch fault {
    case .failed(let error):
      let plain = FeedSyncError(error, operation: "publish")
      return Finding(
        .error, check: name, file: plain.file,
        message: "what is written here cannot be published: \(plain.message)", hint: plain.hint)
    case .replaces:
      return Finding(
        .error, check: name, file: folder,
        message: "the file system lets a new file take the name of another",
        hint: "put the folder on another file system, or mount it in another way")
    case .altersContent:
      return Finding(
        .error, check: name, file: folder,
        message: "the file system does not give back what was written",
        hint: "check the disk, or what is behind the mount; every file is verified when it is read")
    case .altersNames:
      return Finding(
        .error, check: name, file: folder,
        message: "the file system lists files under other names than they were made with",
        hint: "mount it so that names of 54 characters stay as they are")
    }
  }
}
