import SharedFolder
import SystemFiles
import SystemPackage

/// Documents that are gone, with the versions of them that are kept on this machine: edits that
/// their programs had not saved when a syncer deleted them, or what lost a conflict.
///
/// No name in the folder tells of them, not that of a conflict copy either, so only who remembers
/// what a document was called would find its versions.
///
///     let gone = try GoneDocuments(of: "/home/ann/Sync/notes/Documents", keptIn: versions).list()
///     for document in gone { print(document.path, document.versions) }
package struct GoneDocuments {
  /// A document that is gone.
  package struct Entry: Hashable, Sendable {
    /// Where it was.
    package let path: FilePath
    /// Its names from the folder on.
    package let relativePath: String
    /// How many versions of it are kept.
    package let versions: Int
  }

  private let root: FilePath
  private let kept: FilePath

  /// Documents may be deeper than they are listed, and there are two names more: a version's number
  /// and its own name.
  private static let maximumDepth = 66

  /// - parameters:
  ///   - root: The folder of the documents, which has to be there: what is away is not gone.
  ///   - kept: The local place of kept versions, which may be missing.
  package init(of root: FilePath, keptIn kept: FilePath) {
    self.root = root
    self.kept = kept
  }

  /// All of them, sorted by path.
  ///
  /// One that cannot be looked for, in a folder that this user may not read, is not among them.
  package func list() throws -> [Entry] {
    let byFolder = Dictionary(grouping: try counts()) { Array($0.key.dropLast()) }
    var result: [Entry] = []
    for (folder, counts) in byFolder {
      let there = found(in: folder, counts.compactMap(\.key.last))
      for (names, versions) in counts {
        guard let there, let name = names.last, !there.contains(name) else { continue }
        result.append(
          Entry(
            path: root.appending(names),
            relativePath: names.map(\.string).joined(separator: "/"), versions: versions))
      }
    }
    return result.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  /// How many versions are kept of all documents together, there or not.
  package func keptVersions() throws -> Int { try counts().values.reduce(0, +) }

  /// How many versions are kept of which documents, there or not.
  private func counts() throws -> [[FilePath.Component]: Int] {
    var counts: [[FilePath.Component]: Int] = [:]
    do {
      try DocumentWalk(root: kept, maximumDepth: Self.maximumDepth).forEachDirectory {
        (directory, names) throws(FileError) in
        let (versions, folders) = try look(into: directory)
        // As `KeptVersions` has them: the document's names, a number, and the file in that.
        if versions > 0, names.count > 1, let id = names.last, KeptVersions.isID(id) {
          counts[names.dropLast(), default: 0] += versions
        }
        return folders
      }
    } catch DocumentFileError.system(_, _, let errno)
      where Errno(rawValue: errno) == .noSuchFileOrDirectory
    {
      // Nothing has been kept yet.
      return [:]
    }
    return counts
  }

  private func look(
    into directory: OpenDirectory
  ) throws(FileError) -> (versions: Int, folders: [FilePath.Component]) {
    var (versions, folders): (Int, [FilePath.Component]) = (0, [])
    for entry in try directory.list() {
      guard let status = try? directory.status(of: entry.name) else { continue }
      switch status.kind {
      case .directory: folders.append(entry.name)
      case .regular where !DocumentPlace.isHidden(entry.name): versions += 1
      default: break
      }
    }
    return (versions, folders)
  }

  /// Which documents of a folder are there, as files or by conflict copies of theirs; nil where
  /// that cannot be told.
  private func found(
    in folder: [FilePath.Component], _ names: [FilePath.Component]
  ) -> Set<FilePath.Component>? {
    do throws(FileError) {
      let directory = try OpenDirectory.walk(from: root, folder)
      var found: Set<FilePath.Component> = []
      for name in names {
        if try directory.statusIfPresent(of: name)?.kind == .regular { found.insert(name) }
      }
      guard found.count < names.count else { return found }
      for entry in try directory.list() {
        guard let copy = ConflictCopy(entry.name),
          try directory.statusIfPresent(of: entry.name)?.kind == .regular
        else { continue }
        found.insert(copy.document)
      }
      return found
    } catch {
      return error.isOfMissingFile ? [] : nil
    }
  }
}

extension DocumentFolder {
  /// Documents that are gone, of which versions are kept on this machine.
  func goneDocuments() throws -> [GoneDocuments.Entry] {
    let gone = try GoneDocuments(of: path, keptIn: kept.root).list()
    // Looked for while the folder went away, all would be gone.
    if !gone.isEmpty { try requirePresence() }
    return gone
  }
}

extension MetadataItem {
  /// A document that is gone: the user's, also where it had the name of a conflict copy, since he
  /// had opened it as one of his.
  init(_ gone: GoneDocuments.Entry) {
    self.init(
      path: gone.path, relativePath: gone.relativePath, kind: .document, size: nil, modified: nil,
      conflicts: 0, downloadingStatus: .missing, arrival: nil, error: nil, kept: gone.versions)
  }
}
