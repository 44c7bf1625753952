import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// What taking over from an older database came to.
  package struct Recovery: Sendable {
    /// The device that goes on, under a new stream.
    package let device: Device
    /// Where the older database is kept; nil if it could not even be found.
    package let kept: FilePath?
    /// How many segments were published out of it that the folder did not have.
    package let published: Int
    /// How many could not be read any more.
    package let unreadable: Int
    /// Why nothing could be read from it, if so.
    package let failure: (any Error)?
  }

  /// Makes a new database from the folder, in the place of one that is damaged or distrusted
  /// (protocol.md 25).
  ///
  /// The old one is put aside, never removed; what it can still give is published, and the new
  /// device writes a new stream.
  ///
  /// - parameters:
  ///   - path: The folder, or nil for that of the default container.
  ///   - fallbackName: What to call the device if the old database does not tell.
  ///   - process: what names this process to others.
  package func rebuild(
    container path: FilePath?, fallbackName: String, process: String
  ) throws -> Recovery {
    let old = Result { try open(container: path) }
    let id = try (try? old.get().record.container) ?? identify(container: path)
    guard let folder = path.map(absolute) ?? (try? old.get().container.root) else {
      // Only the folder says what is to be rebuilt.
      throw DeviceError.noContainerChosen(state: root)
    }
    let container = ContainerFolder(root: folder, files: files)
    let marker = try container.marker()
    guard marker.container == id else {
      throw ContainerError.otherContainer(folder, expected: id, found: marker.container)
    }
    let watch = try WatchLock(state: directory(of: id), files: files, process: process)
    defer { watch.release() }
    let name = (try? old.get().record.name) ?? fallbackName
    // From now on no process writes into it what would be left behind.
    if let database = try? old.get().database {
      _ = try? database.leave(now: ambient.now(), isAbandoning: true)
    }
    let (device, aside) = try exclusively {
      let aside = root.appending("\(id).old-\(ambient.now())")
      try files.rename(directory(of: id), to: aside)
      try makeDirectories(directory(of: id))
      return (try makeNewDevice(of: marker, container: container, name: name), aside)
    }
    return try recover(from: Result { try StoreDatabase(directory: aside) }, kept: aside, device)
  }

  /// Joins the container that stands where another one of this state's was, and publishes there
  /// all that is held of the other, under its own identity (protocol.md 29).
  package func adopt(_ request: Request) throws -> (Initialisation, Recovery) {
    let folder = try files.canonicalPath(of: request.folder)
    let marker = try ContainerFolder(root: folder, files: files).marker()
    let former = try devices(at: folder).filter { $0.record.container != marker.container }
    guard let old = former.first(where: { $0.record.leftAt == nil }) ?? former.first else {
      throw DeviceError.nothingToAdopt(folder)
    }
    let done = try initialise(
      Request(
        folder: request.folder, identifier: request.identifier,
        deviceName: request.deviceName ?? old.record.name, joinsOnly: true))
    let recovery = try recover(
      from: .success(old.database), kept: directory(of: old.record.container), done.device)
    // From now on the folder is that of the new device alone.
    _ = try old.database.leave(now: ambient.now(), isAbandoning: true)
    return (done, recovery)
  }

  private func recover(
    from source: Result<StoreDatabase, any Error>, kept: FilePath, _ device: Device
  ) throws -> Recovery {
    var salvaged = Salvage.Report()
    var failure: (any Error)?
    switch source {
    case .success(let database):
      salvaged = try Salvage(source: database, target: device).publishAll()
    case .failure(let error): failure = error
    }
    return Recovery(
      device: device, kept: kept, published: salvaged.published, unreadable: salvaged.unreadable,
      failure: failure)
  }

  private func makeNewDevice(
    of marker: Marker, container: ContainerFolder, name: String
  ) throws -> Device {
    let directory = directory(of: marker.container)
    let database = try StoreDatabase(
      directory: directory, identity: ambient.identity(of: directory.appending("store.sqlite")))
    let record = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: container.root,
      stream: ambient.identifier(), name: name)
    try database.save(record)
    try files.synchronizeDirectory(directory)
    return Device(
      record: record, database: database, container: container, ambient: ambient, ask: ask)
  }
}
