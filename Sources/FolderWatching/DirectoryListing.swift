import Glibc
import SystemPackage

/// Lists a directory without Foundation.
enum DirectoryListing {
  /// The names in the directory at `path` that are directories, or may be, links left out.
  static func directories(at path: FilePath) throws(Errno) -> [FilePath.Component] {
    try entries(at: path) { $0 == DT_DIR || $0 == DT_UNKNOWN }
  }

  /// The names of all entries.
  static func names(at path: FilePath) throws(Errno) -> [FilePath.Component] {
    try entries(at: path) { _ in true }
  }

  private static func entries(
    at path: FilePath, where wanted: (Int) -> Bool
  ) throws(Errno) -> [FilePath.Component] {
    guard let directory = path.withPlatformString({ opendir($0) }) else { throw .last }
    defer { closedir(directory) }
    var found: [FilePath.Component] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) {
          FilePath.Component(platformString: $0)
        }
      }
      if let name, name.kind == .regular, wanted(Int(entry.pointee.d_type)) { found.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .last }
    return found
  }
}

/// Which directory a path names: the same numbers, the same directory.
struct FileIdentity: Hashable {
  let device: UInt
  let inode: UInt

  /// The identity of what `path` names, a link itself if it ends in one; nil if it is missing.
  init?(_ path: FilePath) {
    var information = stat()
    guard path.withPlatformString({ lstat($0, &information) }) == 0 else { return nil }
    device = UInt(information.st_dev)
    inode = UInt(information.st_ino)
  }
}

extension Errno {
  /// What `errno` says now.
  static var last: Errno { Errno(rawValue: errno) }
}
