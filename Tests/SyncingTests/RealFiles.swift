import Glibc
import SystemPackage
import Testing

/// What the file system seam has no call for.
enum RealFiles {
  static func setModified(seconds: Int, _ path: FilePath) throws {
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    try #require(utimensat(AT_FDCWD, path.string, times, AT_SYMLINK_NOFOLLOW) == 0)
  }
}
