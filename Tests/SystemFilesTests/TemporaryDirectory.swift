import Glibc
import SystemFiles
import SystemPackage
import Testing

/// A directory of the real file system that goes away with this object.
final class TemporaryDirectory: Sendable {
  let path: FilePath

  init() throws {
    var template = Array(
      ("/tmp/feedsync-test-" + String(repeating: "X", count: 6) + "\0").utf8CString)
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

/// A name from bytes that a literal cannot hold.
func component(_ bytes: [UInt8]) throws -> FilePath.Component {
  try #require(FilePath.Component(bytes: bytes))
}

/// What a call threw, or nil.
///
/// Call it outside of `#expect`: with Swift 6.3.1 a closure inside the macro's argument and the
/// next one in the same function were taken for one another, and the first was called twice.
func failure(_ body: () throws(FileError) -> Void) -> FileError? {
  do throws(FileError) {
    try body()
    return nil
  } catch {
    return error
  }
}
