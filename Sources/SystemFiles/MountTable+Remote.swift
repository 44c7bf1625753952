import Glibc
import SystemPackage

extension MountTable {
  /// Where a path comes to a file system whose calls may wait for a server.
  ///
  /// Follows links, and touches nothing of what is mounted there. What has been mounted since the
  /// table was read is not seen.
  ///
  /// - returns: the path from which the rest is that file system's to resolve, and its name; nil
  ///   if all is local.
  package func remotePlace(of path: FilePath) -> (path: FilePath, name: String)? {
    let path = Self.absolute(path)
    var place: FilePath = "/"
    var rest = Array(path.lexicallyNormalized().components.reversed())
    var hops = 0
    while let component = rest.popLast() {
      if component.kind == .parentDirectory {
        place.removeLastComponent()
        continue
      }
      guard component.kind == .regular else { continue }
      let next = place.appending(component)
      if let name = name(for: next.bytes), FileSystemKind.mayHang(mountName: name) {
        return (rest.reversed().reduce(into: next) { $0.append($1) }, name)
      }
      guard let target = try? LinuxFileSystem().linkTarget(of: next), hops < 40 else {
        place = next
        continue
      }
      hops += 1
      if target.isAbsolute { place = "/" }
      rest += target.components.reversed()
    }
    return nil
  }

  /// The path from the root; a relative one is that of the directory in which the process works.
  private static func absolute(_ path: FilePath) -> FilePath {
    guard !path.isAbsolute, let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return FilePath(platformString: current).pushing(path)
  }
}

extension LinuxFileSystem {
  /// Whether all changes of what is there pass through this kernel; false where nothing is.
  ///
  /// The mount table is asked first: a server that does not answer would hold the question itself.
  package static func isLocal(_ path: FilePath) -> Bool {
    guard MountTable.current()?.remotePlace(of: path) == nil else { return false }
    return (try? LinuxFileSystem().kind(of: path)) == .local
  }
}
