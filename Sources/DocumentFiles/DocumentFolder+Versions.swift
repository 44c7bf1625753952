import FileCoordination
import Foundation
import SharedFolder
import SystemFiles
import SystemPackage

extension DocumentFolder {
  /// What a document is now; nil if there is no such file.
  ///
  /// - throws: ``DocumentFileError/notADocument(path:)`` for the folder itself and what is a
  ///   syncer's, `CoordinationError.leavesFolder` for what is outside of it.
  public func currentVersion(of file: FilePath) throws -> FileVersion? {
    let place = try place(of: file)
    return try DocumentFileError.wrapping { try currentVersion(at: place) }
  }

  /// All versions but the current one: those of conflicts, the earliest first, then those that are
  /// kept on this machine, the same.
  ///
  /// - returns: nil if there is no such file, and no version of it: a document that was deleted on
  ///   one machine and edited on another may be there by its versions alone.
  /// - throws: ``DocumentFileError/notADocument(path:)`` for the folder itself and what is a
  ///   syncer's, `CoordinationError.leavesFolder` for what is outside of it.
  public func otherVersions(of file: FilePath) throws -> [FileVersion]? {
    let place = try place(of: file)
    return try DocumentFileError.wrapping {
      let others = try conflictVersions(of: place) + keptVersions(of: place)
      guard try !others.isEmpty || currentVersion(at: place) != nil else { return nil }
      return others
    }
  }

  /// The versions of conflicts that have not been settled, the earliest first.
  ///
  /// - returns: nil if there is no such file, and no version of it.
  public func unresolvedConflictVersions(of file: FilePath) throws -> [FileVersion]? {
    try otherVersions(of: file)?.filter { !$0.isResolved }
  }

  /// The bytes of a version, which are only read.
  ///
  /// - parameter limit: How many there may be at most.
  /// - throws: ``DocumentFileError/noSuchVersion(path:version:)`` if it is gone.
  public func contents(of version: FileVersion, limit: Int = 256 << 20) throws -> [UInt8] {
    try DocumentFileError.wrapping(limit: limit) {
      let file = try open(version)
      guard try file.status().size <= limit else {
        throw DocumentFileError.tooLarge(path: version.path.string, limit: limit)
      }
      return try file.contents(limit: limit)
    }
  }

  // MARK: Listing

  func currentVersion(at place: DocumentPlace) throws -> FileVersion? {
    let status: FileStatus
    do {
      status = try place.openDirectory().status(of: place.name)
    } catch {
      guard error.isOfMissingFile else { throw error }
      return nil
    }
    guard status.kind == .regular else { throw FileError.notAFile(place.path, found: status.kind) }
    return version(
      of: place, FileVersion.currentIdentifier, .current, place.path, status, copy: nil)
  }

  /// - throws: also where one of them cannot be looked at: what is settled is all that there is.
  func conflictVersions(of place: DocumentPlace) throws -> [FileVersion] {
    let found = try conflictCopies(of: place).map { found in
      let (name, copy) = (found.name, found.copy)
      let version = version(
        of: place, name.string, .conflict, place.beside(name).path, try found.status.get(),
        copy: copy)
      return (version, copy.moment)
    }
    return found.sorted { one, other in
      one.1 == other.1
        ? one.0.persistentIdentifier < other.0.persistentIdentifier : one.1 < other.1
    }.map(\.0)
  }

  /// Whether there are versions of conflicts; one that cannot be looked at is one, too.
  func hasConflicts(_ place: DocumentPlace) throws -> Bool {
    try !conflictCopies(of: place).isEmpty
  }

  private typealias FoundCopy = (
    name: FilePath.Component, copy: ConflictCopy, status: Result<FileStatus, FileError>
  )

  private func conflictCopies(of place: DocumentPlace) throws -> [FoundCopy] {
    let directory: OpenDirectory
    do {
      directory = try place.openDirectory()
    } catch {
      guard error.isOfMissingFile else { throw error }
      return []
    }
    var found: [FoundCopy] = []
    for entry in try directory.list() where entry.name != place.name {
      guard let copy = ConflictCopy(entry.name), copy.document == place.name else { continue }
      do throws(FileError) {
        // One that has just gone is no version; a link or a FIFO never is.
        guard let status = try ambient.status(directory, entry.name), status.kind == .regular
        else { continue }
        found.append((entry.name, copy, .success(status)))
      } catch {
        found.append((entry.name, copy, .failure(error)))
      }
    }
    return found
  }

  func keptVersions(of place: DocumentPlace) throws -> [FileVersion] {
    try kept.list(place.relative).map { entry in
      version(
        of: place, entry.id.string, .kept, entry.path, entry.status,
        copy: ConflictCopy(entry.name))
    }
  }

  func version(
    of place: DocumentPlace, _ id: String, _ origin: FileVersion.Origin, _ path: FilePath,
    _ status: FileStatus, copy: ConflictCopy?
  ) -> FileVersion {
    FileVersion(
      file: place.path, persistentIdentifier: id, origin: origin, path: path,
      modificationDate: Date(timeIntervalSince1970: Double(status.modified) / 1e9),
      size: status.size, localizedNameOfSavingComputer: copy?.savedBy,
      isConflict: origin != .current && copy != nil, stamp: FileStamp(status))
  }

  // MARK: Opening

  /// Opens a version's contents, no link followed.
  func open(_ version: FileVersion) throws -> OpenFile {
    let gone = DocumentFileError.noSuchVersion(
      path: version.file.string, version: version.persistentIdentifier)
    let place = try place(canonical: version.file)
    guard let name = version.path.lastComponent else { throw gone }
    do {
      guard version.origin == .kept else { return try place.openDirectory().open(name) }
      guard let id = FilePath.Component(version.persistentIdentifier), KeptVersions.isID(id),
        let directory = try kept.open(place.relative + [id])
      else { throw gone }
      return try directory.open(name)
    } catch let error as FileError {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      throw gone
    }
  }
}
