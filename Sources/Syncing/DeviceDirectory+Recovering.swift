import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// What taking over from older databases came to.
  package struct Recovery: Sendable {
    /// The device that goes on, under a new stream.
    package let device: Device
    /// Where the database is kept whose place it has taken.
    package let kept: FilePath?
    /// Whether it was made before, by a rebuild that was interrupted.
    package let isContinued: Bool
    /// What that one gave, and those that had not given all before.
    package let salvaged: [Salvaged]

    /// What was imported of the folder then; nil where nothing was taken over.
    package let imported: ImportReport?

    /// How many segments were published out of them that the folder did not have.
    package var published: Int { salvaged.reduce(0) { $0 + $1.report.published } }
    /// How many removals that had waited there were taken over.
    package var removals: Int { salvaged.reduce(0) { $0 + $1.report.removals } }
    /// How many parts of them could not be read any more.
    package var unreadable: Int { salvaged.reduce(0) { $0 + $1.report.unreadable } }
    /// Whether one of them could not give all that it had, or could not even be opened.
    package var isIncomplete: Bool {
      salvaged.contains { $0.failure != nil || $0.report.unreadable > 0 }
    }
  }

  /// Makes a new database from the folder, in the place of one that is damaged or distrusted
  /// (protocol.md 25).
  ///
  /// The old one is put aside, never removed; what it can still give is published, and the new
  /// device writes a new stream. Where that was interrupted before, it goes on with it.
  ///
  /// - parameters:
  ///   - path: The folder, or nil for that of the default container.
  ///   - fallbackName: What to call the device if the old database does not tell.
  ///   - process: what names this process to others.
  /// - throws: ``SalvageError`` if the folder does not take what the old one holds: the new device
  ///   is there all the same, and `init` or another `rebuild` goes on.
  package func rebuild(
    container path: FilePath?, fallbackName: String, process: String
  ) throws -> Recovery {
    try requireLocalState()
    try path.map(requireAnswer)
    let subject = try subject(at: path)
    try requireAnswer(subject.folder)
    let container = ContainerFolder(root: subject.folder, files: files)
    let marker = try container.marker()
    guard marker.container == subject.container else {
      throw ContainerError.otherContainer(
        subject.folder, expected: subject.container, found: marker.container)
    }
    let directory = directory(of: marker.container)
    try files.makeOwnDirectories(directory)
    let watch = try WatchLock(state: directory, files: files, process: process)
    defer { watch.release() }
    let name = subject.name ?? fallbackName
    let (aside, (device, older)) = try exclusively {
      let aside = try putAside(marker.container)
      defer { withExtendedLifetime(aside) {} }
      do {
        let (device, older) = try takePlace(of: marker, in: container, name: name)
        let damage = older.lazy.compactMap(\.refusal).first(where: Self.isDamage)
        guard let damage, aside == nil else { return (aside?.directory, (device, older)) }
        throw damage
      } catch {
        guard Self.isDamage(error), aside == nil else { throw error }
        // What an interrupted rebuild had made is damaged itself.
        let aside = try putAside(marker.container, evenIfNew: true)
        defer { withExtendedLifetime(aside) {} }
        return (aside?.directory, try takePlace(of: marker, in: container, name: name))
      }
    }
    let (salvaged, imported) = try publish(older, into: device)
    return Recovery(
      device: device, kept: aside ?? salvaged.last?.directory,
      isContinued: aside == nil && !salvaged.isEmpty, salvaged: salvaged, imported: imported)
  }

  /// Makes the new device, and hands over to it what needs no folder.
  private func takePlace(
    of marker: Marker, in container: ContainerFolder, name: String
  ) throws -> (Device, [Opened]) {
    let directory = directory(of: marker.container)
    try files.makeOwnDirectories(directory)
    try noteRebuilding(directory)
    let device = try makeNewDevice(of: marker, container: container, name: name)
    return (device, try handOver(to: device))
  }

  /// Joins the container that stands where another one of this state's was, and publishes there
  /// all that is held of the other, under its own identity (protocol.md 29).
  ///
  /// That this is meant is noted first: interrupted, `init` goes on with it.
  ///
  /// - parameter process: what names this process to others.
  package func adopt(
    _ request: Request, process: String
  ) throws -> (Initialisation, Recovery) {
    try requireLocalState()
    try requireAnswer(request.folder)
    let folder = try canonicalFolder(of: request)
    let container = ContainerFolder(root: folder, files: files)
    // Before it is noted: by the note a plain `init` would go on with what is refused here.
    try refuseNesting(of: folder)
    let marker = try container.marker()
    try requireIdentifier(of: marker, in: container, request)
    let sources = try adoptable(by: marker.container, at: folder)
    guard let first = sources.first else { throw DeviceError.nothingToAdopt(folder) }
    let directories = sources.map { directory(of: $0.container) }
    let locks = try directories.map { try WatchLock(state: $0, files: files, process: process) }
    defer { for lock in locks { lock.release() } }
    // First, since they are about what may be forgotten.
    try carrySettings(from: sources.map(\.container), to: marker.container)
    for source in sources {
      try note(
        SalvageRecord(target: marker.container, place: source.path),
        in: directory(of: source.container))
    }
    let done = try initialise(
      Request(
        folder: request.folder, identifier: request.identifier, deviceName: request.deviceName,
        fallbackName: first.name, joinsOnly: true))
    if let failure = done.salvageFailure { throw failure }
    let recovery = Recovery(
      device: done.device, kept: directory(of: first.container), isContinued: false,
      salvaged: done.salvaged, imported: done.imported)
    return (done, recovery)
  }
}

extension DeviceDirectory {
  /// The devices of other containers that were last seen at `folder`, or whose adoption by this one
  /// was interrupted, wherever they were; those that have left only if there is no other.
  private func adoptable(
    by container: ContainerID, at folder: FilePath
  ) throws -> [DeviceRecord] {
    let known = Result { try devices(at: folder) }
    var former = ((try? known.get()) ?? []).map(\.record).filter { $0.container != container }
    for older in try olderDatabases(of: container) where older.isAdopted && !older.isSalvaged {
      guard let id = older.container, !former.contains(where: { $0.container == id }) else {
        continue
      }
      // One that cannot be opened says so when it is gone on with.
      let device = try? open(id, at: nil, isSilent: false).record
      if let device, older.isWhereNoted(device) { former.append(device) }
    }
    if former.isEmpty {
      try refuseUnclear(container, at: folder)
      _ = try known.get()
    }
    let present = former.filter { $0.leftAt == nil }
    return present.isEmpty ? former : present
  }
}

extension DeviceDirectory {
  /// Refuses to say that there is nothing to adopt where a database cannot be opened.
  ///
  /// It may be that of the container which was at `folder`; on a guess nothing is published.
  ///
  /// - throws: ``DeviceError/placeUnknown(_:aside:folder:)`` where it is damaged; else what keeps
  ///   it from being opened.
  private func refuseUnclear(_ container: ContainerID, at folder: FilePath) throws {
    // What is noted is gone on with by `init`.
    let noted = Set(try olderDatabases().filter(\.isAdopted).compactMap(\.container))
    for id in try containerIDs() where id != container && !noted.contains(id) {
      do {
        _ = try openUnfinished(id, at: nil, isSilent: true)
      } catch DeviceError.notInitialised {
        continue
      } catch {
        guard Self.isDamage(error) else { throw error }
        throw DeviceError.placeUnknown(
          directory(of: id), aside: asideDirectory(of: container), folder: folder)
      }
    }
  }
}

// MARK: - Taking a database's place

extension DeviceDirectory {
  private typealias Subject = (container: ContainerID, folder: FilePath, name: String?)

  /// What is to be rebuilt, and what its device was called.
  private func subject(at path: FilePath?) throws -> Subject {
    do {
      let device = try open(container: path, evenIfLeft: true)
      return (
        device.record.container, path.map(absolute) ?? device.container.root, device.record.name
      )
    } catch {
      guard Self.isDamage(error) else { throw error }
      let id = try interrupted(at: path) ?? identify(container: path)
      let older = try olderDatabases(of: id).last {
        !$0.isSalvaged && !$0.isAdopted && $0.container == id
      }
      // A damaged one does not tell; the folder that the user names does.
      let record = older.flatMap { try? store(in: $0.directory, for: .salvage).device() }
      guard let folder = path.map(absolute) ?? record?.path else { throw error }
      return (id, folder, record?.name)
    }
  }

  /// The container whose database was put aside before, with nothing in its place yet.
  private func interrupted(at path: FilePath?) throws -> ContainerID? {
    guard let path else { return nil }
    if case .silent = ask(path) { return nil }
    let container = ContainerFolder(root: absolute(path), files: files)
    guard let id = try? container.marker().container else { return nil }
    return try olderDatabases(of: id).contains { !$0.isSalvaged } ? id : nil
  }

  /// A database that was put aside.
  private struct Aside {
    /// Where it is now.
    let directory: FilePath
    /// It, if it could be opened.
    ///
    /// As long as it is open nobody else's connection is its last. That one would remove the log of
    /// what has the name by then, if it began to close before the renaming.
    let database: StoreDatabase?
  }

  /// Renames the directory of a database that holds anything.
  ///
  /// - parameter evenIfNew: whether also one that an interrupted rebuild has made.
  /// - returns: it, to be kept until another has its place.
  private func putAside(_ id: ContainerID, evenIfNew: Bool = false) throws -> Aside? {
    let database: StoreDatabase?
    switch try judge(id, evenIfNew: evenIfNew) {
    case .stays: return nil
    case .damaged: database = nil
    case .goes(let open): database = open
    }
    let aside = asideDirectory(of: id)
    try files.rename(directory(of: id), to: aside)
    try files.synchronizeDirectory(root)
    return Aside(directory: aside, database: database)
  }

  private enum Judgement {
    case stays
    case damaged
    case goes(StoreDatabase)
  }

  private func judge(_ id: ContainerID, evenIfNew: Bool) throws -> Judgement {
    let directory = directory(of: id)
    let names: [FilePath.Component] = ["store.sqlite", "store.sqlite-wal"]
    guard try names.contains(where: { try hasContent(directory.appending($0)) }) else {
      return .stays
    }
    let database: StoreDatabase
    let record: DeviceRecord?
    do {
      database = try store(in: directory)
      record = try database.device()
    } catch {
      guard Self.isDamage(error) else { throw error }
      return .damaged
    }
    // Whoever made it died before it was a device.
    guard let record else { return .stays }
    if try !evenIfNew && isToBeGoneOnWith(database, of: id) { return .stays }
    // From now on no process writes into it what would be left behind; `Salvage` makes sure.
    do {
      if record.leftAt == nil { _ = try database.leave(now: ambient.now(), isAbandoning: true) }
    } catch {
      guard Self.isDamage(error) else { throw error }
    }
    return .goes(database)
  }

  /// Whether a database does as well as a new one, while there is something to go on with: nobody
  /// has seen it yet, nothing has come to it, or an interrupted rebuild has made it and nobody has
  /// written into it.
  private func isToBeGoneOnWith(_ database: StoreDatabase, of id: ContainerID) throws -> Bool {
    let progress = rebuildProgress(in: directory(of: id))
    if progress == .made { return true }
    guard try olderDatabases(of: id).contains(where: { !$0.isSalvaged }),
      let streams = try? database.streamSummaries()
    else { return false }
    if streams.allSatisfy({ $0.applied == 0 }) { return true }
    guard progress == .handedOver, streams.allSatisfy({ !$0.isOwn || $0.applied == 0 }),
      let problems = try? database.integrityProblems()
    else { return false }
    return problems.isEmpty
  }

  /// A folder on a network file system that is away would block whoever looks into it.
  private func requireAnswer(_ folder: FilePath) throws {
    if case .silent(let resolved) = ask(folder) {
      throw ContainerError.unreachable(resolved, .timedOut)
    }
  }

  /// Makes a device, or takes over the one that an interrupted rebuild has made.
  private func makeNewDevice(
    of marker: Marker, container: ContainerFolder, name: String
  ) throws -> Device {
    let directory = directory(of: marker.container)
    let database = try store(in: directory)
    if try database.device() != nil {
      try database.rejoin(at: container.root)
    } else {
      try database.save(
        DeviceRecord(
          container: marker.container, marker: marker.bytes, path: container.root,
          stream: ambient.identifier(), name: name))
    }
    try files.synchronizeDirectory(directory)
    guard let record = try database.device() else { throw StorageError.noDevice }
    return Device(
      record: record, database: database, container: container, ambient: ambient, ask: ask)
  }
}
