import SystemPackage

/// What was being done to a file when it failed.
package enum FileOperation: String, Hashable, Sendable, CaseIterable {
  case status
  case list
  case open
  case read
  case makeDirectory
  case create
  case write
  case synchronize
  case link
  case rename
  case remove
  case synchronizeDirectory
  case fileSystemKind
  case canonicalPath
  case lock
  case access
  case changeMode
}

/// A system call that failed: what it was for, on which path, and the error it gave.
///
/// It is data only; who speaks to a user words it.
package struct FileError: Error, Hashable, Sendable {
  /// What was being done.
  package let operation: FileOperation

  /// The file it was done to: the old name for `rename`, the final one for `place`, and for a
  /// temporary file without a name its directory.
  package let path: FilePath

  /// The number that the system call gave.
  package let errno: Errno

  /// What stood there, where a regular file was wanted; nil for every other failure.
  package let foundKind: FileKind?

  /// Puts an error together; `foundKind` is for `notAFile` alone.
  package init(
    _ operation: FileOperation, _ path: FilePath, _ errno: Errno, foundKind: FileKind? = nil
  ) {
    self.operation = operation
    self.path = path
    self.errno = errno
    self.foundKind = foundKind
  }

  /// Something other than a regular file stood where one was to be read.
  ///
  /// The error number is the one that `open(2)` has for the kind, so that code which looks at the
  /// number alone is not misled; `foundKind` is what tells this apart from, say, a loop of links
  /// further up.
  package static func notAFile(_ path: FilePath, found kind: FileKind) -> FileError {
    let errno: Errno =
      switch kind {
      case .directory: .isDirectory
      case .symbolicLink: .tooManySymbolicLinkLevels
      default: .noSuchAddressOrDevice
      }
    return FileError(.open, path, errno, foundKind: kind)
  }

  /// Whether something other than a regular file stood there.
  package var isNotAFile: Bool { foundKind != nil }

  /// Whether the file was larger than the caller was willing to read.
  package var isTooLarge: Bool { operation == .read && errno == .fileTooLarge }

  /// Whether it is the place that cannot be reached now, not something about the file itself.
  ///
  /// No permission; ENOTCONN and ECONNABORTED of a FUSE mount whose program has ended; ESTALE of
  /// NFS; the failures of a network or a disk.
  package var meansUnreachable: Bool {
    guard foundKind == nil else { return false }
    switch errno {
    case .permissionDenied, .notPermitted, .ioError, .timedOut, .socketNotConnected, .hostIsDown,
      .noRouteToHost, .networkUnreachable, .connectionAbort, .connectionReset,
      .connectionRefused, .staleNFSFileHandle, .operationNotSupportedByDevice:
      return true
    default: return false
    }
  }

  /// Whether a lock was refused because somebody else holds it.
  package var isLockedByAnother: Bool {
    operation == .lock && errno == .resourceTemporarilyUnavailable
  }
}

extension Errno {
  /// Whether an error may mean that a file system has no such call, so that another may do.
  ///
  /// There is no one answer: EINVAL for renameat2 on FUSE, EPERM for link on SMB, EIO on rclone,
  /// ENOENT for a link by way of /proc where that is not mounted.
  var meansUnsupported: Bool {
    switch self {
    case .invalidArgument, .noFunction, .notSupported, .notPermitted, .permissionDenied, .ioError,
      .tooManyLinks, .improperLink, .noSuchFileOrDirectory:
      true
    default:
      false
    }
  }
}
