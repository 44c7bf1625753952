import Foundation
import SystemFiles
import SystemPackage

/// Whose a file is that this user may not use, for the hint of an error.
///
/// "Permission denied" alone sends people to guess; the owner, group and mode of the folder that
/// refuses them are mostly all that they need.
struct FileOwnership {
  /// What was to be done.
  enum Purpose {
    case reading
    /// To write what stands there.
    case writing
    /// To make, replace or remove the name.
    case naming
  }

  let path: FilePath
  let status: FileStatus
  let purpose: Purpose
  let accounts: Accounts

  /// The nearest place that refuses this user what was to be done at `path`; nil if none is found.
  static func blocking(
    _ purpose: Purpose, _ path: FilePath, accounts: Accounts = .system
  ) -> FileOwnership? {
    var path = purpose == .naming ? path.removingLastComponent() : path
    let files = LinuxFileSystem()
    while true {
      if let status = try? files.status(of: path) {
        let needed =
          switch (purpose, status.kind) {
          case (.reading, .directory): R_OK | X_OK
          case (.reading, _): R_OK
          case (_, .directory): W_OK | X_OK
          default: W_OK
          }
        // EPERM is not for a lack of permission bits, but of an immutable file.
        guard access(path.string, needed) != 0, errno == EACCES else { return nil }
        return FileOwnership(path: path, status: status, purpose: purpose, accounts: accounts)
      }
      let parent = path.removingLastComponent()
      guard parent != path, !parent.isEmpty else { return nil }
      path = parent
    }
  }

  var hint: String {
    let owner = accounts.userName(status.owner)
    let group = accounts.groupName(status.group)
    let mode = String(status.mode, radix: 8)
    let facts =
      "\(path) belongs to user \(owner) and group \(group), mode \(mode);"
      + " this is user \(accounts.userName(accounts.user))"
    return facts + ": " + remedy(group: group)
  }

  private func remedy(group: String) -> String {
    let isFolder = status.kind == .directory
    if status.owner == accounts.user {
      let right = purpose == .reading ? (isFolder ? "rx" : "r") : isFolder ? "rwx" : "w"
      return "chmod u+\(right) \(ShellWord.quoted(path))"
    }
    let right = purpose == .reading ? "g+rX" : isFolder ? "g+rwXs" : "g+rw"
    return "let both be in one group, such as \(group), and its owner run chmod -R \(right) on it"
  }
}
