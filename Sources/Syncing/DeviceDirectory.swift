import CanonicalJSON
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// Why no device can be opened.
package enum DeviceError: Error, Equatable, Sendable {
  /// No container was ever initialised in this state, nor is one named.
  case noContainerChosen(state: FilePath)
  /// The folder is a container, but this state has no device in it.
  case notInitialised(FilePath, state: FilePath)
  /// `--join` was asked for, and there is nothing to join.
  case nothingToJoin(FilePath)
}

/// The local state: `<state>/<container-id>/store.sqlite`, and which container is the default.
///
///     let directory = DeviceDirectory(root: "/home/ann/.local/share/feedsync", …)
///     let device = try directory.open(container: nil)
package struct DeviceDirectory: Sendable {
  package let root: FilePath
  package let files: any FileSystem
  package let ambient: Ambient

  package init(root: FilePath, files: any FileSystem, ambient: Ambient) {
    self.root = root
    self.files = files
    self.ambient = ambient
  }

  package func directory(of container: ContainerID) -> FilePath {
    root.appending(container.description)
  }

  private var defaultFile: FilePath { root.appending("default.json") }
  private static let maximumDefaultBytes = 64 << 10
  private static let ownerOnly: UInt32 = 0o700
}

// MARK: - Opening

extension DeviceDirectory {
  /// Opens the device of the container at `path`, or of the one last initialised.
  ///
  /// The folder need not be there: what works locally still does (contract.md, "Exit codes").
  package func open(container path: FilePath?) throws -> Device {
    guard let path else {
      guard let id = try readDefault() else {
        throw DeviceError.noContainerChosen(state: root)
      }
      return try open(id, at: nil)
    }
    let container = UbiquityContainer(root: absolute(path), files: files)
    do {
      return try open(try container.marker().container, at: container.root)
    } catch let error as ContainerError {
      // Away for now: whose container was there is known from the state.
      guard let known = try device(at: container.root) else { throw error }
      return known
    } catch let error as DeviceError {
      // Another container stands where this state knows one.
      guard let known = try device(at: container.root) else { throw error }
      return known
    }
  }

  func open(_ id: ContainerID, at path: FilePath?) throws -> Device {
    let directory = directory(of: id)
    let database = directory.appending("store.sqlite")
    guard (try? files.status(of: database)) != nil else {
      throw DeviceError.notInitialised(path ?? root, state: root)
    }
    let store = try StoreDatabase(directory: directory)
    guard let record = try store.device() else {
      throw DeviceError.notInitialised(path ?? root, state: root)
    }
    return Device(
      record: record, database: store,
      container: UbiquityContainer(root: path ?? record.path, files: files), ambient: ambient)
  }

  /// The device whose container was last seen at `path`.
  ///
  /// - throws: what kept a device from being opened, if no other is the one: it might be.
  func device(at path: FilePath) throws -> Device? {
    var failure: (any Error)?
    for id in try containerIDs() {
      do {
        let device = try open(id, at: nil)
        if device.record.path == path { return device }
      } catch DeviceError.notInitialised {
        continue
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return nil
  }

  /// The containers that have a directory here.
  func containerIDs() throws -> [ContainerID] {
    do {
      return try files.list(root).compactMap { ContainerID($0.name.string) }.sorted()
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
  }

  func readDefault() throws -> ContainerID? {
    do {
      let bytes = try files.contents(of: defaultFile, limit: Self.maximumDefaultBytes).bytes
      guard case .object(let object) = try? JSON(parsing: bytes),
        case .string(let id) = object["container"]
      else { return nil }
      return ContainerID(id.description)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  /// The path without links; of one that is away for now, as much as is there is resolved.
  func absolute(_ path: FilePath) -> FilePath {
    if let found = try? files.canonicalPath(of: path) { return found }
    let plain = path.lexicallyNormalized()
    guard let name = plain.lastComponent, plain.parent != plain else { return plain }
    return absolute(plain.parent).appending(name)
  }
}

// MARK: - Initialising

extension DeviceDirectory {
  /// What `init` is asked for.
  package struct Request: Sendable {
    package let folder: FilePath
    package let identifier: String?
    package let deviceName: String
    /// Never make a container, only join one.
    package let joinsOnly: Bool

    package init(folder: FilePath, identifier: String?, deviceName: String, joinsOnly: Bool) {
      self.folder = folder
      self.identifier = identifier
      self.deviceName = deviceName
      self.joinsOnly = joinsOnly
    }
  }

  /// What `init` did.
  package struct Initialisation: Sendable {
    package let device: Device
    package let marker: Marker
    /// Whether the container was made, not joined.
    package let isCreated: Bool
    /// The syncer's ignore file, if it was written.
    package let ignoreFile: FilePath?
  }

  /// Makes the folder a container, or joins the one that is there, as a device of its own.
  ///
  /// Done again, it joins as the same device, and takes over a new path.
  package func initialise(_ request: Request) throws -> Initialisation {
    let folder: FilePath
    do {
      folder = try files.canonicalPath(of: request.folder)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      throw ContainerError.folderMissing(request.folder)
    }
    let container = UbiquityContainer(root: folder, files: files)
    try refuseNesting(of: folder)
    let (marker, isCreated) = try marker(of: container, request: request)
    if let wanted = request.identifier, wanted != marker.identifier {
      throw ContainerError.otherIdentifier(
        container.markerFile, expected: wanted, found: marker.identifier)
    }
    let device = try makeDevice(of: marker, container: container, name: request.deviceName)
    try writeDefault(marker.container)
    let ignoreFile = try SyncerIgnoreFile(container: container).write(
      temporaryName: ambient.temporaryName)
    return Initialisation(
      device: device, marker: marker, isCreated: isCreated, ignoreFile: ignoreFile)
  }

  private func marker(
    of container: UbiquityContainer, request: Request
  ) throws -> (Marker, isCreated: Bool) {
    do {
      let marker = try container.marker()
      // Who made it may have died before its name was on disk.
      try files.synchronizeDirectory(container.root)
      return (marker, false)
    } catch ContainerError.markerMissing {
      // Absence means nothing: a known container whose marker is away is not made anew.
      guard try device(at: container.root) == nil else {
        throw ContainerError.markerMissing(container.root)
      }
      guard !request.joinsOnly else { throw DeviceError.nothingToJoin(container.root) }
    }
    let name = container.root.lastComponent?.string ?? "feedsync"
    let wanted = Marker(
      container: ambient.identifier(), identifier: request.identifier ?? name)
    let found = try container.create(wanted, temporaryName: ambient.temporaryName())
    return (found, found == wanted)
  }

  private func makeDevice(
    of marker: Marker, container: UbiquityContainer, name: String
  ) throws -> Device {
    let directory = directory(of: marker.container)
    try makeDirectories(directory)
    let database = try StoreDatabase(directory: directory)
    let known = try database.device()
    let record = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: container.root,
      stream: known?.stream ?? ambient.identifier(), name: name)
    try database.save(record)
    try files.synchronizeDirectory(directory)
    return Device(
      record: record, database: database, container: container, ambient: ambient)
  }

  /// Makes a directory of the state and those above it, for the owner alone, durably.
  private func makeDirectories(_ directory: FilePath) throws(FileError) {
    try makeMissing(directory)
    // Also where they are there already: who made them may have died before they were on disk.
    let owner = try files.status(of: directory).owner
    var path = directory
    while path.parent != path, path.parent != "." {
      guard try files.status(of: path.parent).owner == owner else { return }
      path = path.parent
      try files.synchronizeDirectory(path)
    }
  }

  private func makeMissing(_ directory: FilePath) throws(FileError) {
    if (try? files.status(of: directory)) != nil { return }
    if directory.parent != directory, directory.parent != "." {
      try makeMissing(directory.parent)
    }
    do {
      try files.makeDirectory(directory, mode: Self.ownerOnly)
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
    try files.synchronizeDirectory(directory.parent)
  }

  /// SQLite must never lie in a synced folder (lessons.md 24).
  private func refuseNesting(of folder: FilePath) throws(ContainerError) {
    var existing = root
    while (try? files.status(of: existing)) == nil, existing.parent != existing {
      existing = existing.parent
    }
    let state = (try? files.canonicalPath(of: existing)) ?? existing
    guard !state.starts(with: folder), !(existing == root && folder.starts(with: state)) else {
      throw .stateInside(folder, state: root)
    }
  }

  func writeDefault(_ container: ContainerID) throws {
    let object: JSONObject = ["container": .string(ByteString(container.description))]
    let staged = root.appending(ambient.temporaryName())
    try files.publish(
      JSON.object(object).canonicalBytes() + [UInt8(ascii: "\n")], at: staged,
      temporaryName: ambient.temporaryName(), mode: 0o600)
    try files.rename(staged, to: defaultFile)
    try files.synchronizeDirectory(root)
  }
}
