import FileCoordination
import SharedFolder
import SystemFiles
import SystemPackage

/// A folder of the user's own files, such as `Documents/` of a container.
///
/// Conflict copies that a syncer leaves beside a file appear as versions of it. Nothing is deleted
/// without being asked: what loses a conflict is kept in a local place, which is not synced.
///
///     let documents = try container.documents()
///     for version in try documents.unresolvedConflictVersions(of: "report.txt") ?? [] {
///       print(version.localizedNameOfSavingComputer ?? "?", version.modificationDate)
///     }
///
/// Paths are absolute, or relative to the folder. One that leads out of it, by `..` or by a link,
/// is refused with ``CoordinationError/leavesFolder(path:folder:)``; a document that is a link, a
/// FIFO or a device with ``DocumentFileError/notAFile(path:kind:)``.
public struct DocumentFolder: Sendable {
  /// The folder, without links on the way to it.
  public let path: FilePath
  /// Those that accesses to its files are coordinated with.
  public let domain: CoordinationDomain
  let kept: KeptVersions
  let ambient: DocumentAmbient
  private let resolver: ItemResolver
  let waiting: AccessWaiting
  /// Why the folder is not to be looked at now, in words; nil if it is there.
  ///
  /// It throws what ends everything: another one has taken its place.
  package var absence: @Sendable () throws -> String? = { nil }

  /// Opens a folder, which has to be there.
  ///
  /// - parameters:
  ///   - kept: The local directory for versions that are kept and not synced; made when needed.
  ///   - domain: Those that accesses are coordinated with.
  ///   - onWait: Hears, on any thread, whom an access to one of its files waits for, if it has to
  ///     wait: those of an open ``DocumentFile`` as well.
  ///   - onLapse: Hears likewise of presenters that did not answer in time, and are not waited for
  ///     any longer: their processes have died, most likely, or are suspended.
  public init(
    _ path: FilePath, keeping kept: FilePath, domain: CoordinationDomain,
    onWait: (@Sendable ([CoordinationHolder]) -> Void)? = nil,
    onLapse: (@Sendable (PresenterLapse) -> Void)? = nil
  ) throws {
    try self.init(
      path, keeping: kept, domain: domain, ambient: .system,
      waiting: AccessWaiting(onWait: onWait, onLapse: onLapse))
  }

  package init(
    _ path: FilePath, keeping kept: FilePath, domain: CoordinationDomain, ambient: DocumentAmbient,
    waiting: AccessWaiting = AccessWaiting()
  ) throws {
    resolver = try ItemResolver(folder: path)
    self.path = resolver.folder?.filePath ?? path
    self.domain = domain
    self.ambient = ambient
    self.waiting = waiting
    self.kept = KeptVersions(root: kept, ambient: ambient)
  }

  /// Where a document is, whether or not it is there: in the folder, links on the way followed.
  func place(of file: FilePath) throws -> DocumentPlace {
    let asked = file.isAbsolute ? file : path.appending(file.components)
    let found = try resolver.resolve(asked, followingLink: false).path.filePath
    return try place(canonical: found)
  }

  /// Where a document is whose path has no links on the way.
  func place(canonical found: FilePath) throws(DocumentFileError) -> DocumentPlace {
    let names = Array(found.components.dropFirst(path.components.count))
    guard found.starts(with: path), let name = names.last, !DocumentPlace.isHidden(name) else {
      throw .notADocument(path: found.string)
    }
    return DocumentPlace(root: path, directories: Array(names.dropLast()), name: name)
  }

  /// A coordinator for one access; no item of it may leave the folder, which has to be there.
  func coordinator(for presenter: (any FilePresenter)? = nil) async throws -> FileCoordinator {
    // First, so that nobody is told of a file that is missing where the folder is away.
    try await whenPresent {
      try FileCoordinator(
        domain, filePresenter: presenter, folder: path, patience: waiting.patience,
        onWait: waiting.onWait, onLapse: waiting.onLapse)
    }
  }
}

/// How a folder's accesses wait for others, and who hears of it.
package struct AccessWaiting: Sendable {
  let patience: Duration
  let longestForKeeping: Duration
  let onWait: (@Sendable ([CoordinationHolder]) -> Void)?
  let onLapse: (@Sendable (PresenterLapse) -> Void)?

  /// Waits for presenters as coordinators do, unless told otherwise.
  ///
  /// - parameter longestForKeeping: how long edits of a file that is gone wait for their turn, in
  ///   memory, before they are kept without.
  package init(
    patience: Duration = FileCoordinator.defaultPatience,
    longestForKeeping: Duration = .seconds(30),
    onWait: (@Sendable ([CoordinationHolder]) -> Void)? = nil,
    onLapse: (@Sendable (PresenterLapse) -> Void)? = nil
  ) {
    self.patience = patience
    self.longestForKeeping = longestForKeeping
    self.onWait = onWait
    self.onLapse = onLapse
  }
}

/// Where a document is: below which root, in which folders, under which name.
struct DocumentPlace: Hashable, Sendable {
  let root: FilePath
  let directories: [FilePath.Component]
  let name: FilePath.Component

  /// Its names from the root on.
  var relative: [FilePath.Component] { directories + [name] }
  var path: FilePath { root.appending(relative) }
  /// The folder that it is in.
  var directory: FilePath { root.appending(directories) }

  /// Opens the folder that it is in, no link followed.
  func openDirectory() throws(FileError) -> OpenDirectory {
    try OpenDirectory.walk(from: root, directories)
  }

  /// What stands beside it.
  func beside(_ other: FilePath.Component) -> DocumentPlace {
    DocumentPlace(root: root, directories: directories, name: other)
  }

  /// Whether a name is that of no document: a temporary of feedsync's or a syncer's, or what is
  /// never synced.
  static func isHidden(_ name: FilePath.Component) -> Bool {
    let bytes = name.bytes
    if [".syncthing.", "~syncthing~", ".nfs", ".feedsync-"].contains(where: {
      bytes.starts(with: $0.utf8)
    }) {
      return true
    }
    return bytes.indices.contains { bytes[$0...].starts(with: ".nosync".utf8) }
  }
}
