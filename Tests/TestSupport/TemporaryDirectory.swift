import Glibc
import SystemFiles
import SystemPackage

/// A directory of the real file system, below `TMPDIR`, that goes away with this object.
package final class TemporaryDirectory: Sendable {
  package let path: FilePath

  package init() throws {
    path = try Self.make()
  }

  deinit { Self.removeTree(path) }

  /// Makes an empty directory that its user removes.
  package static func make() throws -> FilePath {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // What mkdtemp(3) replaces.
    let placeholder = String(repeating: "X", count: 6)
    var template = Array("\(parent)/feedsync-test-\(placeholder)".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    return template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  package static func removeTree(_ path: FilePath) {
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
