import SharedFolder
import SystemFiles
import SystemPackage

/// The folders below one, itself first, none of them reached by a link.
struct DocumentWalk {
  let root: FilePath
  /// How deep folders are looked into.
  var maximumDepth = 64

  /// Visits each; what a visit returns are the names of those in it that are visited, too.
  ///
  /// One that goes away between two calls is passed over; of one that cannot be read `onUnreadable`
  /// hears, unless it is the root.
  func forEachDirectory(
    onUnreadable: (DocumentFileError) -> Void = { _ in },
    _ visit: (OpenDirectory, [FilePath.Component]) throws(FileError) -> [FilePath.Component]
  ) throws {
    var waiting: [[FilePath.Component]] = [[]]
    while let names = waiting.popLast() {
      do {
        let folders = try visit(try OpenDirectory.walk(from: root, names), names)
        if names.count < maximumDepth { waiting += folders.map { names + [$0] } }
      } catch {
        guard !names.isEmpty else { throw DocumentFileError(error) }
        // It went away between two calls, or became something else.
        guard error.errno != .noSuchFileOrDirectory else { continue }
        onUnreadable(DocumentFileError(error))
      }
    }
  }
}

/// Files that a save or a removal of documents has left under a temporary name, since its process
/// was killed, or power went.
///
/// Such a file may be the newest that there is of a document: who wrote its name between the two
/// exchanges of a ``SafeReplacement`` has it under the temporary one then. So nobody but the user
/// removes it.
///
///     let leftovers = DocumentLeftovers(below: "/home/ann/Sync/notes/Documents")
///     for path in try leftovers.older(than: now) { print(path) }
package struct DocumentLeftovers {
  private let root: FilePath

  /// What it means that there is no such folder, or none for this user to look into.
  private static let absence: [Errno] = [
    .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .permissionDenied,
  ]

  /// - parameter root: The folder of the documents; if it is none, or another user's alone, nothing
  ///   is found in it.
  package init(below root: FilePath) { self.root = root }

  /// Those that were last changed or renamed before a time, in nanoseconds since 1970, sorted.
  package func older(than time: Int64) throws -> [FilePath] {
    var found: [FilePath] = []
    do {
      try DocumentWalk(root: root).forEachDirectory { (directory, names) throws(FileError) in
        var folders: [FilePath.Component] = []
        for entry in try directory.list() {
          let isHidden = entry.name.bytes.first == UInt8(ascii: ".")
          let wanted: FileKind = isHidden ? .regular : .directory
          guard isHidden == LeftoverName.matches(entry.name.bytes),
            [wanted, .unknown].contains(entry.kind),
            let status = try? directory.status(of: entry.name), status.kind == wanted
          else { continue }
          if isHidden {
            // What a save has just brought out may have been written long ago.
            guard max(status.modified, status.changed) < time else { continue }
            found.append(root.appending(names).appending(entry.name))
          } else {
            folders.append(entry.name)
          }
        }
        return folders
      }
    } catch DocumentFileError.system(_, _, let errno)
      where Self.absence.contains(Errno(rawValue: errno))
    {
      // It is about the folder itself: of others nobody hears.
      return []
    }
    return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
