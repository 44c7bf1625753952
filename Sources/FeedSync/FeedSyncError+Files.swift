import SystemFiles
import SystemPackage

extension FeedSyncError {
  init(file error: FileError) {
    let isWriting = Self.writes.contains(error.operation)
    let code: Code =
      switch error.errno {
      case .permissionDenied, .notPermitted: .notPermitted
      case .resourceTemporarilyUnavailable where error.isLockedByAnother: .tryAgain
      default: isWriting ? .cannotWrite : .cannotRead
      }
    // A temporary's name says nothing to anybody: the folder is what cannot be written.
    let isTemporary = error.path.lastComponent?.string.hasPrefix(".feedsync-") == true
    let verb =
      isTemporary && error.operation == .create
      ? "create a file in the folder" : Self.verbs[error.operation] ?? error.operation.rawValue
    self.init(
      code, operation: verb,
      file: (isTemporary ? error.path.removingLastComponent() : error.path).string,
      message: "cannot \(verb): \(Self.reason(for: error))",
      hint: error.foundKind.map { _ in Self.hintAgainstOthers }
        ?? Self.hint(
          for: error.errno, at: error.path,
          purpose: error.operation == .access ? .writing : isWriting ? .naming : .reading))
  }

  /// What a number stands for that no call has given says nothing to anybody.
  private static func reason(for error: FileError) -> String {
    switch error.foundKind {
    case .regular: "a file stands where a folder is to be"
    case let kind?: "it is no regular file but: \(kind.rawValue)"
    case nil: error.errno.description
    }
  }

  /// What helps against an error number, if anything is known to.
  static func hint(
    for errno: Errno, at path: FilePath, purpose: FileOwnership.Purpose
  ) -> String? {
    switch errno {
    case .permissionDenied, .notPermitted:
      FileOwnership.blocking(purpose, path)?.hint
        ?? "the mode of the folder allows it: look for an immutable file (lsattr), a sticky folder,"
        + " or a server that refuses (root_squash, a read-only share)"
    case .noSpace:
      "the disk is full, or can hold no more files (df -i): make room, then try again"
    case .diskQuotaExceeded: "your quota on that disk is used up: make room, then try again"
    case .readOnlyFileSystem: "the folder is mounted read-only: mount it for writing"
    case .socketNotConnected, .connectionAbort, .operationNotSupportedByDevice:
      "the program behind the mount has ended: unmount (fusermount3 -u DIR) and mount again"
    case .staleNFSFileHandle:
      "the server has replaced or no longer exports the folder: unmount and mount it again"
    case .timedOut, .hostIsDown, .noRouteToHost, .networkUnreachable, .connectionRefused,
      .connectionReset:
      "the file server does not answer: try again when it is back"
    case .ioError: "the disk, or the server behind the mount, failed: look at 'dmesg'"
    case .resourceTemporarilyUnavailable:
      "another process of this device has it, and may be suspended: look for it with 'fuser'"
    case .noLocks:
      "the file system has no locks: keep the state on a local disk (FEEDSYNC_STATE)"
    case .notDirectory, .tooManySymbolicLinkLevels: hintAgainstOthers
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem: hintAgainstOpenFiles
    case .fileTooLarge where purpose != .reading: hintAgainstSizeLimit
    case .fileNameTooLong: "the path is too long for this file system: mount it nearer to the root"
    default: nil
    }
  }

  private static let hintAgainstOthers =
    "something else has the name, such as a symbolic link, which no syncer follows: move it away"

  static let hintAgainstOpenFiles =
    "end other programs, or raise the limit: 'ulimit -n', LimitNOFILE of a systemd unit; of the"
    + " whole system, fs.file-max"

  package static let hintAgainstSizeLimit =
    "raise the limit: 'ulimit -f', LimitFSIZE of a systemd unit; FAT, too, has no file of 4 GiB"

  private static let writes: Set<FileOperation> = [
    .makeDirectory, .create, .write, .synchronize, .link, .rename, .remove, .synchronizeDirectory,
    .lock, .access, .changeMode,
  ]

  private static let verbs: [FileOperation: String] = [
    .status: "look at the file", .list: "list the folder", .open: "open the file",
    .read: "read the file", .makeDirectory: "make the folder", .create: "create the file",
    .write: "write the file", .synchronize: "bring the file to the disk",
    .link: "give the file its name", .rename: "rename the file", .remove: "remove the file",
    .synchronizeDirectory: "bring the folder to the disk",
    .fileSystemKind: "tell the kind of file system", .canonicalPath: "resolve the path",
    .lock: "lock the file", .access: "write into the folder",
    .changeMode: "change the permissions of the file",
  ]
}
