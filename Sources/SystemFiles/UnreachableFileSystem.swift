import SystemPackage

/// Stands in for a folder whose file system does not answer: every call fails at once.
///
/// A call to such a file system would block in the kernel, where nothing can end it; so it is not
/// made (``FolderProbe``).
package struct UnreachableFileSystem: FileSystem {
  private let errno: Errno

  /// A file system whose every call fails with `errno`.
  package init(_ errno: Errno = .timedOut) { self.errno = errno }

  package func status(of path: FilePath) throws(FileError) -> FileStatus {
    throw FileError(.status, path, errno)
  }

  package func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry] {
    throw FileError(.list, directory, errno)
  }

  package func contents(of path: FilePath, limit: Int) throws(FileError) -> FileContents {
    throw FileError(.open, path, errno)
  }

  package func read(
    _ path: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> FileReading {
    throw FileError(.open, path, errno)
  }

  package func makeDirectory(_ path: FilePath, mode: UInt32) throws(FileError) {
    throw FileError(.makeDirectory, path, errno)
  }

  package func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component, mode: UInt32
  ) throws(FileError) -> TemporaryFile {
    throw FileError(.create, directory, errno)
  }

  package func setMode(_ mode: UInt32, of file: TemporaryFile) throws(FileError) {
    throw FileError(.changeMode, file.path, errno)
  }

  package func write(_ bytes: [UInt8], to file: TemporaryFile) throws(FileError) {
    throw FileError(.write, file.path, errno)
  }

  package func synchronize(_ file: TemporaryFile) throws(FileError) {
    throw FileError(.synchronize, file.path, errno)
  }

  package func place(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    throw FileError(.link, path, errno)
  }

  package func discard(_ file: TemporaryFile) {}

  package func synchronizeDirectory(_ directory: FilePath) throws(FileError) {
    throw FileError(.synchronizeDirectory, directory, errno)
  }

  package func remove(_ path: FilePath) throws(FileError) {
    throw FileError(.remove, path, errno)
  }

  package func removeDirectory(_ path: FilePath) throws(FileError) {
    throw FileError(.remove, path, errno)
  }

  package func rename(_ source: FilePath, to destination: FilePath) throws(FileError) {
    throw FileError(.rename, source, errno)
  }

  package func makeSymbolicLink(_ path: FilePath, to target: FilePath) throws(FileError) {
    throw FileError(.link, path, errno)
  }

  package func kind(of path: FilePath) throws(FileError) -> FileSystemKind {
    throw FileError(.fileSystemKind, path, errno)
  }

  package func checkWriting(to directory: FilePath) throws(FileError) {
    throw FileError(.access, directory, errno)
  }

  package func hasAccessList(_ path: FilePath) -> Bool { false }

  package func canonicalPath(of path: FilePath) throws(FileError) -> FilePath {
    throw FileError(.canonicalPath, path, errno)
  }

  package func linkTarget(of path: FilePath) throws(FileError) -> FilePath {
    throw FileError(.canonicalPath, path, errno)
  }

  package func lock(
    _ path: FilePath, exclusive: Bool, wait: Bool, holder: [UInt8]
  ) throws(FileError) -> FileLock {
    throw FileError(.lock, path, errno)
  }
}
