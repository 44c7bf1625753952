import Glibc
import SystemFiles
import SystemPackage

/// A directory of the real file system that goes away with this object.
final class TemporaryDirectory: Sendable {
  let path: FilePath

  init() throws {
    // What mkdtemp(3) replaces.
    let placeholder = String(repeating: "X", count: 6)
    var template = Array("/tmp/feedsync-test-\(placeholder)".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    path = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  deinit { Self.removeTree(path) }

  private static func removeTree(_ path: FilePath) {
    let files = LinuxFileSystem()
    for entry in (try? files.list(path)) ?? [] {
      let child = path.appending(entry.name)
      if (try? files.status(of: child))?.kind == .directory {
        removeTree(child)
      } else {
        try? files.remove(child)
      }
    }
    try? files.removeDirectory(path)
  }
}
