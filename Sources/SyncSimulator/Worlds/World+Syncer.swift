import DocumentStorage
import ReferenceModel
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What the syncer does, and what it does wrong.
extension World {
  func carry(to machine: Machine, _ kind: Step.Kind, _ random: inout SplitMix) throws {
    for source in machines where !source.isAway && random.chance(60) {
      if !source.isDisconnected { try pickUp(from: source) }
    }
    guard !machine.isDisconnected || kind != .carry else {
      return note("    which it cannot reach")
    }
    guard [.home, .wiped, .met].contains(machine.place) else { return }
    switch kind {
    case .truncate: truncate(on: machine, &random)
    case .grow: grow(on: machine, &random)
    case .duplicate: duplicate(on: machine, &random)
    case .junk: makeJunk(on: machine, &random)
    case .impostor: makeImpostor(on: machine, &random)
    case .ownImpostor: try makeOwnImpostor(on: machine, &random)
    case .lose: try lose(from: machine, &random)
    case .rollBack: try rollBack(machine, &random)
    case .forget: try forget(machine, &random)
    default: deliver(to: machine, &random)
    }
  }

  func pickUp(from machine: Machine, comparing: Bool = false) throws {
    try machine.noteStream()
    for index in try syncer.pickUp(from: machine, comparing: comparing) {
      let file = syncer.files[index]
      note("    the syncer takes \(ledger.name(of: file)) from device \(machine.number)")
      try ledger.take(file.bytes, by: machine.had())
    }
  }

  func deliver(to machine: Machine, _ random: inout SplitMix) {
    if machine.place == .wiped, random.chance(60) {
      machine.files.put(machine.container.markerFile, machine.marker.bytes)
      machine.place = .home
      note("    the marker is back")
    }
    let links = syncer.links[machine.number]
    let share = random.pick([30, 70, 100])
    // The removal may come long before what takes a file's place, or after it.
    for index in syncer.obsolete(on: machine.number) where random.chance(share) {
      note("    \(ledger.name(of: syncer.files[index])) is removed from it")
      syncer.lose(index, from: machine)
    }
    for index in random.shuffled(syncer.outstanding(for: machine.number))
    where random.chance(links[syncer.files[index].author]) && random.chance(share) {
      note("    it gets \(ledger.name(of: syncer.files[index]))")
      syncer.deliver(index, to: machine, modified: random.chance(50) ? 1_000_000_000 : nil)
    }
  }

  func detour(around machine: Machine, _ random: inout SplitMix) {
    let others = machines.map(\.number).filter { $0 != machine.number }
    let way = random.shuffled(others)
    guard way.count > 1 else { return }
    note("    its files come to device \(way[0]) only, and that one's late to device \(way[1])")
    syncer.detour(around: machine.number, by: way[0], late: way[1])
  }

  /// A file of another device that this one has not, or not whole.
  private func wanted(by machine: Machine, _ random: inout SplitMix) -> Int? {
    let files = syncer.outstanding(for: machine.number).filter {
      syncer.files[$0].author != machine.number && !syncer.files[$0].bytes.isEmpty
    }
    return files.isEmpty ? nil : random.pick(files)
  }

  private func truncate(on machine: Machine, _ random: inout SplitMix) {
    guard let index = wanted(by: machine, &random) else { return }
    let count = random.below(syncer.files[index].bytes.count)
    note("    it gets \(count) bytes of \(ledger.name(of: syncer.files[index]))")
    syncer.deliver(index, to: machine, cutTo: count)
  }

  /// Lets a file that was cut grow in its place, also while it is being read.
  private func grow(on machine: Machine, _ random: inout SplitMix) {
    let partial = syncer.replicas[machine.number].partial.sorted()
    guard !partial.isEmpty else { return }
    let index = random.pick(partial)
    let file = syncer.files[index]
    guard let present = machine.files.bytes(at: file.path), file.bytes.starts(with: present)
    else { return }
    let rest = file.bytes.dropFirst(present.count)
    let isWhole = random.chance(60)
    let part = isWhole ? Array(rest) : Array(rest.prefix(random.below(rest.count + 1)))
    note("    \(ledger.name(of: file)) grows by \(part.count) bytes")
    if isWhole, random.chance(50) {
      machine.files.appendDuringNextRead(part, to: file.path)
    } else {
      machine.files.append(part, to: file.path)
    }
  }

  /// Delivers a file under another name, or all of a device's into another directory.
  private func duplicate(on machine: Machine, _ random: inout SplitMix) {
    guard !syncer.files.isEmpty else { return }
    let chosen = syncer.files[random.below(syncer.files.count)]
    guard random.chance(60) else {
      let directory = "\(chosen.directory.string) (1)"
      for file in syncer.files where file.author == chosen.author && random.chance(80) {
        put(file.bytes, directory: directory, name: file.name.string, on: machine)
      }
      return note("    device \(chosen.author)'s directory comes twice")
    }
    let name = "\(chosen.name.stem).sync-conflict-20260101-010203-ABCDEFG.log"
    put(chosen.bytes, directory: chosen.directory.string, name: name, on: machine)
    note("    \(ledger.name(of: chosen)) comes under the name of a conflict")
  }

  private func makeJunk(on machine: Machine, _ random: inout SplitMix) {
    let directory = random.pick(machines).ownDirectory.string
    switch random.below(5) {
    case 0: put([1, 2, 3], directory: directory, name: "notes.txt", on: machine)
    case 1: put([], directory: directory, name: "empty.log", on: machine)
    case 2: put([0x89, 0x46], directory: "lost+found", name: "x.log", on: machine)
    case 3:
      machine.files.putSpecial(
        machine.container.logs.appending(directory).appending("fifo.log"), kind: .fifo)
    default:
      machine.files.putLink(
        machine.container.logs.appending(directory).appending("link.log"), to: "/machine")
    }
  }

  /// Puts something else under the name of a file that is still to come.
  private func makeImpostor(on machine: Machine, _ random: inout SplitMix) {
    guard let index = wanted(by: machine, &random) else { return }
    var bytes = syncer.files[index].bytes
    if random.chance(60) {
      bytes = random.pick(syncer.files).bytes
    } else {
      bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
    }
    note("    something else has the name of \(ledger.name(of: syncer.files[index]))")
    machine.files.put(syncer.files[index].path, bytes)
  }

  /// Puts something else under the name that the device's next file will have: what a crash and an
  /// old copy of the folder can leave there.
  private func makeOwnImpostor(on machine: Machine, _ random: inout SplitMix) throws {
    guard machine.place == .home, let batch = try machine.database.nextBatch() else { return }
    let (bytes, digest) = SegmentFile.encode(batch.segment)
    let name = SegmentName(first: batch.first, last: batch.last, digest: digest).text
    let count = random.below(bytes.count)
    // It may have been published before a crash; what others have by now does not become another.
    guard !syncer.knows(name, in: machine.ownDirectory) else { return }
    note("    something has the name of its next file")
    put(Array(bytes.prefix(count)), directory: machine.ownDirectory.string, name: name, on: machine)
  }

  /// Takes files away, as one does who delivers a deletion before the creation.
  private func lose(from machine: Machine, _ random: inout SplitMix) throws {
    try pickUp(from: machine)
    for index in syncer.replicas[machine.number].complete.sorted() where random.chance(25) {
      note("    \(ledger.name(of: syncer.files[index])) goes")
      syncer.lose(index, from: machine)
    }
  }

  /// Brings the folder back to what it was when it had the first so many files.
  private func rollBack(_ machine: Machine, _ random: inout SplitMix) throws {
    try pickUp(from: machine)
    loseNewest(on: machine, &random)
  }

  /// The same with what nobody else has, which only healing brings back.
  private func forget(_ machine: Machine, _ random: inout SplitMix) throws {
    // What the database does not know either would be gone.
    guard !machine.lacksItsFolder else { return try rollBack(machine, &random) }
    for path in syncer.unseen(on: machine) where random.chance(70) {
      note("    \(path) goes, which nobody else has")
      machine.files.removeTree(path)
      machine.owesItsFolder = true
    }
    if random.chance(50) { loseNewest(on: machine, &random) }
  }

  private func loseNewest(on machine: Machine, _ random: inout SplitMix) {
    let kept = random.below(syncer.files.count + 1)
    note("    its folder is as it was \(syncer.files.count - kept) files ago")
    for index in syncer.replicas[machine.number].complete.sorted() where index >= kept {
      syncer.lose(index, from: machine)
    }
  }

  private func put(_ bytes: [UInt8], directory: String, name: String, on machine: Machine) {
    machine.files.put(
      machine.container.logs.appending(directory).appending(name), bytes)
  }
}
