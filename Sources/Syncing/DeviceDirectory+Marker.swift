import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// How `init` came to a container's marker.
  enum MarkerOrigin {
    /// It stood there.
    case present
    /// Nothing was known of a container here.
    case created
    /// It was missing, and the database of the device that works here had its bytes.
    case restored
  }

  /// The marker of the folder that `init` was asked for, made or put back where it is not there.
  ///
  /// - throws: ``ContainerError/markerMissing(_:)`` where a container is known to have been and
  ///   nothing says that this is its folder, or where nothing is known and files of one are there;
  ///   ``ContainerError/insideAnother(_:container:)`` and
  ///   ``ContainerError/aroundAnother(_:container:)``; ``DeviceError/nothingToJoin(_:)``.
  func marker(
    of container: ContainerFolder, request: Request
  ) throws -> (Marker, origin: MarkerOrigin) {
    do {
      let marker = try container.marker()
      // Who made it may have died before its name was on disk.
      try files.synchronizeDirectory(container.root)
      return (marker, .present)
    } catch ContainerError.markerMissing {
      // Absence means nothing: a known container whose marker is away is not made anew.
      let known = try devices(at: container.root)
      guard known.isEmpty else {
        guard known.count == 1, known[0].record.leftAt == nil, try !areSomeShut,
          let marker = try restored(of: known[0].record, in: container)
        else { throw ContainerError.markerMissing(container.root) }
        // Another one may have come while it was looked whether this is its folder.
        return (marker, marker.container == known[0].record.container ? .restored : .present)
      }
      guard !request.joinsOnly else { throw DeviceError.nothingToJoin(container.root) }
      try refuseInside(container.root)
      try refuseAround(container.root)
    }
    let name = container.root.lastComponent?.string ?? "feedsync"
    let wanted = Marker(
      container: ambient.identifier(), identifier: request.identifier ?? name)
    guard try !holdsOthers(container, than: wanted.container) else {
      throw ContainerError.markerMissing(container.root)
    }
    let found = try container.create(wanted, temporaryName: ambient.temporaryName())
    return (found, found == wanted ? .created : .present)
  }

  /// Refuses to make a container in a folder of another, to whose user's own files it would belong.
  ///
  /// One that is there already is joined all the same: it may be in use.
  private func refuseInside(_ folder: FilePath) throws(ContainerError) {
    var outer = folder
    while !outer.components.isEmpty {
      outer = outer.parent
      if files.shows(Marker.name, in: outer) {
        throw .insideAnother(folder, container: outer)
      }
    }
  }

  /// How many folders are looked into, of as many as there may be.
  private static var mostFoldersInside: Int { 100 }

  /// Refuses to make a container around another, whose files its user's own would be.
  ///
  /// Only what lies in it at once is looked at: the rest may be all that somebody has.
  private func refuseAround(_ folder: FilePath) throws {
    // Syncers keep what was removed, markers too, where nobody sees it.
    let inside = try files.list(folder).lazy.filter { entry in
      [.directory, .unknown].contains(entry.kind) && entry.bytes.first != UInt8(ascii: ".")
    }
    for entry in inside.prefix(Self.mostFoldersInside) {
      let place = folder.appending(entry.name)
      // Something else may be mounted there.
      if case .silent = ask(place) { continue }
      let marker = try? files.status(of: place.appending(Marker.name))
      guard marker?.kind != .regular else {
        throw ContainerError.aroundAnother(folder, container: place)
      }
    }
  }

  /// Refuses a container that is new here and stands where another one of this state's was.
  ///
  /// - throws: ``ContainerError/otherContainer(_:expected:found:)``
  func refuseReplacing(by marker: Marker, at folder: FilePath) throws {
    let ids = try containerIDs()
    // What was joined before may be joined again, as where an adoption was interrupted.
    let isKnown = try ids.contains(marker.container) && isInitialised(marker.container)
    guard !isKnown, ids.contains(where: { $0 != marker.container }) else { return }
    let adopted = Set(try olderDatabases(of: marker.container).compactMap(\.container))
    // One that cannot be opened is no reason to refuse: what is in it is out of sight already.
    let devices = (try? devices(at: folder)) ?? []
    let replaced = devices.map(\.record).first { device in
      device.leftAt == nil && device.container != marker.container
        && !adopted.contains(device.container)
    }
    guard let replaced else { return }
    throw ContainerError.otherContainer(
      folder, expected: replaced.container, found: marker.container)
  }

  private func isInitialised(_ id: ContainerID) throws -> Bool {
    do {
      _ = try openUnfinished(id, at: nil, isSilent: true)
      return true
    } catch DeviceError.notInitialised {
      return false
    }
  }

  /// Whether there is a file of a container, which is another than a new one.
  ///
  /// Syncers keep no order: its marker may be on its way. A new one would take that one's place on
  /// all machines, or lose against it with all that was written meanwhile.
  private func holdsOthers(_ container: ContainerFolder, than id: ContainerID) throws -> Bool {
    let reader = SegmentReader(container: container, expected: id)
    let listing = try container.list()
    // Which container's it is, what cannot be read, is there by half or is of a newer program does
    // not tell; but nothing else has such a name.
    let isUnreadable = listing.unreadable.contains { error in
      error.path.lastComponent.flatMap { StreamID($0.string) } != nil
    }
    let isUnarrived = listing.foreign.contains { place in
      place.directory.flatMap { StreamID($0.string) } != nil
        && UnarrivedName.isOfSegment(place.name.bytes)
    }
    let names = try files.list(container.root).map(\.bytes)
    guard !isUnreadable, !isUnarrived, !names.contains(where: UnarrivedName.isOfComingMarker)
    else { return true }
    return listing.segments.contains { file in
      guard case .setAside(let record) = reader.take(file) else { return false }
      switch record.reason {
      case .otherContainer, .newer: return true
      case .notAFile: return false
      default: return file.claim != nil
      }
    }
  }

  /// Whether some device here cannot be opened now: it might be that of the folder.
  private var areSomeShut: Bool {
    get throws {
      try containerIDs().contains { id in
        do {
          _ = try openUnfinished(id, at: nil, isSilent: true)
          return false
        } catch DeviceError.notInitialised {
          return false
        } catch {
          return true
        }
      }
    }
  }

  /// Puts back the marker as it was when the device joined, if the folder is its container's beyond
  /// doubt; the name is never taken from what has come meanwhile.
  ///
  /// - returns: what stands there now; nil with nothing done where no file under `logs/` is of that
  ///   container: then the folder is not mounted, or emptied, or not synced yet; or where one is of
  ///   another, whose marker may be on its way.
  private func restored(
    of record: DeviceRecord, in container: ContainerFolder
  ) throws -> Marker? {
    guard let marker = try? Marker(parsing: record.marker, file: container.markerFile),
      marker.container == record.container
    else { return nil }
    let reader = SegmentReader(container: container, expected: record.container)
    var holdsSome = false
    for file in try container.list().segments {
      switch reader.read(file) {
      case .segment: holdsSome = true
      case .setAside(let record) where record.reason == .otherContainer: return nil
      case .setAside, .gone: break
      }
    }
    guard holdsSome else { return nil }
    return try container.create(marker, temporaryName: ambient.temporaryName())
  }
}
