import Replication
import Syncing
import SystemFiles
import SystemPackage

extension FeedSyncError {
  /// Words what keeps this device and the other users of its folder apart.
  package init(_ problem: FolderProblem, accounts: Accounts = .system) {
    switch problem {
    case .hidden(let path, let mode, let reader):
      let name = accounts.userName(reader)
      self.init(
        .notPermitted, operation: "share the folder", file: path.string,
        message: "user \(name), who takes part in this folder, cannot read it (mode"
          + " \(String(mode, radix: 8))), so what is written here may not reach other machines",
        hint: "run chmod -R go+rX on it, and feedsync with umask 022 (or 027 and a common group)")
    case .willHide(let path, let umask, let reader):
      let name = accounts.userName(reader)
      self.init(
        .notPermitted, operation: "share the folder", file: path.string,
        message: "with umask 0\(String(umask, radix: 8)), user \(name), who takes part in this"
          + " folder, will not be able to read what is written here",
        hint: "run feedsync with umask 022, or 027 and a folder of a common group (chmod g+s)")
    case .unwritable(let error):
      let plain = FeedSyncError(error, operation: "share the folder")
      self.init(
        plain.code, operation: plain.operation, file: plain.file,
        message: "\(plain.message); this device reads along, and publishes nothing",
        hint: plain.hint)
    case .unreadable(let error):
      self.init(error, operation: "share the folder")
    }
  }

  /// Something else has the place of a device's files.
  package init(obstructed stream: StreamID) {
    self.init(
      .badInput, operation: "import", file: "logs/\(stream)",
      message: "it is no folder, and has the place of a device's files: none of them are imported,"
        + " or published",
      hint: "put the folder itself there: no link is followed, here or by a syncer")
  }
}
