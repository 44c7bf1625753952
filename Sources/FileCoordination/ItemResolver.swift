import Glibc
import SystemFiles
import SystemPackage

/// Finds out which item a path means, so that all who mean it claim the same.
package struct ItemResolver: Sendable {
  /// The folder that items must be in, without links; nil where any item will do.
  package let folder: ItemPath?

  /// Follows all links of a path that is there, for as long as its file systems take.
  package typealias Lookup = @Sendable (FilePath) throws(FileError) -> FilePath

  private static let files = LinuxFileSystem()
  private let lookup: Lookup

  /// Finds items in a folder, which none may leave; nil: anywhere.
  package init(
    folder: FilePath?,
    lookup: @escaping Lookup = { (path) throws(FileError) in
      try LinuxFileSystem().canonicalPath(of: path)
    }
  ) throws(CoordinationError) {
    self.lookup = lookup
    self.folder = try folder.map { (folder) throws(CoordinationError) in
      try Self.item(try Self.canonical(folder, by: lookup), named: folder)
    }
  }

  /// The item as it stands: without links on the way to it, itself possibly one.
  package func resolve(
    _ path: FilePath, followingLink: Bool
  ) throws(CoordinationError) -> (path: ItemPath, status: FileStatus?) {
    var found = try place(of: path)
    var status = try? Self.files.status(of: found)
    if followingLink, status?.kind == .symbolicLink {
      found = try Self.canonical(found, by: lookup)
      status = try? Self.files.status(of: found)
    }
    let item = try Self.item(found, named: path)
    try check(item)
    return (item, status)
  }

  /// Refuses an item that is not what was claimed: a link stands there now, or on the way to it.
  ///
  /// - returns: Whether the item is there.
  func recheck(_ item: ItemPath, wasLink: Bool) throws(CoordinationError) -> FileStatus? {
    let status = try? Self.files.status(of: item.filePath)
    guard wasLink || status?.kind != .symbolicLink else { throw .replaced(path: item.text) }
    // Another that has come by the same name meanwhile may have claimed what the link leads to.
    guard let now = ItemPath(bytes: try place(of: item.filePath).bytes), now == item else {
      throw .replaced(path: item.text)
    }
    // It may have been moved out while it was waited for.
    try check(item)
    return status
  }

  private func check(_ item: ItemPath) throws(CoordinationError) {
    guard let folder, folder != item, !folder.contains(item) else { return }
    throw .leavesFolder(path: item.text, folder: folder.text)
  }

  /// The real folder of a path and the name in it; folders may be missing, and then are not links.
  private func place(of path: FilePath) throws(CoordinationError) -> FilePath {
    guard let name = path.lastComponent, name.kind == .regular else {
      return try Self.canonical(path, by: lookup)
    }
    var missing: [FilePath.Component] = [name]
    var folder = path.parent
    while true {
      do {
        var result = try lookup(folder)
        for name in missing.reversed() { result.append(name) }
        return result
      } catch {
        guard error.errno == .noSuchFileOrDirectory, let name = folder.lastComponent,
          name.kind == .regular, !Self.isLink(folder)
        else { throw .system(operation: "find", path: path.string, errno: error.errno.rawValue) }
        missing.append(name)
        folder = folder.parent
      }
    }
  }

  /// Whether a link stands there: where that leads nowhere as yet, what is made there later would
  /// be another item than the one of this name.
  private static func isLink(_ path: FilePath) -> Bool {
    (try? files.status(of: path))?.kind == .symbolicLink
  }

  private static func canonical(
    _ path: FilePath, by lookup: Lookup
  ) throws(CoordinationError) -> FilePath {
    do {
      return try lookup(path)
    } catch {
      throw .system(operation: "find", path: path.string, errno: error.errno.rawValue)
    }
  }

  private static func item(
    _ found: FilePath, named path: FilePath
  ) throws(CoordinationError) -> ItemPath {
    guard let item = ItemPath(bytes: found.bytes) else { throw .overLimit(path: path.string) }
    return item
  }
}

/// What contents a file had: tells whether it has to be read again.
///
/// Take it inside a coordinated access. A change of attributes alone leaves it as it is.
public struct FileStamp: Hashable, Sendable {
  let inode: UInt64
  let device: UInt64
  let size: Int64
  let modified: Int64

  /// The stamp of a file; nil where there is none.
  public init?(_ path: FilePath) {
    guard let status = try? LinuxFileSystem().status(of: path) else { return nil }
    self.init(status)
  }

  /// Whether the time is of whole seconds, as on file systems that have no others: what is written
  /// in place within them, and keeps its length, has the same stamp.
  package var isCoarse: Bool { modified % 1_000_000_000 == 0 }

  /// When the file was last changed, in seconds since 1970.
  package var seconds: Int64 { modified / 1_000_000_000 }

  /// The stamp of what a file was said to be.
  package init(_ status: FileStatus) {
    inode = status.inode
    device = status.device
    size = status.size
    modified = status.modified
  }
}
