import SystemPackage

extension FileSystem {
  /// Creates a file that all may read and write, less the umask: the syncer may be another user.
  package func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component
  ) throws(FileError) -> TemporaryFile {
    try createTemporary(in: directory, fallbackName: fallbackName, mode: 0o666)
  }

  /// Creates a file with its final name and all of its bytes, durably, or not at all.
  ///
  /// If something has the name, throws `.fileExists` and leaves it untouched. On any error the
  /// temporary file is gone, or, after a crash, stands under `temporaryName`. An error of
  /// `.synchronizeDirectory` means that the file is there and whole but might not survive a power
  /// loss: publishing again then gives `.fileExists`, and the caller, having compared the content,
  /// only has to synchronize the directory.
  ///
  ///     try files.publish(bytes, at: "/c/logs/x/1.log", temporaryName: ".feedsync-7.nosync")
  ///
  /// - parameter exactMode: the mode that it gets whatever the umask, where modes can be changed.
  package func publish(
    _ bytes: [UInt8], at path: FilePath, temporaryName: FilePath.Component,
    mode: UInt32 = 0o666, exactMode: UInt32? = nil
  ) throws(FileError) {
    let file = try createTemporary(
      in: path.parent, fallbackName: temporaryName, mode: exactMode ?? mode)
    // SMB, FAT and others have no modes and refuse.
    if let exactMode { try? setMode(exactMode, of: file) }
    do throws(FileError) {
      try write(bytes, to: file)
      try synchronize(file)
      try place(file, at: path)
    } catch {
      discard(file)
      throw error
    }
    try synchronizeDirectory(path.parent)
  }
}
