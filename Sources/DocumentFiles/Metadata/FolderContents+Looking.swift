import SystemFiles
import SystemPackage

extension FolderContents {
  /// Reads one folder below a root: at most some names of it.
  package typealias Look =
    @Sendable (
      _ root: FilePath, _ names: [FilePath.Component], _ limit: Int
    ) throws -> [Entry]

  /// Looks at a folder of the file system; no link is followed.
  package static let system: Look = { root, names, limit in
    let directory = try OpenDirectory.walk(from: root, names)
    return try directory.list(atMost: limit).map { entry in
      do throws(FileError) {
        let status = try directory.status(of: entry.name)
        let isTemporary = TemporaryCopyName.target(of: entry.name) != nil
        return Entry(
          entry.name, .success(status),
          allocated: isTemporary ? try directory.allocatedSize(of: entry.name) : 0)
      } catch {
        return Entry(entry.name, .failure(error))
      }
    }
  }
}
