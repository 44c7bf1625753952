import Foundation
import GRDBSQLite
import Synchronization
import SystemPackage
import Testing

/// Lets writes of SQLite's to a file fail as those of a dying disk do; all others go to the disk.
enum FailingWrites {
  /// How many to come fail, by file.
  private static let files = Mutex<[String: Int]>([:])
  private typealias Write = @convention(c) (CInt, UnsafeRawPointer?, Int) -> Int
  private typealias WriteAt = @convention(c) (CInt, UnsafeRawPointer?, Int, off_t) -> Int

  /// What SQLite calls instead of the kernel, from the first call on until the process ends.
  private static let isInstalled: Bool = {
    guard let system = sqlite3_vfs_find(nil), let replace = system.pointee.xSetSystemCall else {
      return false
    }
    let write: Write = { descriptor, bytes, count in
      FailingWrites.fails(descriptor) ? -1 : Foundation.write(descriptor, bytes, count)
    }
    let writeAt: WriteAt = { descriptor, bytes, count, offset in
      FailingWrites.fails(descriptor) ? -1 : pwrite(descriptor, bytes, count, offset)
    }
    let call = unsafeBitCast(write, to: sqlite3_syscall_ptr.self)
    let callAt = unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self)
    return replace(system, "write", call) == SQLITE_OK
      && replace(system, "pwrite", callAt) == SQLITE_OK
      && replace(system, "pwrite64", callAt) == SQLITE_OK
  }()

  /// Lets the next writes to `file` fail, which has no symbolic link in its path.
  static func failNext(_ count: Int = 1, to file: FilePath) throws {
    try #require(isInstalled)
    files.withLock { $0[file.string] = count }
  }

  /// How many writes have yet to come that are to fail.
  static func remaining(of file: FilePath) -> Int { files.withLock { $0[file.string, default: 0] } }

  private static func fails(_ descriptor: CInt) -> Bool {
    files.withLock { files in
      guard !files.isEmpty,
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(descriptor)"), let count = files[path]
      else { return false }
      files[path] = count > 1 ? count - 1 : nil
      errno = EIO
      return true
    }
  }
}
