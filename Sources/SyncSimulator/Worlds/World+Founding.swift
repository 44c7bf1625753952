import DocumentStorage
import ReferenceModel
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles

/// Devices that were initialised by themselves before their folders met (protocol.md 29).
///
/// A device that ever takes the step begins in a container of its own, or in one with others that
/// do, and joins the shared one with all that it has.
extension World {
  /// The marker of the container that a device begins in, where that is not the shared one.
  static func marker(of number: Int, in history: History) -> Marker? {
    // Somebody has to be there.
    guard number > 0, history.steps.contains(where: { $0.kind == .found && $0.device == number })
    else { return nil }
    var random = SplitMix(seed: history.seed ^ 0xF0_07ED)
    let isAlone = random.chance(45)
    return Marker(
      container: ContainerID(rawValue: 0xB000 + UInt128(isAlone ? number : 0)),
      identifier: "founded")
  }

  /// Whether something can be done by a device in whose folder another container's marker stands:
  /// commands refuse to work, and everything else goes on.
  static func isPossibleBeforeJoining(_ kind: Step.Kind) -> Bool {
    switch kind {
    case .write, .read, .writeOnRead, .rename, .count, .collect, .resolve, .decide, .answer, .bulk,
      .mix, .undo, .insist, .crash, .powerLoss, .fullDisk, .ioError, .clone, .backUp, .restore:
      false
    default: true
    }
  }

  /// Lets the shared folder come to a device that has another one, and joins it; also again, which
  /// goes on with what was interrupted.
  func found(_ machine: Machine, _ random: inout SplitMix) throws {
    guard machine.former != nil, [.home, .met].contains(machine.place) else { return }
    if machine.marker != marker {
      try meet(machine, &random)
      // Its user may not have looked yet.
      if random.chance(20) { return }
    }
    try adopt(machine, hinders: random.chance(60), &random)
  }

  /// Merges a device's folder with the shared one, or puts that in its place.
  private func meet(_ machine: Machine, _ random: inout SplitMix) throws {
    let former = machine.marker.container
    let lacks = try lacksSome(machine)
    if lacks || random.chance(60) { try pickUp(from: machine) }
    if lacks || random.chance(50) {
      note("    its folder is merged with the shared one")
      bringBackOwn(of: machine)
      syncer.merged.insert(former)
    } else {
      note("    the shared folder takes the place of its own")
      machine.files.removeTree(Machine.root)
      machine.files.putDirectory(Machine.root)
      syncer.replicas[machine.number] = Syncer.Replica()
    }
    machine.meet(marker)
    syncer.homes[machine.number] = marker.container
    if random.chance(50) { deliver(to: machine, &random) }
  }

  /// Whether a device's folder, or the syncer, has what it has published and does not know of, so
  /// that it would be gone with the folder.
  private func lacksSome(_ machine: Machine) throws -> Bool {
    guard !machine.lacksItsFolder else { return true }
    return try syncer.files.contains { file in
      guard file.author == machine.number, !file.isRemoved,
        let segment = try? SegmentFile.decode(file.bytes).segment
      else { return false }
      return try !machine.database.holds(segment)
    }
  }

  /// Brings a device's own files back that its folder has lost.
  private func bringBackOwn(of machine: Machine) {
    for index in syncer.outstanding(for: machine.number)
    where syncer.files[index].author == machine.number {
      syncer.deliver(index, to: machine)
    }
  }

  /// Does what `init --adopt` does; sometimes it dies on the way, or its disk is full.
  private func adopt(
    _ machine: Machine, hinders: Bool, _ random: inout SplitMix
  ) throws {
    machine.placeState()
    for stream in try machine.database.knownStreams().map(\.stream) {
      ledger.noteSalvage(of: stream)
      if !machine.tended.contains(Machine.directory(of: stream)) { machine.adopted.append(stream) }
    }
    try recover(machine, hinders: hinders, &random) {
      let (_, recovery) = try machine.directory.adopt(
        DeviceDirectory.Request(
          folder: Machine.root, identifier: nil, deviceName: nil, joinsOnly: true),
        process: "1")
      figures.adoptions += 1
      return recovery
    }
  }

  /// Whether a device may be put back to what it was before it joined the shared container: with
  /// all of its state, so nothing in that may be what nobody else has.
  func mayForgetJoining(_ machine: Machine) throws -> Bool {
    guard machine.place == .home else { return false }
    return try machine.directory.olderDatabases().allSatisfy(\.isSalvaged)
  }

  func forgetJoining(_ machine: Machine) {
    note("    it knows nothing of the container that its folder is")
    machine.files.removeTree(PretendedState.root)
    machine.place = .met
  }

  /// Has a device join that has not, or not to the end, with all that it ever published.
  func finishFounding(of machine: Machine) throws {
    guard machine.former != nil else { return }
    var random = SplitMix(seed: history.seed ^ UInt64(machine.number) ^ 0xF1_7A1)
    note("device \(machine.number) joins the shared container")
    if machine.marker != marker { try meet(machine, &random) }
    bringBackOwn(of: machine)
    try adopt(machine, hinders: false, &random)
    guard machine.place == .home else {
      throw Finding("device \(machine.number) does not join the shared container")
    }
  }
}
