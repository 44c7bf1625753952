import Foundation
import SystemFiles
import SystemPackage

/// Whose a file is that this user may not use, for the hint of an error.
///
/// "Permission denied" alone sends people to guess; the owner, group and mode of the folder that
/// refuses them are mostly all that they need.
package struct FileOwnership {
  /// What was to be done.
  package enum Purpose {
    case reading
    /// To write what stands there.
    case writing
    /// To make, replace or remove the name.
    case naming
  }

  private static let ownState =
    "name one of your own with --state DIR, or have this one given to you: chown -R USER"

  let path: FilePath
  let status: FileStatus
  let purpose: Purpose
  let accounts: Accounts

  package init(path: FilePath, status: FileStatus, purpose: Purpose, accounts: Accounts) {
    self.path = path
    self.status = status
    self.purpose = purpose
    self.accounts = accounts
  }

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

  package var hint: String { facts + ": " + remedy }

  /// The hint where this is known to be of a local state, which is one user's alone.
  package var stateHint: String {
    guard isAnothers else { return hint }
    return "\(facts): a local state is one user's alone; \(Self.ownState)"
  }

  private var isAnothers: Bool { status.owner != accounts.user }

  private var facts: String {
    let owner = accounts.userName(status.owner)
    let group = accounts.groupName(status.group)
    let mode = String(status.mode, radix: 8)
    return "\(path) belongs to user \(owner) and group \(group), mode \(mode);"
      + " this is user \(accounts.userName(accounts.user))"
  }

  private var remedy: String {
    let isFolder = status.kind == .directory
    guard isAnothers else {
      let right = purpose == .reading ? (isFolder ? "rx" : "r") : isFolder ? "rwx" : "w"
      return "chmod u+\(right) \(ShellWord.quoted(path))"
    }
    let right = purpose == .reading ? "g+rX" : isFolder ? "g+rwXs" : "g+rw"
    // Who is let into the group root is let into far more than a folder.
    let common = status.group == 0 ? "" : ", such as \(accounts.groupName(status.group))"
    let sharing = "let both be in one group\(common), and its owner run chmod -R \(right) on it"
    // What nobody else has any right to is mostly a local state.
    guard status.mode & 0o077 == 0 else { return sharing }
    return "if it is a local state, which is one user's alone, \(Self.ownState); if it is to be"
      + " shared, \(sharing)"
  }
}
