import Foundation
import GRDBSQLite
import Synchronization
import SystemPackage
import Testing

/// Lets a write of SQLite's to a file fail as that of a dying disk does; all others go to the disk.
enum FailingWrites {
  private static let files = Mutex<Set<String>>([])
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

  /// Lets the next write to `file` fail, which has no symbolic link in its path.
  static func failNext(to file: FilePath) throws {
    try #require(isInstalled)
    files.withLock { _ = $0.insert(file.string) }
  }

  /// Whether the write has yet to come that is to fail.
  static func isWaiting(for file: FilePath) -> Bool {
    files.withLock { $0.contains(file.string) }
  }

  private static func fails(_ descriptor: CInt) -> Bool {
    files.withLock { files in
      guard !files.isEmpty,
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(descriptor)"), files.remove(path) != nil
      else { return false }
      errno = EIO
      return true
    }
  }
}
