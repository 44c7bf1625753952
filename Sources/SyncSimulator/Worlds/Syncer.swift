import ReferenceModel
import Replication
import SegmentFormat
import SystemFiles
import SystemPackage

/// What carries files between the replicas: it has a copy of all that it ever saw, and no haste.
struct Syncer {
  /// A file under `logs/` that some device published.
  struct File {
    let author: Int
    /// The container that it is of.
    let container: ContainerID
    let directory: FilePath.Component
    let name: FilePath.Component
    var bytes: [UInt8]
    /// Whether its author has removed it.
    var isRemoved = false

    var path: FilePath {
      Machine.root.appending("logs").appending(directory).appending(name)
    }
  }

  /// What of the syncer's files a replica holds.
  struct Replica {
    var complete: Set<Int> = []
    /// Files of which it has the beginning.
    var partial: Set<Int> = []
  }

  private(set) var files: [File] = []
  private var known: [FilePath: Int] = [:]
  var replicas: [Replica]
  /// By device: the container that its replica is of.
  var homes: [ContainerID] = []
  /// The container into whose folder others were merged, and those.
  var shared: ContainerID?
  var merged: Set<ContainerID> = []
  /// By receiver and author: how likely a file is carried, in percent.
  private(set) var links: [[Int]]

  init(devices: Int, _ random: inout SplitMix) {
    replicas = Array(repeating: Replica(), count: devices)
    links = (0..<devices).map { _ in
      (0..<devices).map { _ in random.pick([3, 15, 60, 95]) }
    }
  }

  /// Adds the replica of another device.
  ///
  /// - parameter random: decides how well it is connected.
  mutating func addReplica(of container: ContainerID, _ random: inout SplitMix) {
    replicas.append(Replica())
    homes.append(container)
    for receiver in links.indices { links[receiver].append(random.pick([3, 15, 60, 95])) }
    links.append(replicas.indices.map { _ in random.pick([3, 15, 60, 95]) })
  }

  /// Carries what `author` writes to `receiver` only, and what that one writes late to a third.
  mutating func detour(around author: Int, by receiver: Int, late third: Int) {
    for other in links.indices { links[other][author] = other == receiver ? 95 : 0 }
    links[third][receiver] = 2
  }

  /// Takes over what a device has published since the last time.
  ///
  /// - returns: the files that are new, or have changed.
  mutating func pickUp(from machine: Machine, comparing: Bool = false) throws -> [Int] {
    guard [.home, .wiped, .met].contains(machine.place) else { return [] }
    var new = try machine.tended.flatMap { directory in
      try pickUp(from: machine, directory, comparing: comparing)
    }
    for (directory, name) in try machine.completed where !machine.tended.contains(directory) {
      if let index = take(name, in: directory, from: machine, comparing: comparing) {
        new.append(index)
      }
    }
    return new
  }

  private mutating func pickUp(
    from machine: Machine, _ name: FilePath.Component, comparing: Bool
  ) throws -> [Int] {
    let directory = Machine.root.appending("logs").appending(name)
    let entries = (try? machine.files.list(directory)) ?? []
    if comparing { noteAbsent(entries.map { directory.appending($0.name) }, directory, machine) }
    return entries.filter { $0.kind == .regular }.compactMap { entry in
      take(entry.name, in: name, from: machine, comparing: comparing)
    }
  }

  /// - returns: the file, if it is new or has changed.
  private mutating func take(
    _ name: FilePath.Component, in directory: FilePath.Component, from machine: Machine,
    comparing: Bool
  ) -> Int? {
    let path = Machine.root.appending("logs").appending(directory).appending(name)
    let index = known[path]
    // What it took away and did not bring back may have been written anew; the newer one stays.
    let isNew = index.map { !replicas[machine.number].complete.contains($0) } ?? true
    guard isNew || comparing, isPublished(name), let bytes = machine.files.bytes(at: path) else {
      return nil
    }
    guard let index else {
      known[path] = files.count
      replicas[machine.number].complete.insert(files.count)
      files.append(
        File(
          author: machine.number,
          container: (try? SegmentFile.range(of: bytes).container) ?? machine.marker.container,
          directory: directory, name: name, bytes: bytes))
      return files.count - 1
    }
    guard files[index].author == machine.number else {
      // A clone's: it may stand here cut, or be another's.
      if files[index].bytes == bytes { replicas[machine.number].complete.insert(index) }
      return nil
    }
    replicas[machine.number].complete.insert(index)
    // It was put back.
    files[index].isRemoved = false
    guard files[index].bytes != bytes else { return nil }
    files[index].bytes = bytes
    for replica in replicas.indices { replicas[replica].complete.remove(index) }
    replicas[machine.number].complete.insert(index)
    return index
  }

  /// Takes a file that none of the machines has published, and that comes by way of one.
  mutating func add(
    _ bytes: [UInt8], name: FilePath.Component, in directory: FilePath.Component,
    of container: ContainerID, byWayOf device: Int
  ) {
    let file = File(
      author: device, container: container, directory: directory, name: name, bytes: bytes)
    known[file.path] = files.count
    files.append(file)
  }

  /// Sees which of a device's files are gone, so that what comes under their names is new.
  private mutating func noteAbsent(
    _ present: [FilePath], _ directory: FilePath, _ machine: Machine
  ) {
    let present = Set(present)
    for index in replicas[machine.number].complete {
      let path = files[index].path
      guard path.removingLastComponent() == directory, !present.contains(path) else { continue }
      replicas[machine.number].complete.remove(index)
    }
  }

  /// Whether a device gave the name, and not this syncer.
  private func isPublished(_ name: FilePath.Component) -> Bool {
    let bytes = name.bytes
    // With or without a number before `.log`; a copy of a conflict's has a longer name.
    return (bytes.count == 54 || bytes.count == 56) && bytes[16] == UInt8(ascii: "-")
  }

  /// Whether it ever saw a file of that name.
  func knows(_ name: String, in directory: FilePath.Component) -> Bool {
    known[Machine.root.appending("logs").appending(directory).appending(name)] != nil
  }

  /// Whether it has a copy of a file with that content.
  func hasSeen(_ bytes: [UInt8], in directory: FilePath.Component) -> Bool {
    files.contains { $0.directory == directory && $0.bytes == bytes }
  }

  /// The files that a device has published, and the syncer has not seen.
  func unseen(on machine: Machine) -> [FilePath] {
    machine.tended.flatMap { name -> [FilePath] in
      let directory = Machine.root.appending("logs").appending(name)
      let entries = (try? machine.files.list(directory)) ?? []
      return entries.filter { $0.kind == .regular && isPublished($0.name) }
        .map { directory.appending($0.name) }.filter { known[$0] == nil }
    }
  }

  /// Files that a replica has not, or not whole.
  func outstanding(for device: Int) -> [Int] {
    files.indices.filter {
      !files[$0].isRemoved && !replicas[device].complete.contains($0) && isCarried($0, to: device)
    }
  }

  /// Whether a file gets to a device at all: one of another container only where their folders met.
  private func isCarried(_ index: Int, to device: Int) -> Bool {
    let container = files[index].container
    return container == homes[device]
      || merged.contains(container) && homes[device] == shared
  }

  /// Files that a replica has, and their authors have removed.
  func obsolete(on device: Int) -> [Int] {
    replicas[device].complete.sorted().filter { files[$0].isRemoved }
  }

  /// The files of its own that a device has published, and still has.
  func present(on machine: Machine) -> [Int] {
    let own = Set(machine.tended)
    return replicas[machine.number].complete.sorted().filter {
      own.contains(files[$0].directory) && machine.files.bytes(at: files[$0].path) != nil
    }
  }

  /// Notes that a device has removed a file of its own.
  mutating func noteRemoved(_ index: Int, by machine: Machine) {
    files[index].isRemoved = true
    replicas[machine.number].complete.remove(index)
  }

  /// Puts a whole file into a replica; but its author may have written it anew meanwhile.
  mutating func deliver(_ index: Int, to machine: Machine, modified: Int64? = nil) {
    let isAuthor = files[index].author == machine.number
    guard !isAuthor || machine.files.bytes(at: files[index].path) == nil else { return }
    machine.files.put(files[index].path, files[index].bytes, modified: modified)
    replicas[machine.number].complete.insert(index)
    replicas[machine.number].partial.remove(index)
  }

  /// Puts the beginning of a file there.
  mutating func deliver(_ index: Int, to machine: Machine, cutTo count: Int) {
    machine.files.put(files[index].path, Array(files[index].bytes.prefix(count)))
    replicas[machine.number].partial.insert(index)
  }

  /// Takes a file away, which the syncer will bring again.
  mutating func lose(_ index: Int, from machine: Machine) {
    machine.files.removeTree(files[index].path)
    replicas[machine.number].complete.remove(index)
    replicas[machine.number].partial.remove(index)
  }

  /// Brings a replica to hold every file as it is, whatever it held, and none that was removed.
  mutating func complete(_ machine: Machine, order: [Int]) {
    for index in order {
      if files[index].isRemoved {
        lose(index, from: machine)
      } else if isCarried(index, to: machine.number),
        machine.files.bytes(at: files[index].path) != files[index].bytes
      {
        deliver(index, to: machine)
      }
    }
  }
}
