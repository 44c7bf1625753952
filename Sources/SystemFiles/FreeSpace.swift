import Glibc
import SystemPackage

/// How much room a file system has left for this user.
package struct FreeSpace: Hashable, Sendable {
  package let bytes: UInt64
  package let totalBytes: UInt64
  /// How many files can still be made; nil where the file system does not count them.
  package let files: UInt64?

  package init(bytes: UInt64, totalBytes: UInt64, files: UInt64?) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.files = files
  }

  /// Asks with `statvfs(3)`; nil if it cannot be told.
  package static func of(_ path: FilePath) -> FreeSpace? {
    var status = statvfs()
    let isKnown = path.withPlatformString { statvfs($0, &status) } == 0
    // Some FUSE file systems answer with nothing but zeros.
    guard isKnown, status.f_blocks > 0 else { return nil }
    let unit = UInt64(status.f_frsize)
    return FreeSpace(
      bytes: UInt64(status.f_bavail) * unit, totalBytes: UInt64(status.f_blocks) * unit,
      files: files(
        available: UInt64(status.f_favail), ofAll: UInt64(status.f_files),
        blocks: UInt64(status.f_blocks)))
  }

  /// How many files can still be made, as far as what a file system says of that is true.
  ///
  /// rclone says of a thousand million that all are there, on a disk with far fewer blocks.
  package static func files(available: UInt64, ofAll all: UInt64, blocks: UInt64) -> UInt64? {
    guard all > 0 else { return nil }
    return available == 0 && all > blocks ? nil : available
  }
}
