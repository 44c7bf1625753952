import ReferenceModel
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// What happens to a device's folder as a whole.
extension World {
  private static let aside: FilePath = "/machine/aside"
  private static let otherMarker = Marker(
    container: ContainerID(rawValue: 0xDCBA), identifier: "another")

  func replaceFolder(of machine: Machine, _ kind: Step.Kind) throws {
    switch (kind, machine.place) {
    case (.unmount, .home):
      try moveAside(machine)
      machine.place = .unmounted
    case (.swap, .home):
      try moveAside(machine)
      machine.files.put(Machine.root.appending(Marker.name), Self.otherMarker.bytes)
      machine.place = .swapped
    case (.wipe, .home):
      // What nobody else has would be lost: healing is for that.
      try pickUp(from: machine)
      machine.files.removeTree(Machine.root)
      machine.files.putDirectory(Machine.root)
      syncer.replicas[machine.number] = Syncer.Replica()
      machine.place = .wiped
    case (.burn, .home):
      // What only this folder has, and the database too: healing brings it back.
      if machine.lacksItsFolder { try pickUp(from: machine) }
      machine.files.removeTree(Machine.root)
      machine.files.putDirectory(Machine.root)
      syncer.replicas[machine.number] = Syncer.Replica()
      machine.place = .wiped
      machine.owesItsFolder = true
    case (.remount, .unmounted), (.remount, .swapped): try bringBack(machine)
    case (.remount, .wiped): restoreMarker(of: machine)
    default: return
    }
    note("    its folder is \(machine.place)")
  }

  private func moveAside(_ machine: Machine) throws {
    try machine.files.rename(Machine.root, to: Self.aside)
    try machine.files.synchronizeDirectory(Machine.parent)
    machine.files.putDirectory(Machine.root)
  }

  private func bringBack(_ machine: Machine) throws {
    var expected = 0
    if machine.place == .swapped {
      let marker = machine.files.bytes(at: Machine.root.appending(Marker.name))
      guard marker == Self.otherMarker.bytes else {
        throw Finding("device \(machine.number) has changed another container's marker")
      }
      expected = 1
    }
    guard try machine.files.list(Machine.root).count == expected else {
      throw Finding("device \(machine.number) has written where its folder was not")
    }
    machine.files.removeTree(Machine.root)
    try machine.files.rename(Self.aside, to: Machine.root)
    try machine.files.synchronizeDirectory(Machine.parent)
    machine.place = .home
  }

  private func restoreMarker(of machine: Machine) {
    machine.files.put(machine.container.markerFile, machine.marker.bytes)
    machine.place = .home
  }

  /// Refuses a device one directory of another, or no longer does.
  private func setRefused(_ isRefused: Bool, _ owner: Machine, on machine: Machine) {
    // What a clone and its original share is nobody else's.
    for directory in owner.directories where !machine.directories.contains(directory) {
      machine.files.setRefused(isRefused, machine.container.logs.appending(directory))
    }
  }

  func refuse(on machine: Machine, _ random: inout SplitMix) {
    guard machine.place == .home else { return }
    let owner = random.pick(machines)
    guard owner.number != machine.number else { return }
    let isRefused = random.chance(60)
    note("    device \(owner.number)'s directory is \(isRefused ? "refused" : "given") to it")
    setRefused(isRefused, owner, on: machine)
  }

  /// Ends whatever lasts: everybody is there, with their folder, and nothing is planned.
  func calm() throws {
    note("all is calm")
    for machine in machines {
      machine.isAway = false
      machine.isDisconnected = false
      machine.chance.restart(seed: history.seed &+ UInt64(machine.number))
      switch machine.place {
      case .home, .met: break
      case .wiped: restoreMarker(of: machine)
      case .unmounted, .swapped: try bringBack(machine)
      }
      for owner in machines { setRefused(false, owner, on: machine) }
      try finishFounding(of: machine)
      try finishRecovery(of: machine)
    }
  }
}
