import FileCoordination
import SystemFiles
import SystemPackage

extension DocumentFolder {
  /// Whether a folder is what it was when it was opened.
  enum Presence {
    case there
    /// It may come back: nothing that is missing in it is deleted.
    case away(DocumentFileError)
    /// Another one has taken its place; what stands there is none of this one's.
    case replaced(any Error)
  }

  /// Finds out whether the folder is there now.
  func presence() -> Presence {
    do {
      guard let reason = try absence() else { return .there }
      return .away(.folderAway(path: path.string, reason: reason))
    } catch {
      return .replaced(error)
    }
  }

  /// Throws why nothing may be read or written in the folder now.
  func requirePresence() throws {
    switch presence() {
    case .there: return
    case .away(let error): throw error
    case .replaced(let error): throw error
    }
  }

  /// Runs what looks at the folder once that has been found to be there, and on a thread that may
  /// wait: a file system whose server is gone lets nobody go who asks it anything.
  func whenPresent<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await onQueue {
      try requirePresence()
      return try body()
    }
  }

  /// Opens the directory that a document is in, for writing there.
  ///
  /// What is written goes by what is opened here, whatever is mounted later; so that is what has to
  /// be the right folder's.
  func openDirectory(of place: DocumentPlace) throws -> OpenDirectory {
    let directory = Result { try place.openDirectory() }
    try requirePresence()
    return try directory.get()
  }

  /// The same; folders that are missing on the way are made, as where a document is brought back
  /// that went with its folder.
  func makeDirectory(of place: DocumentPlace) throws -> OpenDirectory {
    do {
      return try openDirectory(of: place)
    } catch let error as FileError {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
    let root = try OpenDirectory(place.root)
    // What is made is made in what is opened here, whatever is mounted later.
    try requirePresence()
    return try root.make(place.directories, mode: 0o777)
  }

  /// What a document that was opened is now.
  func find(_ path: FilePath, isPlanned: Bool) throws -> DocumentMachine.Input {
    switch presence() {
    case .there: break
    case .away: return .away(isPlanned: isPlanned)
    case .replaced: return .unreadable
    }
    let place: DocumentPlace
    do {
      place = try self.place(of: path)
    } catch let error where error.isOfPlaceOutside {
      // It was moved out, or a link on the way leads out.
      return .unreadable
    }
    // In this order, so that no copy that comes with a new file is missed.
    if let stamp = try currentVersion(at: place)?.stamp {
      return .looked(stamp, hasConflicts: try hasConflicts(place))
    }
    // Asked again: it may have gone between the asking and the looking.
    guard case .there = presence() else { return .away(isPlanned: isPlanned) }
    return .missing(at: ambient.uptime(), isPlanned: isPlanned)
  }
}

extension Error {
  /// Whether a path is that of no document of the folder.
  fileprivate var isOfPlaceOutside: Bool {
    switch self as any Error {
    case CoordinationError.leavesFolder, DocumentFileError.notADocument: true
    default: false
    }
  }
}

extension FileError {
  /// Whether there is no such file: nothing has its name, or something that is no folder stands on
  /// the way to it.
  var isOfMissingFile: Bool { errno == .noSuchFileOrDirectory || errno == .notDirectory }
}
