import FileCoordination
import SharedFolder
import SystemFiles
import SystemPackage

/// Replaces and removes names in a folder that a syncer changes at the same time, uncoordinated, so
/// that nothing is lost that nobody has seen.
///
/// The new file and the old one change places at one moment (`RENAME_EXCHANGE`). Only then the old
/// one is looked at: it is deleted if it is what was expected, else it is put back. So no moment
/// between looking and replacing is left, as there is where one looks first.
struct SafeReplacement {
  let directory: OpenDirectory
  let ambient: DocumentAmbient
  /// Keeps elsewhere what finds no name in the directory.
  let keep: (OpenFile) throws -> Void

  /// How often a file is copied again that somebody writes to meanwhile; then it stays.
  private static let maximumCopies = 10

  /// What was written, and whether its name is surely on the disk.
  struct Outcome {
    let status: FileStatus
    /// The file is there and whole, but might not survive a power loss.
    let notDurable: FileError?

    var stamp: FileStamp { FileStamp(status) }
  }

  /// Gives a file new contents, or makes it.
  ///
  /// - parameters:
  ///   - expected: what it is believed to be; nil: nothing has the name.
  ///   - known: what it is believed to have, where that is known: read where its time says little.
  ///   - access: who may use it; until all is written, only its user may. Nil: as any new file.
  ///   - write: writes the contents.
  /// - throws: ``DocumentFileError/changedMeanwhile(path:)`` if it is something else, and
  ///   `FileError` if this user may not write it: the folder, which is all that replacing it needs,
  ///   would let him.
  func replace(
    _ name: FilePath.Component, expecting expected: FileStamp?, having known: ContentsDigest? = nil,
    access: FileAccess? = nil, modified: Int64? = nil, _ write: (OpenFile) throws -> Void
  ) throws -> Outcome {
    if let expected {
      try refuse(name, unless: expected)
      try ambient.checkWritable(directory, name)
    }
    let temporary = try ambient.temporaryName()
    // Who opens it before its mode is set would read what is written later, too.
    let file = try directory.create(temporary, mode: access == nil ? 0o666 : 0o600)
    let status = try fill(file, named: temporary, access: access, modified: modified, write)
    do {
      try exchange(temporary, name, expecting: expected, known, own: FileStamp(status))
    } catch {
      // If it is not there any more under this name, it must not be looked for under another. Nor
      // by its number alone: nobody has it open, so that may be another file's by now.
      if stamp(of: temporary) == FileStamp(status) { try? directory.remove(temporary) }
      throw error
    }
    do {
      try directory.synchronize()
      return Outcome(status: status, notDurable: nil)
    } catch {
      return Outcome(status: status, notDurable: error)
    }
  }

  /// Writes the new file, and closes it; removes it where that fails.
  ///
  /// - returns: what it is then, and will be when it has its name.
  private func fill(
    _ file: OpenFile, named temporary: FilePath.Component, access: FileAccess?, modified: Int64?,
    _ write: (OpenFile) throws -> Void
  ) throws -> FileStatus {
    let own = try? file.status()
    do {
      try write(file)
      try ambient.onStep(.written)
      if let access { file.allow(access) }
      if let modified { try? file.setModified(modified) }
      try file.synchronize()
      try ambient.onStep(.synchronized)
      // What a file system writes only at the end, and cannot write, it says here. Some rename
      // nothing that is open (smbnetfs), and some set the time when it is closed (SMB).
      try file.close()
      try ambient.onStep(.closed)
      return try directory.status(of: temporary)
    } catch {
      if let own, let found = try? directory.status(of: temporary), found.isSameFile(as: own) {
        try? directory.remove(temporary)
      }
      throw error
    }
  }

  private func exchange(
    _ temporary: FilePath.Component, _ name: FilePath.Component, expecting expected: FileStamp?,
    _ known: ContentsDigest?, own: FileStamp
  ) throws {
    let changed = changed(name)
    guard let expected else {
      do {
        return try directory.renameExclusively(temporary, to: name)
      } catch {
        guard error.errno == .fileExists else { throw error }
        throw changed
      }
    }
    do {
      guard try directory.exchange(temporary, name) else {
        // FUSE and others: looking first is all that is left.
        guard isStill(name, expected, known) else { throw changed }
        return try directory.rename(temporary, to: name)
      }
    } catch let error as FileError {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      throw changed
    }
    try ambient.onStep(.exchanged)
    guard isStill(temporary, expected, known) else {
      try putBack(temporary, name, own: own)
      throw changed
    }
    removeReplaced(temporary)
  }

  /// Removes what had the name before, and was what was expected.
  ///
  /// Where that fails it stands there under a name that syncers ignore. It is no failure of the
  /// save: the new contents have the name. Nor are they to be written again for it, as where they
  /// may not survive a power loss: each attempt might leave one more.
  private func removeReplaced(_ temporary: FilePath.Component) {
    do {
      try ambient.onStep(.replaced)
      try directory.remove(temporary)
    } catch {}
  }

  /// Undoes an exchange that brought out something else than expected.
  private func putBack(
    _ temporary: FilePath.Component, _ name: FilePath.Component, own: FileStamp
  ) throws {
    do {
      _ = try directory.exchange(temporary, name)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      // What was written has been removed again, so there is nothing to change places with.
      return try putBack(temporary, name)
    }
    guard stamp(of: temporary) != own else { return }
    // Somebody has written the name between the two exchanges: that is the newest, and now under
    // the temporary name.
    try makeVersion(temporary, of: name)
  }

  /// Gives what nobody has seen its name back, or that of a version if something has it by now.
  private func putBack(_ temporary: FilePath.Component, _ name: FilePath.Component) throws {
    do {
      try directory.renameExclusively(temporary, to: name)
    } catch {
      guard error.errno == .fileExists else { throw error }
      try makeVersion(temporary, of: name)
    }
  }

  /// Makes a version of what has a temporary name, under which nobody would find it.
  private func makeVersion(_ temporary: FilePath.Component, of name: FilePath.Component) throws {
    for moment in ambient.moments() {
      guard let copy = ConflictCopy.name(of: name, moment, savedBy: ambient.machine) else { break }
      do {
        return try directory.renameExclusively(temporary, to: copy)
      } catch {
        // There was another one within this second.
        guard error.errno == .fileExists else { break }
      }
    }
    // The name leaves no room for a mark, here or on this file system, or all copies' names are
    // taken, or nothing can be renamed.
    let file = try directory.open(temporary)
    for _ in 0..<Self.maximumCopies {
      let before = FileStamp(try file.status())
      try keep(file)
      try ambient.onStep(.kept)
      // What was written into it while it was copied would be missing in the copy.
      if FileStamp(try file.status()) == before { return try directory.remove(temporary) }
    }
  }

  /// Removes a name if what has it is what was expected.
  ///
  /// It is renamed first, then looked at, so that nothing else is removed in its place. What this
  /// user may not write stays.
  func remove(_ name: FilePath.Component, expecting expected: FileStamp) throws {
    try refuse(name, unless: expected)
    try ambient.checkWritable(directory, name)
    let (temporary, changed) = (try ambient.temporaryName(), changed(name))
    do {
      // Nothing has that name. Where the file system has no call that replaces nothing, a link is
      // made first, and then whatever has the old name by now is removed.
      try directory.rename(name, to: temporary)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      throw changed
    }
    try ambient.onStep(.setAside)
    guard stamp(of: temporary) == expected else {
      try putBack(temporary, name)
      throw changed
    }
    try directory.remove(temporary)
    try directory.synchronize()
  }

  /// Lets what is known to be something else keep its name all the time: a power loss before it has
  /// that back would leave it under the temporary one.
  private func refuse(_ name: FilePath.Component, unless expected: FileStamp) throws {
    guard let found = stamp(of: name), found != expected else { return }
    throw changed(name)
  }

  private func changed(_ name: FilePath.Component) -> DocumentFileError {
    .changedMeanwhile(path: directory.path.appending(name).string)
  }

  /// Whether a name has what was expected; what cannot be read now is not known to be that.
  private func isStill(
    _ name: FilePath.Component, _ expected: FileStamp, _ known: ContentsDigest?
  ) -> Bool {
    guard stamp(of: name) == expected else { return false }
    guard expected.isCoarse, let known else { return true }
    guard let file = try? directory.open(name) else { return false }
    return (try? ContentsDigest(of: file)) == known
  }

  private func stamp(of name: FilePath.Component) -> FileStamp? {
    (try? directory.status(of: name)).map { FileStamp($0) }
  }
}

extension OpenFile {
  /// Copies all of another file into this one.
  func write(contentsOf source: OpenFile) throws {
    try source.forEachPiece { (piece) throws(FileError) in try write(piece) }
  }
}
