import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// What must hold once everything has arrived everywhere.
extension World {
  func checkEverything() throws {
    try checkPositions()
    let kept = try machines.map { machine in
      try (machine, machine.database.keptDocuments(), dump(of: machine))
    }
    guard let first = kept.first else { return }
    for (machine, documents, _) in kept {
      try checkRows(documents, on: machine)
      if isCompacting { try checkCounted(documents, on: machine) }
    }
    for (machine, documents, dump) in kept.dropFirst() {
      guard dump == first.2 else {
        throw Finding(
          "devices 0 and \(machine.number) differ:\n\(first.2)\nand\n\(dump)")
      }
      try compare(documents, of: machine, with: first.1)
    }
    for key in allKeys {
      let document = first.1.first { $0.key == key }
      try checkAgainstModel(key, document)
      try promises.check(key, outcome(document), ledger)
      try promises.checkStarts(of: key, ledger)
    }
    if isTravelling { try checkRevived(first.1) }
    try checkGlimpses()
    if isCompacting { try checkNewcomer(first.2) }
  }

  func dump(of machine: Machine) throws -> String {
    var lines: [String] = []
    try machine.database.forEachDocument { key, body in
      lines.append("\(key.collection)/\(key.id) \(String(decoding: body, as: UTF8.self))")
    }
    return lines.joined(separator: "\n")
  }

  /// What SQL sees of a document, and what is counted of it, is what its operations come to.
  func checkRows(_ documents: [StoreDatabase.KeptDocument], on machine: Machine) throws {
    for document in documents {
      let view = document.state.view()
      let queried = document.queriedBody.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
      guard document.queriedBody == view.body, document.isVisible == view.isVisible else {
        throw Finding(
          "queries on device \(machine.number) see \(document.key.id) as \(queried)")
      }
      guard document.conflictCount == view.conflictCount else {
        throw Finding(
          "device \(machine.number) counts \(document.conflictCount) conflicts in"
            + " \(document.key.id), and \(view.conflictCount) are there")
      }
    }
  }

  /// All is applied, closed and published.
  private func checkPositions() throws {
    guard ledger.early.isEmpty else {
      throw Finding("\(ledger.early.count) files build on what nobody has published")
    }
    if let lost = promises.unpublished(ledger).first {
      throw Finding("device \(lost.device) never published what it acknowledged, \(lost.number)")
    }
    let wanted = ledger.everything
    var names = StreamNames()
    for machine in machines {
      let frontier = try machine.database.frontier()
      let applied = ledger.known(of: frontier.applied)
      guard ledger.vector(of: frontier.applied) == wanted else {
        throw Finding(
          "device \(machine.number) has applied \(applied), and \(wanted) was published")
      }
      try names.compare(machine, copied: ledger.copied)
      try checkGivenUp(on: machine)
      guard ledger.vector(of: frontier.closed) == wanted, frontier.open.isEmpty else {
        throw Finding("device \(machine.number) has not closed what has arrived")
      }
      // Who takes a file for another's that is its own changes streams without end.
      guard
        (1 + machine.recoveries...1 + machine.recoveries + revivals(by: machine))
          .contains(machine.streams.count)
          || machine.streams.contains(where: ledger.copied.contains)
      else { throw Finding("device \(machine.number) takes itself for a copy") }
      let counts = try machine.database.counts()
      guard counts.unpublished == 0, counts.pendingRemovals == 0 else {
        throw Finding(
          "device \(machine.number) still has \(counts.unpublished) transactions to publish and"
            + " \(counts.pendingRemovals) removals that wait")
      }
    }
  }

  /// How many streams a device may have begun to write documents anew that others had forgotten.
  private func revivals(by machine: Machine) -> Int {
    machine.streams.count { stream in
      ledger.authors.contains { $0.isOf(stream) && $0.transactions.first?.isRevival == true }
    }
  }

  private func compare(
    _ documents: [StoreDatabase.KeptDocument], of machine: Machine,
    with first: [StoreDatabase.KeptDocument]
  ) throws {
    let other = Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0) })
    for document in documents {
      let mine = document.state.uncoveredEntries
      let theirs = other[document.key]?.state.uncoveredEntries ?? []
      guard document.conflictCount == other[document.key]?.conflictCount ?? 0 else {
        throw Finding(
          "devices 0 and \(machine.number) count different conflicts of \(document.key.id)")
      }
      guard
        document.conflictCount == 0
          || other[document.key]?.state.conflicts() == document.state.conflicts()
      else {
        throw Finding(
          "devices 0 and \(machine.number) list different conflicts of \(document.key.id)")
      }
      let isSame = mine.elementsEqual(theirs) { $0.stamp == $1.stamp && $0.effect == $1.effect }
      guard isSame else {
        throw Finding(
          "devices 0 and \(machine.number) keep different operations of \(document.key.id)")
      }
    }
  }

  private func checkAgainstModel(
    _ key: DocumentKey, _ document: StoreDatabase.KeptDocument?
  ) throws {
    let model = PlainModel(
      operations: ledger.operations(on: key), dropped: Set(ledger.dropped.keys))
    try checkDropped(key)
    let wanted = model.shown()
    let view = document?.state.view()
    guard view?.json == wanted.body else {
      throw Finding(
        "\(key.id) shows \(view?.json?.canonical ?? "nothing"), by the model"
          + " \(wanted.body?.canonical ?? "nothing")")
    }
    let listed = document.map { $0.conflictCount == 0 ? 0 : $0.state.conflicts().count } ?? 0
    guard document?.conflictCount ?? 0 == wanted.conflictCount, listed == wanted.conflictCount
    else {
      throw Finding(
        "\(key.id) has \(document?.conflictCount ?? 0) conflicts, by the model"
          + " \(wanted.conflictCount)")
    }
    guard document?.isVisible ?? false == (wanted.body != nil) else {
      throw Finding("the row of \(key.id) says wrongly whether it shows")
    }
    guard
      Set(document?.state.uncoveredEntries.map { ledger.dot(of: $0.stamp) } ?? [])
        == Set(model.kept.map(\.dot))
    else { throw Finding("other operations of \(key.id) are kept than by the model") }
  }

  /// Who edited a document that others had forgotten has written it anew, unless its database was
  /// lost or put back before, or another took its place in which its streams are others', or it is
  /// the pretended newer program, which never does.
  private func checkRevived(_ documents: [StoreDatabase.KeptDocument]) throws {
    guard figures.copies == 0, figures.recoveries == 0, figures.skips == 0 else { return }
    for document in documents {
      let isWithout = document.state.conflicts().contains { $0.kind == .missingInsert }
      let isExcused = document.state.editsWithoutInsert.allSatisfy {
        Forerunner.wrote($0) || ledger.salvaged.contains($0.stamp.dot.stream)
      }
      guard !isWithout || isExcused else {
        throw Finding("\(document.key.id) is without its insert, and whoever edited it is there")
      }
    }
  }

  private func outcome(_ document: StoreDatabase.KeptDocument?) -> Promises.Outcome {
    Promises.Outcome(
      shown: document?.state.view().json, conflictCount: document?.conflictCount ?? 0,
      listed: (document?.state.conflicts() ?? []).leaves,
      revived: Set(
        (document?.state.uncoveredEntries ?? []).filter { ledger.isRevival($0.stamp) }
          .map(\.effect.path.keys)))
  }
}

extension [DocumentConflict] {
  /// All that is in the values that are listed, by where it would stand.
  var leaves: Set<Promise.Leaf> {
    Set(
      flatMap { conflict in
        conflict.values.compactMap(\.content).flatMap { content in
          ((try? JSON(parsing: content)) ?? .null).leaves.map { leaf in
            Promise.Leaf(path: conflict.path.keys + leaf.path, value: leaf.value)
          }
        }
      })
  }
}

extension DocumentState {
  /// What no write covers; what one covers may still be kept until the document is next written.
  var uncoveredEntries: [Entry] { uncovered.map { entries[$0] } }

  /// The values of which what made the document that they edit is not kept.
  fileprivate var editsWithoutInsert: [Entry] {
    let uncovered = uncoveredEntries.filter(\.effect.kind.carriesValue)
    let stamps = Set(uncovered.map(\.stamp.dot))
    return uncovered.filter { !stamps.contains($0.effect.insert) }
  }
}

/// What devices call each other: the same everywhere.
private struct StreamNames {
  private var known: [StreamID: (name: String?, machine: Int)] = [:]

  mutating func compare(_ machine: Machine, copied: Set<StreamID>) throws {
    for summary in try machine.database.streamSummaries() where !summary.tips.isEmpty {
      // Two who write under one stream, and have not met, each go by their own name.
      if summary.isOwn, copied.contains(summary.stream) { continue }
      guard let other = known[summary.stream] else {
        known[summary.stream] = (summary.name, machine.number)
        continue
      }
      guard other.name == summary.name else {
        throw Finding(
          "device \(machine.number) calls \(summary.stream) \(summary.name ?? "nothing"), and"
            + " device \(other.machine) \(other.name ?? "nothing")")
      }
    }
  }
}
