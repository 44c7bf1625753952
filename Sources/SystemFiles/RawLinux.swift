import Glibc
import SystemPackage

/// What Linux has and Swift's Glibc module does not import.
///
/// `O_TMPFILE`, the OFD lock commands, `RENAME_NOREPLACE`, `accept4` and `pipe2` stand behind
/// `_GNU_SOURCE`, and `sys/statfs.h` is not in the module. The functions are looked up by name at
/// run time, which needs no C target; a C library without one of them is answered as a kernel
/// without it.
package enum RawLinux {
  /// `O_TMPFILE` of `open(2)`, which includes `O_DIRECTORY` so that old kernels refuse it.
  static let temporaryFile: Int32 = 0o20000000 | O_DIRECTORY

  /// `F_OFD_SETLK` of `fcntl(2)`.
  static let setLock: Int32 = 37

  private typealias RenameFunction =
    @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  private typealias StatusFunction =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> Int32

  private typealias AttributeFunction =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
    ) -> Int

  private typealias OpenAttributeFunction =
    @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int

  private typealias BirthFunction =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer
    ) -> Int32

  private typealias AcceptFunction =
    @convention(c) (
      Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32
    ) -> Int32

  private typealias PipeFunction = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32

  private static let acceptFunction: AcceptFunction? = function("accept4")
  private static let pipeFunction: PipeFunction? = function("pipe2")
  private static let birthFunction: BirthFunction? = function("statx")
  private static let attributeFunction: AttributeFunction? = function("lgetxattr")
  private static let openAttributeFunction: OpenAttributeFunction? = function("fgetxattr")
  private static let renameFunction: RenameFunction? = function("renameat2")
  private static let statusFunction: StatusFunction? = function("statfs")

  private static func function<Function>(_ name: String) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
  }

  /// Renames without replacing (`renameat2(2)` with `RENAME_NOREPLACE`).
  static func renameExclusively(
    _ source: UnsafePointer<CChar>, _ destination: UnsafePointer<CChar>
  ) -> Int {
    rename(AT_FDCWD, source, AT_FDCWD, destination, flags: noReplace)
  }

  /// `RENAME_NOREPLACE` of `renameat2(2)`.
  static let noReplace: UInt32 = 1

  /// `RENAME_EXCHANGE` of `renameat2(2)`.
  static let exchange: UInt32 = 2

  /// Renames between two open directories (`renameat2(2)`).
  static func rename(
    _ oldDirectory: Int32, _ source: UnsafePointer<CChar>, _ newDirectory: Int32,
    _ destination: UnsafePointer<CChar>, flags: UInt32
  ) -> Int {
    guard let renameFunction else {
      Glibc.errno = ENOSYS
      return -1
    }
    return Int(renameFunction(oldDirectory, source, newDirectory, destination, flags))
  }

  /// The next one who connects (`accept4(2)`); no call on it blocks, and no child inherits it.
  ///
  /// Set by a second call, the latter would be too late for a child that is started in between.
  package static func accept(_ listener: Int32) -> Int32 {
    guard let acceptFunction else {
      Glibc.errno = ENOSYS
      return -1
    }
    // SOCK_CLOEXEC and SOCK_NONBLOCK have these values on Linux.
    return acceptFunction(listener, nil, nil, O_CLOEXEC | O_NONBLOCK)
  }

  /// The ends of a pipe, to read from and to write to (`pipe2(2)`), likewise; nil for want of them.
  package static func pipe() -> (output: Int32, input: Int32)? {
    guard let pipeFunction else {
      Glibc.errno = ENOSYS
      return nil
    }
    var ends: [Int32] = [-1, -1]
    return pipeFunction(&ends, O_CLOEXEC | O_NONBLOCK) == 0 ? (ends[0], ends[1]) : nil
  }

  /// The size of an extended attribute; negative where there is none (`getxattr(2)`).
  static func attributeSize(_ path: UnsafePointer<CChar>, _ name: String) -> Int {
    attributeFunction?(path, name, nil, 0) ?? -1
  }

  /// The same of an open file.
  static func attributeSize(of descriptor: Int32, _ name: String) -> Int {
    openAttributeFunction?(descriptor, name, nil, 0) ?? -1
  }

  /// An extended attribute of an open file; nil if it has not got the size any more.
  static func attribute(of descriptor: Int32, _ name: String, size: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: size)
    return openAttributeFunction?(descriptor, name, &bytes, size) == size ? bytes : nil
  }

  /// The magic number of the file system that holds a path (`statfs(2)`).
  package static func magic(of path: FilePath) throws(FileError) -> UInt32 {
    // struct statfs has 120 bytes on 64-bit machines, and begins with the number, in a word whose
    // upper half, where it has one, says nothing: the constants have 32 bits.
    var buffer = [UInt64](repeating: 0, count: 64)
    try SystemCall.run(.fileSystemKind, path) { pointer in
      guard let statusFunction else {
        Glibc.errno = ENOSYS
        return -1
      }
      return buffer.withUnsafeMutableBytes { raw in
        raw.baseAddress.map { Int(statusFunction(pointer, $0)) } ?? -1
      }
    }
    return UInt32(truncatingIfNeeded: buffer[0])
  }

  /// When a file was made, in nanoseconds since 1970 (`statx(2)`); nil where that is not recorded.
  static func birth(of path: FilePath) -> Int64? {
    guard let birthFunction else { return nil }
    // The structure's size, the bit that asks for the time of birth, and where that stands.
    let (size, birthBit, offset) = (256, UInt32(0x800), 80)
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { raw in
      guard let start = raw.baseAddress else { return nil }
      let code = path.withPlatformString {
        birthFunction(AT_FDCWD, $0, AT_SYMLINK_NOFOLLOW, birthBit, start)
      }
      guard code == 0, start.load(as: UInt32.self) & birthBit != 0 else { return nil }
      let seconds = start.load(fromByteOffset: offset, as: Int64.self)
      let nanoseconds = start.load(fromByteOffset: offset + 8, as: UInt32.self)
      return seconds * 1_000_000_000 + Int64(nanoseconds)
    }
  }
}
