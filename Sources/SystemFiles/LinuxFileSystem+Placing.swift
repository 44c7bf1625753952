import Glibc
import SystemPackage

extension LinuxFileSystem {
  package func place(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    if file.isNamed {
      try placeNamed(file, at: path)
    } else {
      try placeNameless(file, at: path)
    }
    _ = close(file.handle)
  }

  // MARK: Without a name

  /// Links a nameless file in by way of /proc, as `open(2)` describes under `O_TMPFILE`.
  private func placeNameless(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    let source = FilePath("/proc/self/fd/\(file.handle)")
    do {
      try SystemCall.run(.link, path) { target in
        source.withPlatformString {
          Int(linkat(AT_FDCWD, $0, AT_FDCWD, target, AT_SYMLINK_FOLLOW))
        }
      }
    } catch {
      if hasArrived(file, at: path) { return }
      guard error.errno.meansUnsupported else {
        if holdsEqualContent(file, at: path, after: error.errno) { return }
        throw error
      }
      try placeCopy(of: file, at: path)
    }
  }

  /// Copies a nameless file that its file system refuses to name into one that has a name.
  private func placeCopy(of file: TemporaryFile, at path: FilePath) throws(FileError) {
    var status = stat()
    try SystemCall.run(.status, on: file.path) { Int(fstat(file.handle, &status)) }
    let copy = try createNamed(
      in: file.directory, name: file.fallbackName, mode: status.st_mode & 0o777)
    do throws(FileError) {
      try forEachPiece(of: file.handle, path: file.path) { (piece) throws(FileError) in
        try write(piece, to: copy)
      }
      // Whether the original was synchronized is not known here; once too often is cheap.
      try synchronize(copy)
      try placeNamed(copy, at: path)
    } catch {
      discard(copy)
      throw error
    }
    _ = close(copy.handle)
  }

  // MARK: With a name

  /// Goes down the chain of calls that refuse to replace a file, as the file system allows.
  ///
  /// On FUSE the first is always EINVAL; the second works on sshfs, is EPERM on SMB and EIO on
  /// rclone. The third alone is a race; but these names have one writer, this device.
  private func placeNamed(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    let attempts: [(FilePath, FilePath) throws(FileError) -> Void] = [
      renameExclusively, linkAndRemove, renameIfAbsent,
    ]
    var last = FileError(.rename, path, .notSupported)
    for attempt in attempts {
      do throws(FileError) {
        return try attempt(file.fallbackPath, path)
      } catch {
        last = error
      }
      if hasArrived(file, at: path) { return removeName(of: file) }
      guard last.errno.meansUnsupported else { break }
    }
    if last.errno == .resourceBusy { return try renameReleased(file, at: path) }
    guard holdsEqualContent(file, at: path, after: last.errno) else { throw last }
    removeName(of: file)
  }

  /// Removes the temporary name of a placed file: after a link it still stands.
  private func removeName(of file: TemporaryFile) { try? remove(file.fallbackPath) }

  /// Renames a file that cannot be renamed while it is open (EBUSY), as on smbnetfs.
  ///
  /// Whoever closes it later finds something harmless under its descriptor.
  private func renameReleased(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    let null = try SystemCall.open("/dev/null", O_RDONLY, for: .open)
    dup2(null, file.handle)
    _ = fcntl(file.handle, F_SETFD, FD_CLOEXEC)
    _ = close(null)
    try renameIfAbsent(file.fallbackPath, path)
  }

  private func renameExclusively(
    _ source: FilePath, _ destination: FilePath
  ) throws(FileError) {
    try SystemCall.run(.rename, destination) { target in
      source.withPlatformString { RawLinux.renameExclusively($0, target) }
    }
  }

  private func linkAndRemove(_ source: FilePath, _ destination: FilePath) throws(FileError) {
    try SystemCall.run(.link, destination) { target in
      source.withPlatformString { Int(Glibc.link($0, target)) }
    }
    // The file is placed; a temporary name left behind is not worth an error.
    try? remove(source)
  }

  private func renameIfAbsent(_ source: FilePath, _ destination: FilePath) throws(FileError) {
    guard try isAbsent(destination) else {
      throw FileError(.rename, destination, .fileExists)
    }
    try SystemCall.run(.rename, destination) { target in
      source.withPlatformString { Int(Glibc.rename($0, target)) }
    }
  }

  private func isAbsent(_ path: FilePath) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try status(of: path)
      return false
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return true
    }
  }

  // MARK: Errors

  /// Whether the file stands under its final name although the call that put it there failed.
  ///
  /// A network file system may lose the answer and report the failure of its second try: ENOENT
  /// for a rename, EEXIST for a link (`rename(2)`, BUGS; `open(2)`, `O_EXCL`). The same inode is no
  /// proof alone: rclone gives a new file the number of another that was renamed.
  private func hasArrived(_ file: TemporaryFile, at path: FilePath) -> Bool {
    guard let own = try? SystemCall.status(ofDescriptor: file.handle, path: file.path),
      let found = try? status(of: path)
    else { return false }
    guard own.isSameFile(as: found), own.size == found.size else { return false }
    return (try? hasSameContent(file, as: path)) ?? false
  }

  /// Whether what has the final name is as good as the file, when all else has failed.
  ///
  /// Where inode numbers are made up, as by FUSE, equal content has to do instead of the inode. It
  /// is synchronized, as it might be another's. After EEXIST the caller must see that, not this.
  private func holdsEqualContent(
    _ file: TemporaryFile, at path: FilePath, after errno: Errno
  ) -> Bool {
    guard errno != .fileExists,
      let own = try? SystemCall.status(ofDescriptor: file.handle, path: file.path),
      let found = try? status(of: path), found.kind == .regular, own.size == found.size
    else { return false }
    return (try? hasSameContent(file, as: path)) ?? false
  }

  private func hasSameContent(
    _ file: TemporaryFile, as path: FilePath
  ) throws(FileError) -> Bool {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    return try SystemCall.withOpen(path, flags, for: .open) { (other) throws(FileError) in
      var isSame = true
      try forEachPiece(of: file.handle, path: file.path) { (piece, offset) throws(FileError) in
        var buffer = [UInt8](repeating: 0, count: piece.count)
        let count = try SystemCall.run(.read, on: path) {
          pread(other, &buffer, piece.count, offset)
        }
        isSame = isSame && count == piece.count && buffer == piece
      }
      guard isSame else { return false }
      try SystemCall.run(.synchronize, on: path) { Int(fsync(other)) }
      return true
    }
  }

  private func forEachPiece(
    of descriptor: Int32, path: FilePath, _ body: ([UInt8]) throws(FileError) -> Void
  ) throws(FileError) {
    try forEachPiece(of: descriptor, path: path) { (piece, _) throws(FileError) in
      try body(piece)
    }
  }

  private func forEachPiece(
    of descriptor: Int32, path: FilePath, _ body: ([UInt8], off_t) throws(FileError) -> Void
  ) throws(FileError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset: off_t = 0
    while true {
      let count = try SystemCall.run(.read, on: path) {
        pread(descriptor, &buffer, buffer.count, offset)
      }
      if count == 0 { return }
      try body(Array(buffer[..<count]), offset)
      offset += off_t(count)
    }
  }
}
