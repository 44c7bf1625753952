import Glibc
import SystemPackage

/// Runs system calls: repeats what a signal interrupted, and turns -1 into a `FileError`.
enum SystemCall {
  /// Runs a call that takes a path.
  @discardableResult
  static func run(
    _ operation: FileOperation, _ path: FilePath, _ call: (UnsafePointer<CChar>) -> Int
  ) throws(FileError) -> Int {
    let result = path.withPlatformString { pointer in attempt { call(pointer) } }
    switch result {
    case .success(let value): return value
    case .failure(let errno): throw FileError(operation, path, errno)
    }
  }

  /// Runs a call on something already open; `path` is for the error alone.
  @discardableResult
  static func run(
    _ operation: FileOperation, on path: FilePath, _ call: () -> Int
  ) throws(FileError) -> Int {
    switch attempt(call) {
    case .success(let value): return value
    case .failure(let errno): throw FileError(operation, path, errno)
    }
  }

  /// Runs a call, reading `errno` before anything else can change it.
  static func attempt(_ call: () -> Int) -> Result<Int, Errno> {
    while true {
      let value = call()
      if value >= 0 { return .success(value) }
      let code = Glibc.errno
      if code != EINTR { return .failure(Errno(rawValue: code)) }
    }
  }

  /// Opens a path, closes it after `body`, and never leaks the descriptor to a child process.
  static func withOpen<Value>(
    _ path: FilePath, _ flags: Int32, for operation: FileOperation,
    _ body: (Int32) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    let descriptor = try open(path, flags, for: operation)
    // close(2) is not repeated after EINTR: on Linux the descriptor is gone all the same.
    defer { _ = Glibc.close(descriptor) }
    return try body(descriptor)
  }

  /// Opens a path with `O_CLOEXEC`; `mode` matters only where the flags create a file.
  static func open(
    _ path: FilePath, _ flags: Int32, mode: mode_t = 0, for operation: FileOperation
  ) throws(FileError) -> Int32 {
    Int32(try run(operation, path) { Int(Glibc.open($0, flags | O_CLOEXEC, mode)) })
  }

  /// What an open descriptor says about its file (`fstat(2)`).
  static func status(
    ofDescriptor descriptor: Int32, path: FilePath
  ) throws(FileError) -> FileStatus {
    var raw = stat()
    try run(.status, on: path) { Int(fstat(descriptor, &raw)) }
    return FileStatus(raw)
  }
}

extension FileStatus {
  init(_ raw: stat) {
    self.init(
      kind: FileKind(mode: raw.st_mode), size: Int64(raw.st_size),
      modified: Self.nanoseconds(raw.st_mtim), changed: Self.nanoseconds(raw.st_ctim),
      inode: UInt64(raw.st_ino), device: UInt64(raw.st_dev), links: UInt64(raw.st_nlink),
      mode: raw.st_mode & 0o7777, owner: raw.st_uid, group: raw.st_gid)
  }

  /// A file's times are anybody's to set, beyond the year 2262 too: clamps instead of trapping.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (scaled, scaleOverflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = scaled.addingReportingOverflow(Int64(time.tv_nsec))
    guard !scaleOverflow, !sumOverflow else { return time.tv_sec < 0 ? .min : .max }
    return sum
  }
}

extension FileKind {
  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .directory
    case S_IFLNK: self = .symbolicLink
    case S_IFIFO: self = .fifo
    case S_IFSOCK: self = .socket
    case S_IFCHR, S_IFBLK: self = .device
    default: self = .other
    }
  }

  /// From `d_type`, whose values are those of the mode, shifted down (`DTTOIF` in `dirent.h`).
  init(directoryType: UInt8) {
    self = directoryType == 0 ? .unknown : FileKind(mode: mode_t(directoryType) << 12)
  }
}
