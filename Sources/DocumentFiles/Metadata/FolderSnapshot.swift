import SystemFiles
import SystemPackage

/// A folder of documents with all folders in it, as they were when each was read: a value.
package struct FolderSnapshot: Sendable, Equatable {
  /// The folders by their paths, the folder itself among them.
  package private(set) var folders: [FilePath: FolderContents] = [:]
  /// Those that could not be read, and why; what was known of them before stays.
  package private(set) var problems: [FilePath: DocumentFileError] = [:]
  /// How many names all folders have together.
  package private(set) var count = 0

  package init() {}

  /// Takes in what a folder has been found to hold; what is gone from it goes with all below it.
  ///
  /// - returns: The folders in it that have to be read next: new ones, others in the place of those
  ///   that were there, and those that could not be read. The last one by its path comes first: who
  ///   takes them from the end goes by their paths, and leaves out the same ones each time.
  package mutating func put(_ contents: FolderContents, at directory: FilePath) -> [FilePath] {
    let former = folders[directory]?.folders ?? [:]
    remove(Set(former.keys.filter { contents.folders[$0] != former[$0] }))
    count += contents.count - (folders[directory]?.count ?? 0)
    folders[directory] = contents
    problems[directory] = nil
    return contents.folders.keys.filter { folders[$0] == nil || problems[$0] != nil }
      .map { ($0, $0.bytes) }.sorted { $1.1.lexicographicallyPrecedes($0.1) }.map(\.0)
  }

  /// Notes why a folder could not be read.
  package mutating func fail(_ error: DocumentFileError, at directory: FilePath) {
    problems[directory] = error
  }

  /// Takes over what another state knows of a folder that cannot be read now, and of all below.
  package mutating func keep(
    _ directory: FilePath, of other: FolderSnapshot, _ error: DocumentFileError
  ) {
    for (path, contents) in other.folders where path.starts(with: directory) {
      guard folders[path] == nil else { continue }
      folders[path] = contents
      count += contents.count
    }
    problems[directory] = error
  }

  /// Forgets folders and all below them.
  package mutating func remove(_ gone: Set<FilePath>) {
    guard !gone.isEmpty else { return }
    for (path, contents) in folders where Self.isBelow(gone, path) {
      folders[path] = nil
      count -= contents.count
    }
    for path in problems.keys where Self.isBelow(gone, path) { problems[path] = nil }
  }

  private static func isBelow(_ gone: Set<FilePath>, _ path: FilePath) -> Bool {
    var path = path
    repeat {
      if gone.contains(path) { return true }
    } while path.removeLastComponent() && !path.isEmpty
    return false
  }
}
