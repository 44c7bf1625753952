import Glibc
import SystemPackage

/// A directory that is open: what is done in it is done in this very directory, whatever its path
/// comes to name meanwhile.
///
/// No symbolic link is followed, neither on the way from the root nor in a name.
///
///     let folder = try OpenDirectory("/home/ann/Sync/notes", walking: ["Documents", "letters"])
///     let status = try folder.status(of: "aunt.txt")
package final class OpenDirectory: Sendable {
  /// Where it was when it was opened, for errors.
  package let path: FilePath
  private let descriptor: Int32

  private init(descriptor: Int32, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { _ = Glibc.close(descriptor) }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

  /// Opens a directory; a link in its last component is refused.
  package convenience init(_ path: FilePath) throws(FileError) {
    self.init(
      descriptor: try SystemCall.open(path, Self.flags, for: .open), path: path)
  }

  /// Opens a directory below a root, one name at a time.
  package static func walk(
    from root: FilePath, _ names: [FilePath.Component]
  ) throws(FileError) -> OpenDirectory {
    var directory = try OpenDirectory(root)
    for name in names { directory = try directory.directory(name) }
    return directory
  }

  /// Opens a directory below a root, and makes what is missing on the way, with this mode.
  package static func make(
    from root: FilePath, _ names: [FilePath.Component], mode: UInt32
  ) throws(FileError) -> OpenDirectory {
    try OpenDirectory(root).make(names, mode: mode)
  }

  /// Opens a directory below this one, and makes what is missing on the way, with this mode.
  package func make(
    _ names: [FilePath.Component], mode: UInt32
  ) throws(FileError) -> OpenDirectory {
    var directory = self
    for name in names {
      try directory.makeDirectory(name, mode: mode)
      directory = try directory.directory(name)
    }
    return directory
  }

  private func directory(_ name: FilePath.Component) throws(FileError) -> OpenDirectory {
    let number = try run(.open, name) { openat(descriptor, $0, Self.flags | O_CLOEXEC) }
    return OpenDirectory(descriptor: Int32(number), path: path.appending(name))
  }

  private func makeDirectory(
    _ name: FilePath.Component, mode: UInt32
  ) throws(FileError) {
    do {
      try run(.makeDirectory, name) { mkdirat(descriptor, $0, mode) }
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
    // Also where it is there: whoever made it may have ended before its name was on the disk.
    try synchronize()
  }

  // MARK: Looking

  /// What has a name, a symbolic link itself.
  package func status(of name: FilePath.Component) throws(FileError) -> FileStatus {
    var raw = stat()
    try run(.status, name) { fstatat(descriptor, $0, &raw, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(raw)
  }

  /// What has a name; nil if nothing has.
  package func statusIfPresent(of name: FilePath.Component) throws(FileError) -> FileStatus? {
    do {
      return try status(of: name)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  /// How many bytes of disk space what has a name takes: fewer than its size where it has holes.
  package func allocatedSize(of name: FilePath.Component) throws(FileError) -> Int64 {
    var raw = stat()
    try run(.status, name) { fstatat(descriptor, $0, &raw, AT_SYMLINK_NOFOLLOW) }
    // Of 512 bytes, whatever the disk's own blocks are (stat(3type)).
    return Int64(raw.st_blocks) * 512
  }

  /// Refuses what this user may not write, though he may replace it; nothing having the name, that
  /// is no reason.
  ///
  /// - throws: One of `.access` with `.permissionDenied`, and nothing else.
  package func checkWritable(_ name: FilePath.Component) throws(FileError) {
    do {
      // As the user who writes, which need not be the one who has started the program.
      try run(.access, name) {
        faccessat(descriptor, $0, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      // All else, as that there is no such call (old containers say EPERM), writing tells itself.
      guard error.errno == .permissionDenied else { return }
      throw error
    }
  }

  /// The names in it, in no order.
  ///
  /// - parameter count: How many at most; which of more is chance.
  package func list(atMost count: Int = .max) throws(FileError) -> [DirectoryEntry] {
    let copy = try run(.list, ".") { openat(descriptor, $0, Self.flags | O_CLOEXEC) }
    return try LinuxFileSystem.entries(of: Int32(copy), path, atMost: count)
  }

  // MARK: Files

  /// Opens a regular file for reading; a FIFO does not block, and is refused like all else.
  package func open(_ name: FilePath.Component) throws(FileError) -> OpenFile {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let file: OpenFile
    do throws(FileError) {
      let number = try run(.open, name) { openat(descriptor, $0, flags) }
      file = OpenFile(descriptor: Int32(number), path: path.appending(name))
    } catch {
      // A link gives ELOOP, a socket ENXIO.
      if let kind = try? status(of: name).kind, kind != .regular {
        throw .notAFile(path.appending(name), found: kind)
      }
      throw error
    }
    let kind = try file.status().kind
    guard kind == .regular else { throw .notAFile(file.path, found: kind) }
    return file
  }

  /// Creates a file for writing, which must not be there, with this mode less the umask.
  package func create(
    _ name: FilePath.Component, mode: UInt32 = 0o666
  ) throws(FileError) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let number = try run(.create, name) { openat(descriptor, $0, flags, mode) }
    return OpenFile(descriptor: Int32(number), path: path.appending(name))
  }

  // MARK: Names

  /// Has two names change places at one moment (`RENAME_EXCHANGE`).
  ///
  /// - returns: false where the file system has no such call.
  package func exchange(
    _ first: FilePath.Component, _ second: FilePath.Component
  ) throws(FileError) -> Bool {
    do {
      try run(.rename, second) { target in
        first.withPlatformString {
          Int32(
            RawLinux.rename(descriptor, $0, descriptor, target, flags: RawLinux.exchange))
        }
      }
      return true
    } catch {
      switch error.errno {
      case .invalidArgument, .noFunction, .notSupported: return false
      default: throw error
      }
    }
  }

  /// Renames what must not replace anything; throws `.fileExists` if the new name is taken.
  package func renameExclusively(
    _ name: FilePath.Component, to new: FilePath.Component
  ) throws(FileError) {
    do {
      try run(.rename, new) { target in
        name.withPlatformString {
          Int32(RawLinux.rename(descriptor, $0, descriptor, target, flags: RawLinux.noReplace))
        }
      }
    } catch {
      guard [.invalidArgument, .noFunction, .notSupported].contains(error.errno) else {
        throw error
      }
      // FUSE and others: link never replaces, either.
      do throws(FileError) {
        try run(.link, new) { target in
          name.withPlatformString { linkat(descriptor, $0, descriptor, target, 0) }
        }
      } catch {
        guard error.errno.meansUnsupported else { throw error }
        return try renameIfAbsent(name, to: new)
      }
      try remove(name)
    }
  }

  /// Renames what must not replace anything where the file system has no call for that, as rclone
  /// and SMB by FUSE have none: a moment is left between looking and renaming.
  package func renameIfAbsent(
    _ name: FilePath.Component, to new: FilePath.Component
  ) throws(FileError) {
    do throws(FileError) {
      _ = try status(of: new)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return try rename(name, to: new)
    }
    throw FileError(.rename, path.appending(new), .fileExists)
  }

  /// Renames, replacing what has the new name.
  package func rename(
    _ name: FilePath.Component, to new: FilePath.Component
  ) throws(FileError) {
    try run(.rename, new) { target in
      name.withPlatformString { renameat(descriptor, $0, descriptor, target) }
    }
  }

  /// Removes a name that is not a directory's.
  package func remove(_ name: FilePath.Component) throws(FileError) {
    try run(.remove, name) { unlinkat(descriptor, $0, 0) }
  }

  /// Removes an empty directory.
  package func removeDirectory(_ name: FilePath.Component) throws(FileError) {
    try run(.remove, name) { unlinkat(descriptor, $0, AT_REMOVEDIR) }
  }

  /// Brings its names to the disk; what cannot be synchronized counts as it does for
  /// `LinuxFileSystem`.
  package func synchronize() throws(FileError) {
    switch SystemCall.attempt({ Int(fsync(descriptor)) }) {
    case .success, .failure(.invalidArgument), .failure(.notSupported), .failure(.noFunction):
      return
    case .failure(let errno): throw FileError(.synchronizeDirectory, path, errno)
    }
  }

  @discardableResult
  private func run(
    _ operation: FileOperation, _ name: FilePath.Component, _ call: (UnsafePointer<CChar>) -> Int32
  ) throws(FileError) -> Int {
    try SystemCall.run(operation, on: path.appending(name)) {
      name.withPlatformString { Int(call($0)) }
    }
  }
}
