import FileCoordination
import Foundation
import SharedFolder
import SystemFiles
import SystemPackage

/// A document as it is listed.
public struct DocumentEntry: Hashable, Sendable {
  /// Where it is.
  public let path: FilePath
  /// Its names from the folder on.
  public let relativePath: String
  /// How many bytes it has; nil where it is there by versions alone.
  public let size: Int64?
  /// When it was last changed; nil where it is there by versions alone.
  public let modificationDate: Date?
  /// How many versions of conflicts are not resolved.
  public let conflicts: Int
  /// How many versions are kept on this machine of a document that is gone; 0 of one that is there,
  /// as a file or by versions of conflicts.
  public internal(set) var kept = 0
}

extension DocumentFolder {
  /// How many documents a listing has, but for those of its last folder.
  private static let maximumEntries = 1_000_000

  /// The documents in the folder, at any depth, sorted by path, and how many conflicts each has.
  ///
  /// Links are not followed. Conflict copies are no documents of their own; one whose document is
  /// gone stands for it. Hidden folders and what is never synced are left out, as are folders that
  /// cannot be read, and files that cannot be looked at, which `onUnreadable` hears of.
  ///
  ///     for entry in try documents.documents(includingGone: true) where entry.kept > 0 {
  ///       print(entry.path, try documents.otherVersions(of: entry.path) ?? [])
  ///     }
  ///
  /// - parameter includingGone: Whether documents are listed that are gone, of which versions are
  ///   kept on this machine; see ``DocumentEntry/kept``.
  public func documents(
    includingGone: Bool = false, onUnreadable: (DocumentFileError) -> Void = { _ in }
  ) throws -> [DocumentEntry] {
    var result: [DocumentEntry] = []
    try DocumentWalk(root: path).forEachDirectory(onUnreadable: onUnreadable) {
      (directory, names) throws(FileError) in
      guard result.count < Self.maximumEntries else { return [] }
      let (documents, folders) = try look(into: directory, names, onUnreadable: onUnreadable)
      result += documents
      return folders
    }
    if includingGone {
      result += try goneDocuments().map {
        DocumentEntry(
          path: $0.path, relativePath: $0.relativePath, size: nil, modificationDate: nil,
          conflicts: 0, kept: $0.versions)
      }
    }
    return result.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  private func look(
    into directory: OpenDirectory, _ names: [FilePath.Component],
    onUnreadable: (DocumentFileError) -> Void
  ) throws(FileError) -> (documents: [DocumentEntry], folders: [FilePath.Component]) {
    var files: [FilePath.Component: FileStatus] = [:]
    var (conflicts, folders): ([FilePath.Component: Int], [FilePath.Component]) = ([:], [])
    for entry in try directory.list() where !DocumentPlace.isHidden(entry.name) {
      let status: FileStatus
      do throws(FileError) {
        guard let found = try ambient.status(directory, entry.name) else { continue }
        status = found
      } catch {
        // Of the others nobody should have to do without.
        onUnreadable(DocumentFileError(error))
        continue
      }
      switch status.kind {
      case .directory:
        if entry.name.bytes.first != UInt8(ascii: ".") { folders.append(entry.name) }
      case .regular:
        if let copy = ConflictCopy(entry.name) {
          conflicts[copy.document, default: 0] += 1
        } else {
          files[entry.name] = status
        }
      default: break
      }
    }
    let documents = Set(files.keys).union(conflicts.keys).map { name in
      DocumentEntry(
        path: path.appending(names).appending(name),
        relativePath: (names + [name]).map(\.string).joined(separator: "/"),
        size: files[name]?.size,
        modificationDate: files[name].map {
          Date(timeIntervalSince1970: Double($0.modified) / 1e9)
        },
        conflicts: conflicts[name, default: 0])
    }
    return (documents, folders)
  }
}
