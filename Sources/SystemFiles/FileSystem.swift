import SystemPackage

/// The system calls that feedsync uses on files, so that a fake can stand in for them.
///
/// Paths and names are bytes. Nothing here follows a symbolic link in the last component, unless
/// it says so. Calls that a signal interrupts are repeated. All of them block the calling thread.
///
/// `LinuxFileSystem` is the real one; `InMemoryFileSystem` is the fake.
package protocol FileSystem: Sendable {
  /// Whether it makes no difference which of several threads asks first: those who count what is
  /// asked of them, or decide by it, are asked by one.
  var readsInParallel: Bool { get }

  /// What stands at a path (`lstat(2)`).
  func status(of path: FilePath) throws(FileError) -> FileStatus

  /// The names in a directory, without "." and "..", in no order.
  ///
  /// A symbolic link to a directory is refused; see `canonicalPath(of:)`.
  func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry]

  /// The bytes of a regular file of at most `limit` bytes.
  ///
  /// Never blocks on a FIFO and never takes more memory than was really read. Throws
  /// `FileError.notAFile` for anything but a regular file, and one that `isTooLarge` for a file
  /// beyond the limit.
  func contents(of path: FilePath, limit: Int) throws(FileError) -> FileContents

  /// Reads a regular file of any size from its start to its end, in pieces of at most 256 KiB.
  ///
  /// Refuses what `contents(of:limit:)` refuses, but for size. It tells whether the file has
  /// changed meanwhile, and leaves it to the caller what that means; one that turns out to be
  /// longer than it was at the start is not read to its end.
  ///
  /// - parameter body: what it throws, ends the reading.
  @discardableResult
  func read(
    _ path: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> FileReading

  /// Creates a directory with the given mode, less the umask; an existing one is an error.
  func makeDirectory(_ path: FilePath, mode: UInt32) throws(FileError)

  /// Creates a file without a name where the file system can, else under `fallbackName`.
  ///
  /// Its mode is the given one, less the umask.
  func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component, mode: UInt32
  ) throws(FileError) -> TemporaryFile

  /// Gives a file exactly these permission bits, whatever the umask.
  func setMode(_ mode: UInt32, of file: TemporaryFile) throws(FileError)

  /// Appends all of `bytes`.
  func write(_ bytes: [UInt8], to file: TemporaryFile) throws(FileError)

  /// Brings what was written to the disk (`fsync(2)`).
  ///
  /// After a failure the file must be discarded: a second call may report success for pages that
  /// the kernel has dropped.
  func synchronize(_ file: TemporaryFile) throws(FileError)

  /// Gives the file its final name, which must be free, and closes it.
  ///
  /// If something has the name, throws `.fileExists` and leaves that untouched. After any error
  /// the file is still the caller's to discard.
  func place(_ file: TemporaryFile, at path: FilePath) throws(FileError)

  /// Closes a file that was not placed, and removes it if it has a name.
  func discard(_ file: TemporaryFile)

  /// Brings the names in a directory to the disk.
  func synchronizeDirectory(_ directory: FilePath) throws(FileError)

  /// Removes a name that is not a directory.
  func remove(_ path: FilePath) throws(FileError)

  /// Removes an empty directory.
  func removeDirectory(_ path: FilePath) throws(FileError)

  /// Renames, replacing what has the new name.
  func rename(_ source: FilePath, to destination: FilePath) throws(FileError)

  /// Creates a symbolic link; something that has the name is an error.
  func makeSymbolicLink(_ path: FilePath, to target: FilePath) throws(FileError)

  /// Whether changes made elsewhere can appear under a path; follows symbolic links.
  func kind(of path: FilePath) throws(FileError) -> FileSystemKind

  /// Whether names may be made in a directory, as far as the system tells beforehand (`access(2)`).
  func checkWriting(to directory: FilePath) throws(FileError)

  /// Whether an access control list says more about a file, or what is made in it, than its mode.
  func hasAccessList(_ path: FilePath) -> Bool

  /// The absolute path without symbolic links, "." and ".." (`realpath(3)`).
  func canonicalPath(of path: FilePath) throws(FileError) -> FilePath

  /// What a symbolic link says, whether or not that is there; all else is `.invalidArgument`.
  func linkTarget(of path: FilePath) throws(FileError) -> FilePath

  /// Locks a file, creating it with mode 0600 if need be, for this machine alone.
  ///
  /// The lock excludes other locks of the same process too, and ends with the process. Without
  /// `wait`, throws one that `isLockedByAnother` when it is taken; with it, blocks the thread, and
  /// throws that after half a minute, since whoever has it may be suspended. The file must never be
  /// renamed or removed. Whoever locks exclusively leaves `holder` in it until the lock is
  /// released, for error texts only: read it with `contents(of:limit:)`.
  func lock(
    _ path: FilePath, exclusive: Bool, wait: Bool, holder: [UInt8]
  ) throws(FileError) -> FileLock
}

extension FileSystem {
  package var readsInParallel: Bool { false }
}
