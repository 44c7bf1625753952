import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

extension DeviceDirectory {
  /// How a device leaves.
  package enum Leaving: Sendable {
    /// Only if all that it wrote is in the folder; the database is kept.
    case published
    /// Whatever waits; the database, which holds it, is kept.
    case abandoning
    /// Only if the folder holds all that the database does, once this has taken in what is there;
    /// the database goes.
    case deletingState
  }

  /// What leaving did, and what remains.
  package struct Departure: Sendable {
    package let device: Device
    /// How many transactions were published on the way.
    package let published: Int
    /// How many wait in the database that is kept.
    package let unpublished: Int
    /// How many deletes and removals wait there.
    package let pendingRemovals: Int
    /// The streams in which it wrote anything, its last one first: several, if it was rebuilt.
    ///
    /// Not those that a copy of it may go on with.
    package let streams: [StreamID]
    /// The database's directory; nil if it was removed.
    package let state: FilePath?
    /// Whether the container was the default, so that none is chosen now.
    package let wasDefault: Bool
  }

  /// Opens the device that shall leave, also to complete what was interrupted.
  ///
  /// - parameter path: the folder, or nil for the default.
  package func open(container path: FilePath?, toLeave leaving: Leaving) throws -> Device {
    let device = try open(container: path, evenIfLeft: true)
    guard
      try device.record.leftAt == nil || leaving == .deletingState
        || readDefault() == device.record.container
    else { throw DeviceError.left(device.container.root) }
    return device
  }

  /// Publishes what waits and takes the device out of the container; nothing that others do not
  /// have is ever removed.
  ///
  /// The database is kept, and takes no more writes; `init` on the folder makes it the same device
  /// again. Interrupted at any point, it can be repeated.
  ///
  /// - parameter process: what names this process to others.
  /// - throws: ``LeaveError``, or ``DeviceError/watched(_:process:)``; then it has not left.
  package func leave(
    _ device: Device, _ leaving: Leaving, process: String
  ) throws -> Departure {
    let id = device.record.container
    let watch = try WatchLock(state: directory(of: id), files: files, process: process)
    defer { watch.release() }
    if leaving != .abandoning, let older = try olderDatabases(of: id).first(where: \.mayHoldMore) {
      throw LeaveError.recoveryUnfinished(device.container.root, older: older.directory)
    }
    var published = try publish(device, leaving)
    if case .deletingState = leaving { published += try takeIn(device) }
    let counts = try device.database.counts()
    if case .abandoning = leaving {
    } else {
      guard counts.pendingRemovals == 0 else {
        throw LeaveError.removalsWait(device.container.root, count: counts.pendingRemovals)
      }
    }
    if case .deletingState = leaving { try requireCompleteFolder(of: device) }
    let streams = try device.writtenStreams()
    let (wasDefault, state) = try exclusively {
      guard
        try device.database.leave(now: ambient.now(), isAbandoning: leaving == .abandoning)
      else { throw LeaveError.writtenMeanwhile(device.container.root) }
      let wasDefault = try removeDefault(id)
      guard leaving == .deletingState else { return (wasDefault, Optional(directory(of: id))) }
      try removeTree(directory(of: id))
      try removeSettings(of: id)
      return (wasDefault, nil)
    }
    return Departure(
      device: device, published: published, unpublished: counts.unpublished,
      pendingRemovals: counts.pendingRemovals, streams: streams, state: state,
      wasDefault: wasDefault)
  }

  /// - returns: how many transactions are in the folder now that were not before.
  private func publish(_ device: Device, _ leaving: Leaving) throws -> Int {
    let before = try device.database.unpublishedCount()
    var cause: (any Error & Sendable)? = try device.absence()
    if cause == nil {
      do {
        _ = try Publisher(device: device).publishAll()
      } catch {
        cause = error
      }
    }
    let after = try device.database.unpublishedCount()
    if let cause, after > 0, leaving != .abandoning {
      throw LeaveError.unpublished(device.container.root, transactions: after, cause: cause)
    }
    return max(before - after, 0)
  }

  /// Takes in what has arrived, and publishes what comes of it.
  ///
  /// Others may have forgotten a document that was edited here: then this database alone can write
  /// it anew (protocol.md 24).
  ///
  /// - returns: how many transactions are in the folder now that were not before.
  private func takeIn(_ device: Device) throws -> Int {
    // One that has left takes nothing in any more, and is refused below where that matters.
    guard device.record.leftAt == nil else { return 0 }
    let imported = try Importer(device: device).importAll()
    try device.database.heedStatements(
      unfinished: true, now: device.ambient.time, nonce: device.nonce)
    return try imported.published + publish(device, .deletingState)
  }

  private func requireCompleteFolder(of device: Device) throws {
    try device.requireContainer()
    let completeness = FolderCompleteness(device: device)
    let missing = try completeness.incompleteStreams()
    guard missing.isEmpty else {
      throw LeaveError.folderIncomplete(device.container.root, devices: missing.map(\.label))
    }
    let unheeded = try completeness.unheededStreams()
    guard unheeded.isEmpty else {
      let known = try device.database.streamSummaries().filter { unheeded.contains($0.stream) }
      let unknown = unheeded.subtracting(known.map(\.stream)).sorted()
      throw LeaveError.dropsNotHeeded(
        device.container.root, devices: known.map(\.label) + unknown.map(\.label))
    }
    // Whoever wrote them may have died before their names were on the disk, and the database goes,
    // which would put them back.
    try device.container.keepNames(in: Set(device.container.list().segments.map(\.directory)))
  }
}

extension Device {
  fileprivate func writtenStreams() throws -> [StreamID] {
    let sole = Set(try database.soleStreams())
    let written = try database.streamSummaries().filter { summary in
      summary.applied > 0 && sole.contains(summary.stream)
    }
    return (written.filter(\.isOwn) + written.filter { !$0.isOwn }).map(\.stream)
  }
}

extension DeviceDirectory.Departure {
  /// What this device wrote: it stays in the folder, for the others.
  package var files: [FilePath] { streams.map { device.container.directory(of: $0) } }
}

extension StreamSummary {
  fileprivate var label: String { name ?? stream.label }
}

extension StreamID {
  /// What a device is called whose name is not known.
  fileprivate var label: String { String(description.prefix(8)) }
}
