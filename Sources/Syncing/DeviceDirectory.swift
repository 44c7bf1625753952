import CanonicalJSON
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// The local state: `<state>/<container-id>/store.sqlite`, and which container is the default.
///
///     let directory = DeviceDirectory(root: "/home/ann/.local/share/feedsync", …)
///     let device = try directory.open(container: nil)
package struct DeviceDirectory: Sendable {
  package let root: FilePath
  /// Whether somebody has said where the state is: it is known then that it is to be there.
  private let isRootNamed: Bool
  package let files: any FileSystem
  package let ambient: Ambient
  /// Asks whether the file system of a folder answers, before anything is done in it.
  let ask: @Sendable (_ folder: FilePath) -> FolderAnswer
  /// Opens the database in a directory, creating it if it is not there.
  private let openStore: StoreOpening

  package typealias StoreOpening =
    @Sendable (
      _ directory: FilePath, _ identity: DeviceIdentity, _ use: StoreDatabase.Use
    ) throws -> StoreDatabase

  /// - parameters:
  ///   - isRootNamed: whether the root was named, by an option or a variable, and not chosen since
  ///     nobody said anything.
  ///   - openStore: opens or creates the database in a directory; for tests that kill.
  ///   - ask: see ``FolderProbe``; left out, every folder is taken to answer.
  package init(
    root: FilePath, isRootNamed: Bool = false, files: any FileSystem, ambient: Ambient,
    openStore: @escaping StoreOpening = {
      try StoreDatabase(directory: $0, identity: $1, for: $2)
    },
    ask: @escaping @Sendable (_ folder: FilePath) -> FolderAnswer = { _ in .answers }
  ) {
    self.root = root
    self.isRootNamed = isRootNamed
    self.files = files
    self.ambient = ambient
    self.openStore = openStore
    self.ask = ask
  }

  package func directory(of container: ContainerID) -> FilePath {
    root.appending(container.description)
  }

  /// Opens the database in a directory of the state, creating it if it is not there.
  func store(
    in directory: FilePath, for use: StoreDatabase.Use = .device
  ) throws -> StoreDatabase {
    try openStore(directory, ambient.identity(of: directory.appending("store.sqlite")), use)
  }
}

extension DeviceDirectory {
  /// Opens the device of the container at `path`, or of the one last initialised.
  ///
  /// The folder need not be there: what works locally still does (contract.md, "Exit codes"). A
  /// folder that was moved is known by its marker, wherever it is now.
  ///
  /// - parameter evenIfLeft: whether it may be one that has left.
  package func open(container path: FilePath?, evenIfLeft: Bool = false) throws -> Device {
    try requireLocalState()
    do {
      return try find(container: path, evenIfLeft: evenIfLeft)
    } catch DeviceError.notInitialised where isRootNamed && isRootAway {
      throw DeviceError.stateAway(root)
    }
  }

  /// Whether nothing is where the state is to be: a state that was used is never empty, and what is
  /// found where its disk will be mounted is.
  private var isRootAway: Bool {
    do throws(FileError) {
      return try files.list(try files.canonicalPath(of: root)).isEmpty
    } catch {
      return error.errno == .noSuchFileOrDirectory
    }
  }

  private func find(container path: FilePath?, evenIfLeft: Bool) throws -> Device {
    guard let path else {
      let id = try chosenContainer()
      return try openPresent(id, at: nil, isSilent: nil, evenIfLeft: evenIfLeft)
    }
    if case .silent(let resolved) = ask(path) {
      // Nothing may be looked up there; whose container was there is known from the state.
      guard let known = try device(at: resolved, isSilent: true, evenIfLeft: evenIfLeft)
      else {
        throw ContainerError.unreachable(resolved, .timedOut)
      }
      return known
    }
    let container = ContainerFolder(root: absolute(path), files: files)
    do {
      return try openPresent(
        try container.marker().container, at: container.root, isSilent: false,
        evenIfLeft: evenIfLeft)
    } catch let error as ContainerError {
      // Away for now: whose container was there is known from the state.
      guard let known = try device(at: container.root, evenIfLeft: evenIfLeft) else { throw error }
      return known
    } catch let error as DeviceError {
      // Another container stands where this state knows one.
      guard let known = try device(at: container.root, evenIfLeft: evenIfLeft) else { throw error }
      return known
    }
  }

  /// As ``open(_:at:isSilent:)``, refusing a device that has left or is being made anew.
  private func openPresent(
    _ id: ContainerID, at path: FilePath?, isSilent: Bool?, evenIfLeft: Bool
  ) throws -> Device {
    let device: Device
    do {
      device = try open(id, at: path, isSilent: isSilent)
    } catch DeviceError.notInitialised {
      let older = try olderDatabases(of: id).last { $0.mayHoldMore }
      throw older.map { .rebuildUnfinished(older: $0.directory) }
        ?? DeviceError.notInitialised(path ?? root, state: root)
    }
    guard evenIfLeft || device.record.leftAt == nil else {
      throw DeviceError.left(device.container.root)
    }
    return device
  }

  /// Opens a device, also one that has left; not for use within ``exclusively(_:)``.
  ///
  /// - parameter isSilent: whether the folder's file system does not answer; nil if it is still to
  ///   be asked.
  func open(_ id: ContainerID, at path: FilePath?, isSilent: Bool? = nil) throws -> Device {
    let device = try openUnfinished(id, at: path, isSilent: isSilent)
    try finishHandingOver(to: device)
    return device
  }

  /// Opens a device that may still lack what an interrupted recovery has not handed over: for
  /// asking which one it is.
  func openUnfinished(
    _ id: ContainerID, at path: FilePath?, isSilent: Bool?
  ) throws -> Device {
    let directory = directory(of: id)
    let database = directory.appending("store.sqlite")
    // SQLite would take an empty file for a new database, and write one into it.
    guard try hasContent(database) else {
      throw DeviceError.notInitialised(path ?? root, state: root)
    }
    let store = try store(in: directory)
    guard let record = try store.device() else {
      throw DeviceError.notInitialised(path ?? root, state: root)
    }
    let folder = path ?? record.path
    let files = isSilent ?? self.isSilent(folder) ? UnreachableFileSystem() : files
    return Device(
      record: record, database: store, container: ContainerFolder(root: folder, files: files),
      ambient: ambient, ask: ask, awaited: originals(awaitedBy:))
  }

  func hasContent(_ file: FilePath) throws(FileError) -> Bool {
    do throws(FileError) {
      return try files.status(of: file).size > 0
    } catch {
      // A disk that fails is no sign that there never was one.
      guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else {
        throw error
      }
      return false
    }
  }

  /// Whether the file system of a folder answers, so that it can be looked into.
  package func answers(_ folder: FilePath) -> Bool { !isSilent(folder) }

  private func isSilent(_ folder: FilePath) -> Bool {
    if case .silent = ask(folder) { true } else { false }
  }

  /// The device whose container was last seen at `path`; nil if there are several, none of them
  /// the default.
  func device(
    at path: FilePath, isSilent: Bool = false, evenIfLeft: Bool = false
  ) throws -> Device? {
    let all = try devices(at: path, isSilent: isSilent)
    var known = all.filter { $0.record.leftAt == nil }
    if known.isEmpty, evenIfLeft { known = all }
    guard known.count > 1 else { return known.first }
    let chosen = try readDefault()
    return known.first { $0.record.container == chosen }
  }

  /// The devices whose containers were last seen at `path`, also those that have left.
  ///
  /// - throws: what kept a device from being opened, if no other is the one: it might be.
  func devices(at path: FilePath, isSilent: Bool = false) throws -> [Device] {
    var failure: (any Error)?
    var found: [Device] = []
    for id in try containerIDs() {
      do {
        let device = try openUnfinished(id, at: nil, isSilent: isSilent)
        guard device.record.path == path else { continue }
        // Not of the others: what keeps one of them shut is no reason to refuse this one.
        try finishHandingOver(to: device)
        found.append(device)
      } catch DeviceError.notInitialised {
        continue
      } catch {
        failure = failure ?? error
      }
    }
    if let failure, found.isEmpty { throw failure }
    return found
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

  /// The path without links; of one that is away for now, as much as is there is resolved: a link
  /// to a disk that is unplugged still says where that was.
  func absolute(_ path: FilePath) -> FilePath { absolute(path, hops: 0) }

  private func absolute(_ path: FilePath, hops: Int) -> FilePath {
    if let found = try? files.canonicalPath(of: path) { return found }
    let plain = path.lexicallyNormalized()
    guard let name = plain.lastComponent, plain.parent != plain else { return plain }
    let folder = absolute(plain.parent, hops: hops)
    let whole = folder.appending(name)
    // 40 is where path_resolution(7) gives up.
    guard hops < 40, let target = try? files.linkTarget(of: whole) else { return whole }
    return absolute(folder.pushing(target), hops: hops + 1)
  }
}

// MARK: - Where the state may lie

extension DeviceDirectory {
  /// What the file system of the state is good for: of the directory, or where it will be made.
  package func fitness() -> FileSystemKind.DatabaseFitness {
    var place = root
    while true {
      // A place that cannot be asked, other than for not being there, shows when it is used.
      if let kind = try? files.kind(of: place) { return kind.fitness }
      guard place.parent != place, !place.isEmpty else { return .fit }
      place = place.parent
    }
  }

  /// SQLite's locks and shared memory end at this machine (lessons.md 23 and 24).
  func requireLocalState() throws(DeviceError) {
    guard case .unfit(let kind) = fitness() else { return }
    throw .stateOnNetwork(root, kind: kind)
  }
}
