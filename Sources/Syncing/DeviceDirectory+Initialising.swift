import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// What `init` is asked for.
  package struct Request: Sendable {
    package let folder: FilePath
    package let identifier: String?
    /// What to call the device; nil to keep its name.
    package let deviceName: String?
    /// What to call a device that is new, if nothing is said: the host's name.
    package let fallbackName: String
    /// Never make a container, only join one.
    package let joinsOnly: Bool

    package init(
      folder: FilePath, identifier: String?, deviceName: String?, fallbackName: String = "device",
      joinsOnly: Bool
    ) {
      self.folder = folder
      self.identifier = identifier
      self.deviceName = deviceName
      self.fallbackName = fallbackName
      self.joinsOnly = joinsOnly
    }
  }

  /// What `init` did.
  package struct Initialisation: Sendable {
    package let device: Device
    package let marker: Marker
    /// Whether the container was made, not joined.
    package let isCreated: Bool
    /// Whether the container's marker was missing, and was put back.
    package fileprivate(set) var isMarkerRestored = false
    /// The syncer's ignore file, if it was written.
    package fileprivate(set) var ignoreFile: FilePath?
    /// Why the syncer's ignore file could not be looked at or written, if so.
    package fileprivate(set) var ignoreFailure: FileError?
    /// Where the folder was before, if it was known and is another now.
    package let movedFrom: FilePath?
    /// What of this device's own transactions the folder at its new place does not hold.
    package let missing: [ClosedRange<UInt64>]
    /// What older databases gave, whose place this device has taken.
    package fileprivate(set) var salvaged: [Salvaged] = []
    /// What was imported of the folder then; nil where nothing was taken over.
    package fileprivate(set) var imported: ImportReport?
    /// What kept them from giving all, if so; the next `init` goes on with it.
    package fileprivate(set) var salvageFailure: (any Error)?
  }

  /// Makes the folder a container, or joins the one that is there, as a device of its own.
  ///
  /// Done again, it joins as the same device, and takes over a new path. Where another container
  /// has come in the place of a device's, it joins that only where joining was asked for: what the
  /// device has would go out of sight (protocol.md 29).
  package func initialise(_ request: Request) throws -> Initialisation {
    try requireLocalState()
    if case .silent(let resolved) = ask(request.folder) {
      throw ContainerError.unreachable(resolved, .timedOut)
    }
    let folder = try canonicalFolder(of: request)
    let container = ContainerFolder(root: folder, files: files)
    try refuseNesting(of: folder)
    let (marker, origin) = try marker(of: container, request: request)
    if origin == .present, !request.joinsOnly { try refuseReplacing(by: marker, at: folder) }
    try requireIdentifier(of: marker, in: container, request)
    try files.makeOwnDirectories(directory(of: marker.container))
    // Twice, before and after the path changes: until then a process may publish into the old
    // folder, and should this one die in between, next to nothing is missing.
    var read: Set<FilePath> = []
    if let known = try knownDevice(of: marker.container, at: container.root) {
      _ = try OwnSegments(of: known).bringOver(from: known.record.path, &read)
    }
    let (device, former, older, isShown) = try exclusively {
      try removeLeftovers()
      let made = try makeDevice(of: marker, container: container, request: request)
      // Before anybody can see the device without it.
      let older = Result { try handOver(to: made.0) }
      let isShown = rebuildProgress(in: directory(of: marker.container)) != .made
      if isShown { try writeDefault(marker.container) }
      return (made.0, made.former, older, isShown)
    }
    let missing = try former.map { try OwnSegments(of: device).bringOver(from: $0, &read) } ?? []
    var done = Initialisation(
      device: device, marker: marker, isCreated: origin == .created, movedFrom: former,
      missing: missing)
    done.isMarkerRestored = origin == .restored
    do {
      (done.salvaged, done.imported) = try publish(older.get(), into: device)
    } catch {
      // The device is there, and reads and writes; a folder that is full is mended some day.
      guard isShown else { throw error }
      done.salvageFailure = error
    }
    do {
      done.ignoreFile = try SyncerIgnoreFile(container: container).write(
        temporaryName: ambient.temporaryName)
    } catch let error as FileError {
      // A full or failing disk is mended some day, and nobody would call `init` again. What cannot
      // even be opened is another matter: smbnetfs answers so for a hidden name.
      let isFailing = error.errno == .ioError && error.operation != .open
      let isFull = error.errno == .noSpace || error.errno == .diskQuotaExceeded
      guard !isFailing, !isFull else { throw error }
      // The folder may be another's to write: one can read along all the same.
      done.ignoreFailure = error
    }
    return done
  }

  /// - throws: ``ContainerError/folderMissing(_:)`` where there is none,
  ///   ``ContainerError/noFolder(_:)`` where there is something else.
  func canonicalFolder(of request: Request) throws -> FilePath {
    do {
      let path = try files.canonicalPath(of: request.folder)
      // What cannot be looked at, as a mount whose program has died, is told by what comes next.
      if let status = try? files.status(of: path), status.kind != .directory {
        throw ContainerError.noFolder(path)
      }
      return path
    } catch let error as FileError {
      guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else {
        throw error
      }
      throw ContainerError.folderMissing(request.folder)
    }
  }

  /// - throws: ``ContainerError/otherIdentifier(_:expected:found:)`` where another was asked for.
  func requireIdentifier(
    of marker: Marker, in container: ContainerFolder, _ request: Request
  ) throws(ContainerError) {
    guard let wanted = request.identifier, wanted != marker.identifier else { return }
    throw .otherIdentifier(container.markerFile, expected: wanted, found: marker.identifier)
  }

  /// The device of a container that was elsewhere until now, as one that works at `path`.
  private func knownDevice(of id: ContainerID, at path: FilePath) throws -> Device? {
    do {
      let device = try open(id, at: path)
      return device.record.path == path ? nil : device
    } catch DeviceError.notInitialised {
      return nil
    }
  }

  /// - returns: the device, and where its folder was before, if that was elsewhere.
  private func makeDevice(
    of marker: Marker, container: ContainerFolder, request: Request
  ) throws -> (Device, former: FilePath?) {
    let directory = directory(of: marker.container)
    // Once more, under the lock: `leave` may have removed it.
    try files.makeOwnDirectories(directory)
    let database = try store(in: directory)
    let known = try database.device()
    if known != nil {
      // Whatever its place was to be taken by: it is in use again from the next step on.
      try forgetSalvage(of: directory)
      try database.rejoin(at: container.root)
      if let name = request.deviceName {
        _ = try database.renameDevice(to: name, now: ambient.time, nonce: ambient.random())
      }
    } else {
      if try olderDatabases(of: marker.container).contains(where: { !$0.isSalvaged }) {
        try noteRebuilding(directory)
      }
      try database.save(
        DeviceRecord(
          container: marker.container, marker: marker.bytes, path: container.root,
          stream: ambient.identifier(), name: request.deviceName ?? request.fallbackName))
    }
    try files.synchronizeDirectory(directory)
    guard let record = try database.device() else { throw StorageError.noDevice }
    let device = Device(
      record: record, database: database, container: container, ambient: ambient, ask: ask)
    return (device, known.flatMap { $0.path == container.root ? nil : $0.path })
  }

  /// SQLite must never lie in a synced folder (lessons.md 24).
  func refuseNesting(of folder: FilePath) throws(ContainerError) {
    var existing = root
    while (try? files.status(of: existing)) == nil, existing.parent != existing {
      existing = existing.parent
    }
    let state = (try? files.canonicalPath(of: existing)) ?? existing
    guard !state.starts(with: folder), !(existing == root && folder.starts(with: state)) else {
      throw .stateInside(folder, state: root)
    }
  }
}
