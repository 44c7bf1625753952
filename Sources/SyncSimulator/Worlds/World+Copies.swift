import DocumentStorage
import ReferenceModel
import Replication
import SystemPackage

/// Devices that are copied, and put back to what they were.
extension World {
  /// No world has more devices.
  private static let mostMachines = 9

  /// Copies a device's state to a new machine, while the device goes on.
  func clone(_ machine: Machine, _ random: inout SplitMix) throws {
    guard machines.count < Self.mostMachines else { return }
    guard let stream = try machine.database.device()?.stream else {
      throw Finding("device \(machine.number) does not know its stream")
    }
    ledger.noteCopy(of: stream)
    for former in machine.streams where former != stream { ledger.noteSharing(of: former) }
    time.addDevice(skewedBy: random.pick([0, 0, -3, 400]))
    let number = machines.count
    // Where a machine can be told from another, a copy often is.
    let environment = random.chance(50) ? machine.environment.bytes : [UInt8(100 + number)]
    let beginning = Machine.Beginning(
      number: number, features: random.chance(70) ? .init() : .renameOnly, time: time,
      seed: random.next(), environment: environment,
      life: machine.life.copied(at: promises.count, as: newLife()),
      isUpgraded: machine.isUpgraded)
    let clone = try Machine(
      beginning, stream: stream, marker: machine.marker,
      state: (machine.database, machine.streams))
    clone.adopted = machine.adopted
    clone.givenUp = machine.givenUp
    clone.formerly = machine.formerly
    // The databases that it has adopted stay where they are.
    clone.former = machine.marker == marker ? nil : machine.former
    // The original is another one, too, as far as what waits is concerned.
    machine.life = machine.life.copied(at: promises.count, as: newLife())
    add(clone, cloneOf: machine.number, linksFrom: &random)
    figures.copies += 1
    note("    device \(number) is a copy of it")
  }

  /// Puts a device's database back to a copy that was made before.
  func restore(_ machine: Machine, _ random: inout SplitMix) throws {
    // What the folder has lost, too, would be gone.
    guard !machine.backups.isEmpty, !machine.owesItsFolder else { return }
    let backup = random.pick(machine.backups)
    guard try backup.container == machine.marker.container || mayForgetJoining(machine) else {
      return
    }
    for stream in machine.streams { ledger.noteCopy(of: stream) }
    promises.revoke(machine.life, from: backup.promises)
    let life = backup.life.copied(at: backup.promises, as: newLife())
    try machine.restore(backup, as: life)
    machine.lacksItsFolder = true
    if !machine.hasJoined { forgetJoining(machine) }
    if machine.environment.bytes != nil, random.chance(50) {
      machine.environment.bytes = [UInt8(200), UInt8(random.below(200) + 1)]
    }
    figures.copies += 1
    note("    it is as it was \(promises.count - backup.promises) edits ago")
  }
}
