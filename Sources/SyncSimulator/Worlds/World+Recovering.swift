import DocumentStorage
import ReferenceModel
import Syncing
import SystemFiles

/// Users who distrust a database, and make a new one from the folder in its place.
extension World {
  /// Rebuilds a device; sometimes it dies on the way, or its disk is full.
  func rebuild(_ machine: Machine, _ random: inout SplitMix) throws {
    guard machine.place == .home else { return }
    machine.placeState()
    for stream in machine.streams { ledger.noteSalvage(of: stream) }
    try recover(machine, hinders: random.chance(60), &random) {
      try machine.directory.rebuild(
        container: Machine.root, fallbackName: "device \(machine.number)", process: "1")
    }
    figures.recoveries += 1
  }

  /// Has a device make a new database by what the command calls, and goes on with what that leaves.
  ///
  /// - parameter hinders: whether it may die on the way, or its disk be full.
  func recover(
    _ machine: Machine, hinders: Bool, _ random: inout SplitMix,
    by act: () throws -> DeviceDirectory.Recovery
  ) throws {
    let over = machine.handedOver.subtracting(try waitingRemovals(on: machine))
    if hinders { hinderRecovery(of: machine, &random) }
    // Whether it dies now or when it is begun anew.
    let losesPower = machine.losesPower
    do {
      let recovery = try act()
      note(
        "    \(recovery.published) files published out of what was, \(recovery.removals) removals"
          + " taken over")
      if recovery.isIncomplete { throw Finding("a database is not read to its end") }
    } catch let error as SalvageError where error.isRefusal {
      note("    a directory is refused to it, so something waits")
    } catch {
      try excuse(error, of: machine, &random)
    }
    if machine.isHindered { try machine.restart(&random) }
    machine.files.setCapacity(nil)
    machine.isHindered = false
    try useState(of: machine)
    try checkHandedOver(to: machine, but: over)
    if machine.place == .met, machine.hasJoined { machine.place = .home }
    if losesPower { try pickUp(from: machine, comparing: true) }
  }

  /// What has become of a removal, the database knows that it was handed over to, and hands on: it
  /// does not wait again in the next, though the one before still has it.
  ///
  /// - parameter over: those that were handed over and waited no more.
  private func checkHandedOver(
    to machine: Machine, but over: Set<StoreDatabase.WaitingRemoval>
  ) throws {
    machine.handedOver = try waitingRemovals(on: machine)
    // Of a database that was put back, it is as it was then.
    guard figures.copies == 0, let again = machine.handedOver.intersection(over).first else {
      return
    }
    throw Finding("device \(machine.number) takes over again a removal from \(again.key.id)")
  }

  private func waitingRemovals(
    on machine: Machine
  ) throws -> Set<StoreDatabase.WaitingRemoval> {
    let keys = try machine.database.documentsWithRemovals(byIndex: true)
    return try Set(keys.flatMap { try machine.database.waitingRemovals(of: $0) })
  }

  private func hinderRecovery(of machine: Machine, _ random: inout SplitMix) {
    machine.isHindered = true
    switch random.below(5) {
    case 0: machine.processLife.kill(atCommit: 1 + random.below(8))
    case 1: machine.files.setRoom(random.below(2000))
    case 2: machine.processLife.setFull(true)
    default:
      machine.losesPower = random.chance(50)
      machine.files.kill(at: 1 + random.below(60))
    }
  }

  /// Goes on with the device that a recovery, finished or not, has left in the state.
  private func useState(of machine: Machine) throws {
    let device: Device
    do {
      device = try machine.directory.open(container: Machine.root)
    } catch DeviceError.notInitialised, DeviceError.rebuildUnfinished {
      // A directory that is refused to it keeps something waiting.
      device = try join(machine).device
    } catch DeviceError.left {
      device = try join(machine).device
    }
    let old = machine.database
    guard try machine.use(device.database) else { return }
    note("    another database is in its place")
    guard try Set(old.keptStreams()).isSubset(of: machine.database.keptStreams()) else {
      throw Finding("device \(machine.number) goes on before all is handed over to it")
    }
    try checkTakenOver(from: old, by: machine)
  }

  /// What has given all is needed no more, should the folder be lost now.
  private func checkTakenOver(from old: StoreDatabase, by machine: Machine) throws {
    let frontier = try machine.database.frontier()
    // Of another branch than the one that was given up nobody may know.
    guard frontier.givenUp.isEmpty, figures.copies == 0,
      try machine.directory.olderDatabases().allSatisfy(\.isSalvaged)
    else { return }
    guard frontier.lineage.holds(try old.frontier().applied) else {
      throw Finding("device \(machine.number) takes all for given that it has not imported")
    }
  }

  private func join(_ machine: Machine) throws -> DeviceDirectory.Initialisation {
    note("    'init' goes on with it")
    return try machine.directory.initialise(
      DeviceDirectory.Request(
        folder: Machine.root, identifier: nil, deviceName: nil,
        fallbackName: "device \(machine.number)", joinsOnly: true))
  }

  /// Publishes what recoveries that were interrupted have left in older databases.
  func finishRecovery(of machine: Machine) throws {
    machine.placeState()
    guard try machine.directory.olderDatabases().contains(where: { !$0.isSalvaged }) else { return }
    if let failure = try join(machine).salvageFailure { throw failure }
    guard try machine.directory.olderDatabases().allSatisfy(\.isSalvaged) else {
      throw Finding("device \(machine.number) has an older database that has not given all")
    }
  }
}

extension SalvageError {
  /// Whether it may not write another's directory, which `Step.Kind.refuse` brings about.
  fileprivate var isRefusal: Bool { (cause as? FileError)?.errno == .permissionDenied }
}
