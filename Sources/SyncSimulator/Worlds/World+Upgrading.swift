import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// Devices that get a newer program, and what only that understands (protocol.md 17).
///
/// Until then a device keeps what it does not understand, claims none of it, and lets nobody write
/// there; with the newer program it goes on as if it had always had that.
extension World {
  /// Whether there is a newer program in this history.
  var isUpgrading: Bool {
    history.steps.contains { [.upgrade, .innovate].contains($0.kind) }
  }

  /// Lets somebody with the newer program write, whose file comes by way of a device.
  func innovate(besides machine: Machine, _ random: inout SplitMix) throws {
    var author = forerunner ?? Forerunner(life: Life(number: newLife()))
    let work = try author.write(
      about: key(&random), in: marker.container, wall: time.wall(of: machine.number), ledger,
      &random)
    forerunner = author
    guard let work else { return }
    let (header, number) = (work.header, promises.count)
    note("    something newer is written to \(work.document.id), as \(header.sequence)")
    syncer.add(
      work.bytes, name: work.name, in: Forerunner.directory, of: marker.container,
      byWayOf: machine.number)
    let tips = ledger.authors.compactMap { $0.transactions.last?.entry }
    try ledger.take(
      work.bytes, by: Ledger.Had(applied: [Context(tips)], givenUp: [:], isUpgraded: true))
    figures.innovations += 1
    // An edit that changes nothing that shows; but a deletion beside it is undone.
    promises.add(
      Promise(
        kind: .remark(work.path), document: work.document, device: machine.number,
        life: author.life, number: number, group: number,
        transaction: Promise.Written(sequence: Int(header.sequence), tip: header.tip),
        seen: header.context, present: header.context, before: work.body, after: work.body,
        settled: .nothing, waits: false, givenUp: nil, offered: nil, wasDisputed: false,
        isWhole: false))
  }

  /// Gives a device the newer program.
  func upgrade(_ machine: Machine, _ random: inout SplitMix) throws {
    guard !machine.isUpgraded else { return }
    try machine.upgrade(&random)
    figures.upgrades += 1
    try machine.run {
      guard try machine.database.counts().newerTransactions == 0 else {
        throw Finding("device \(machine.number) does not take in what its program understands")
      }
      try checkRows(machine.database.keptDocuments(), on: machine)
    }
  }

  /// Everybody has the newer program in the end.
  func finishUpgrades() throws {
    guard isUpgrading else { return }
    for machine in machines {
      var random = SplitMix(seed: history.seed ^ UInt64(machine.number) ^ 0x09_6ADE)
      try upgrade(machine, &random)
    }
  }

  /// A write is refused where something is that only a newer program understands, and only there.
  func checkRefused(_ key: DocumentKey, at path: Path, on machine: Machine) throws {
    note("    which is refused for what is at \(path) of \(key.id)")
    figures.refusedToOlder += 1
    let document = try machine.database.keptDocuments().first { $0.key == key }
    let isThere = document?.state.entries.contains {
      $0.effect.kind == Forerunner.remark && $0.effect.path == path
    }
    guard !machine.isUpgraded, isThere == true else {
      throw Finding("device \(machine.number) refuses to write to \(path) of \(key.id)")
    }
  }

  /// Where something is that only the newer program understands, as a device says that has another.
  func newerPaths(on machine: Machine) throws -> [DocumentKey: [[ByteString]]] {
    guard isUpgrading, !machine.isUpgraded else { return [:] }
    return try allKeys.reduce(into: [:]) { paths, key in
      paths[key] = try machine.database.document(at: key)?.newerPaths.map(\.keys)
    }
  }

  /// Nobody writes over that but by deleting the document.
  func checkLeftAlone(
    _ newer: [DocumentKey: [[ByteString]]], by edits: [Edit], on machine: Machine
  ) throws {
    var newer = newer
    for edit in edits {
      guard edit.kind != .delete else {
        newer[edit.key] = nil
        continue
      }
      for path in newer[edit.key] ?? [] where edit.touches(path) {
        throw Finding(
          "device \(machine.number) writes over what it does not understand, at"
            + " \(path.map { "/\($0)" }.joined()) of \(edit.key.id)")
      }
    }
  }
}

extension World.Edit {
  /// Whether it changes what shows at a path or below it, or what the path goes through.
  fileprivate func touches(_ path: [ByteString]) -> Bool {
    guard before?.value(at: path) == after?.value(at: path) else { return true }
    return path.indices.contains { index in
      let above = Array(path[..<index])
      if case (.object?, .object?) = (before?.value(at: above), after?.value(at: above)) {
        return false
      }
      return before?.value(at: above) != after?.value(at: above)
    }
  }
}

extension Machine {
  /// Has its program do something, whichever it is by now; also in a step of a device that has
  /// another.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let understood = isUpgraded ? Forerunner.understood : .known
    return try KindCodes.$understood.withValue(understood, operation: body)
  }
}
