import Glibc
import SystemPackage

extension LinuxFileSystem {
  package func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component, mode: UInt32
  ) throws(FileError) -> TemporaryFile {
    // Which errors mean "not supported here" differs from one file system to the next (EOPNOTSUPP,
    // EISDIR, EINVAL, ENOENT), so the named file is tried after any of them: where the directory
    // itself is at fault, its error is the same.
    let nameless = directory.withPlatformString { pointer in
      SystemCall.attempt { Int(open(pointer, O_RDWR | O_CLOEXEC | RawLinux.temporaryFile, mode)) }
    }
    if case .success(let descriptor) = nameless {
      return TemporaryFile(
        handle: Int32(descriptor), directory: directory, fallbackName: fallbackName,
        isNamed: false)
    }
    return try createNamed(in: directory, name: fallbackName, mode: mode)
  }

  /// Creates a temporary file that has a name, as where nameless ones don't exist.
  package func createNamed(
    in directory: FilePath, name: FilePath.Component, mode: UInt32 = 0o666
  ) throws(FileError) -> TemporaryFile {
    let descriptor = try SystemCall.open(
      directory.appending(name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, for: .create)
    return TemporaryFile(
      handle: descriptor, directory: directory, fallbackName: name, isNamed: true)
  }

  package func write(_ bytes: [UInt8], to file: TemporaryFile) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = try SystemCall.run(.write, on: file.path) {
        bytes.withUnsafeBytes { raw in
          let rest = UnsafeRawBufferPointer(rebasing: raw[done...])
          return Glibc.write(file.handle, rest.baseAddress, rest.count)
        }
      }
      // write(2) leaves open what 0 for a regular file means; to go on could be to go on for ever.
      guard count > 0 else { throw FileError(.write, file.path, .ioError) }
      done += count
    }
  }

  package func setMode(_ mode: UInt32, of file: TemporaryFile) throws(FileError) {
    try SystemCall.run(.changeMode, on: file.path) { Int(fchmod(file.handle, mode)) }
  }

  package func synchronize(_ file: TemporaryFile) throws(FileError) {
    try SystemCall.run(.synchronize, on: file.path) { Int(fsync(file.handle)) }
  }

  package func discard(_ file: TemporaryFile) {
    if file.isNamed { try? remove(file.fallbackPath) }
    _ = close(file.handle)
  }
}
