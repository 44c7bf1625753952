import Glibc
import SystemPackage

/// The real file system, through Linux system calls.
package struct LinuxFileSystem: FileSystem {
  /// How long it waits for a lock.
  let longestLockWait: Duration

  package init(longestLockWait: Duration = .seconds(30)) {
    self.longestLockWait = longestLockWait
  }

  package var readsInParallel: Bool { true }

  package func status(of path: FilePath) throws(FileError) -> FileStatus {
    var raw = stat()
    try SystemCall.run(.status, path) { Int(lstat($0, &raw)) }
    return FileStatus(raw)
  }

  package func makeDirectory(_ path: FilePath, mode: UInt32) throws(FileError) {
    try SystemCall.run(.makeDirectory, path) { Int(mkdir($0, mode)) }
  }

  /// Brings the names in a directory to the disk.
  ///
  /// Some file systems, FUSE and SMB ones among them, cannot synchronize a directory and answer
  /// EINVAL (`fsync(2)`). Nothing more can be done there, and to fail would mean never to publish,
  /// so that counts as done.
  package func synchronizeDirectory(_ directory: FilePath) throws(FileError) {
    try SystemCall.withOpen(directory, O_RDONLY | O_DIRECTORY, for: .synchronizeDirectory) {
      (descriptor) throws(FileError) in
      switch SystemCall.attempt({ Int(fsync(descriptor)) }) {
      case .success, .failure(.invalidArgument), .failure(.notSupported), .failure(.noFunction):
        return
      case .failure(let errno):
        throw FileError(.synchronizeDirectory, directory, errno)
      }
    }
  }

  package func remove(_ path: FilePath) throws(FileError) {
    try SystemCall.run(.remove, path) { Int(unlink($0)) }
  }

  package func removeDirectory(_ path: FilePath) throws(FileError) {
    try SystemCall.run(.remove, path) { Int(rmdir($0)) }
  }

  package func rename(_ source: FilePath, to destination: FilePath) throws(FileError) {
    try SystemCall.run(.rename, source) { from in
      destination.withPlatformString { Int(Glibc.rename(from, $0)) }
    }
  }

  package func makeSymbolicLink(_ path: FilePath, to target: FilePath) throws(FileError) {
    try SystemCall.run(.link, path) { name in
      target.withPlatformString { Int(symlink($0, name)) }
    }
  }

  package func kind(of path: FilePath) throws(FileError) -> FileSystemKind {
    let magic = try RawLinux.magic(of: path)
    guard FileSystemKind(magic: magic, mountName: nil) != .local else { return .local }
    let place = try canonicalPath(of: path)
    // Without /proc the magic number's own name has to do.
    let name = MountTable.current()?.name(for: place.bytes)
    return FileSystemKind(magic: magic, mountName: name)
  }

  package func checkWriting(to directory: FilePath) throws(FileError) {
    var raw = stat()
    try SystemCall.run(.access, directory) { Int(stat($0, &raw)) }
    // access(2) only looks at a file's mode, and refuses the superuser one that nobody may execute.
    guard FileKind(mode: raw.st_mode) == .directory else {
      throw FileError(.access, directory, .notDirectory)
    }
    try SystemCall.run(.access, directory) { Int(access($0, W_OK | X_OK)) }
  }

  package func hasAccessList(_ path: FilePath) -> Bool {
    ["system.posix_acl_access", "system.posix_acl_default"].contains { name in
      path.withPlatformString { RawLinux.attributeSize($0, name) } > 0
    }
  }

  package func canonicalPath(of path: FilePath) throws(FileError) -> FilePath {
    var found: UnsafeMutablePointer<CChar>?
    try SystemCall.run(.canonicalPath, path) { pointer in
      found = realpath(pointer, nil)
      return found == nil ? -1 : 0
    }
    defer { free(found) }
    return found.map { FilePath(platformString: $0) } ?? path
  }

  package func linkTarget(of path: FilePath) throws(FileError) -> FilePath {
    // One byte more than is read stays zero and ends the string.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try SystemCall.run(.canonicalPath, path) { readlink($0, &buffer, Int(PATH_MAX)) }
    return FilePath(platformString: buffer)
  }
}
