import FileCoordination
import SharedFolder
import SystemFiles
import SystemPackage

extension DocumentFolder {
  /// Adds a version, as a conflict copy that the syncer brings to all machines.
  ///
  /// A copy of a document whose own name is that of a conflict copy is a version of the first file,
  /// as all of them are. Where the folder does not take it, since the document's name leaves no
  /// room for a mark, the disk is full or the like, it is kept on this machine alone.
  ///
  /// - throws: ``DocumentFileError/noSuchVersion(path:version:)`` where it is kept, and cannot be
  ///   listed; ``DocumentFileError/notADocument(path:)`` for the folder itself and what is a
  ///   syncer's, `CoordinationError.leavesFolder` for what is outside of it.
  @discardableResult
  public func addConflict(_ contents: [UInt8], of file: FilePath) async throws -> FileVersion {
    guard let added = try await setAside(contents, of: file, by: nil) else {
      throw DocumentFileError.noSuchVersion(path: file.string, version: "new")
    }
    return added
  }

  /// Adds a version.
  ///
  /// - returns: it; nil if it is kept on this machine, and cannot be listed.
  func setAside(
    _ contents: [UInt8], of file: FilePath, by presenter: (any FilePresenter)?
  ) async throws -> FileVersion? {
    // Nobody needs to save for that: a version becomes one whatever the file is. And two that have
    // edits, whose file a syncer has replaced, would have each other save while each waits.
    try await change(file, .plain, by: presenter) { place, directory in
      for moment in ambient.moments() {
        guard let name = ConflictCopy.name(of: place.name, moment, savedBy: ambient.machine) else {
          break
        }
        do {
          if let added = try add(contents, named: name, of: place, in: directory) { return added }
          // There was another one within this second.
        } catch is FileError {
          // A file system may have shorter names, or be full; what is nowhere else is to be safe
          // before anything is tried again.
          break
        }
      }
      let id = try keep(contents, of: place)
      // It is there, whatever hinders looking: who thinks that it is not makes another.
      return (try? keptVersions(of: place))?.first { $0.persistentIdentifier == id }
    }
  }

  /// Keeps contents on this machine whose document is gone, or is no file any more.
  ///
  /// - returns: The version's identifier.
  func keep(
    _ contents: [UInt8], of path: FilePath, by presenter: any FilePresenter
  ) async throws -> String {
    // Not by what is on the way to it now, which may be a link that leads elsewhere.
    let place = try place(canonical: path)
    if let coordinator = try? await coordinator(for: presenter) {
      do {
        // Others that have it open are not to save: their file is gone as well, and two that have
        // edits would have each other fail.
        return try await coordinator.coordinate(
          [.writing(path)], timeout: waiting.longestForKeeping
        ) { _ in try keep(contents, of: place) }
      } catch CoordinationError.cancelled(let path) {
        throw CoordinationError.cancelled(path: path)
      } catch {
        // What hindered the keeping itself is told by the next attempt.
      }
    }
    // There is no turn to be had, as where the folder is away, a link leads out of it, something
    // that is no folder stands on the way, or whoever has the turn does not end. The contents are
    // nowhere else.
    return try await onQueue { try keep(contents, of: place) }
  }

  /// Writes a conflict copy; nil if something has that name.
  private func add(
    _ contents: [UInt8], named name: FilePath.Component, of place: DocumentPlace,
    in directory: OpenDirectory
  ) throws -> FileVersion? {
    // Only so that not all is written in vain: the name is taken by what never replaces.
    guard (try? directory.status(of: name)) == nil else { return nil }
    let outcome: SafeReplacement.Outcome
    do {
      outcome = try replacement(of: name, at: place, in: directory).replace(
        name, expecting: nil, access: directory.access(to: place.name).writableByUser
      ) { try $0.write(contents[...]) }
    } catch DocumentFileError.changedMeanwhile {
      return nil
    }
    // It is written. Nothing from here on may fail, or whoever has these contents tries again, and
    // floods the folder with them; nor is it looked for, since a syncer may have moved it already.
    if outcome.notDurable != nil {
      // It may not survive a power loss, and whoever has these contents gives them up for it.
      _ = try? keep(contents, of: place)
    }
    let copy = ConflictCopy(name)
    let added = version(
      of: place.beside(copy?.document ?? place.name), name.string, .conflict,
      place.beside(name).path, outcome.status, copy: copy)
    try? domain.report(.gained, version: name.string, at: added.file)
    return added
  }
}
