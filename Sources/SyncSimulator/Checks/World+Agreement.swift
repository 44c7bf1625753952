import CanonicalJSON
import DocumentStorage
import Replication

/// What must hold once everything has arrived everywhere.
extension World {
  func checkEverything() throws {
    try checkPositions()
    let kept = try machines.map { machine in
      try (machine, machine.database.keptDocuments(), dump(of: machine))
    }
    guard let first = kept.first else { return }
    for (machine, documents, dump) in kept.dropFirst() {
      guard dump == first.2 else {
        throw Finding(
          "devices 0 and \(machine.number) differ:\n\(first.2)\nand\n\(dump)")
      }
      try compare(documents, of: machine, with: first.1)
    }
    for key in keys {
      let document = first.1.first { $0.key == key }
      try checkAgainstModel(key, document)
      try promises.check(key, outcome(document))
    }
    try checkGlimpses()
  }

  private func dump(of machine: Machine) throws -> String {
    var lines: [String] = []
    try machine.database.forEachDocument { key, body in
      lines.append("\(key.collection)/\(key.id) \(String(decoding: body, as: UTF8.self))")
    }
    return lines.joined(separator: "\n")
  }

  /// All is applied, closed and published.
  private func checkPositions() throws {
    let wanted = ledger.published.map(\.count)
    let names = try machines.first.map { try self.names(on: $0) }
    for machine in machines {
      let applied = try applied(on: machine)
      guard applied == wanted else {
        throw Finding(
          "device \(machine.number) has applied \(applied), and \(wanted) was published")
      }
      guard try self.names(on: machine) == names else {
        throw Finding("devices 0 and \(machine.number) know different names")
      }
      let frontier = try machine.database.frontier()
      guard frontier.closed == frontier.applied, frontier.open.isEmpty else {
        throw Finding("device \(machine.number) has not closed what has arrived")
      }
      let counts = try machine.database.counts()
      guard counts.unpublished == 0, counts.pendingRemovals == 0 else {
        throw Finding(
          "device \(machine.number) still has \(counts.unpublished) transactions to publish and"
            + " \(counts.pendingRemovals) removals that wait")
      }
    }
  }

  /// The names of the devices that have written.
  private func names(on machine: Machine) throws -> [String?] {
    try machine.database.streamSummaries().filter { $0.applied > 0 }.map(\.name)
  }

  private func compare(
    _ documents: [StoreDatabase.KeptDocument], of machine: Machine,
    with first: [StoreDatabase.KeptDocument]
  ) throws {
    let other = Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0) })
    for document in documents {
      let mine = document.state.entries
      let theirs = other[document.key]?.state.entries ?? []
      guard document.conflictCount == other[document.key]?.conflictCount ?? 0 else {
        throw Finding(
          "devices 0 and \(machine.number) count different conflicts of \(document.key.id)")
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
    let model = Model(ledger.operations(on: key))
    let wanted = model.shown()
    let view = document?.state.view()
    guard view?.json == wanted.body else {
      throw Finding(
        "\(key.id) shows \(view?.json?.canonical ?? "nothing"), by the model"
          + " \(wanted.body?.canonical ?? "nothing")")
    }
    guard document?.conflictCount ?? 0 == wanted.conflictCount else {
      throw Finding(
        "\(key.id) has \(document?.conflictCount ?? 0) conflicts, by the model"
          + " \(wanted.conflictCount)")
    }
    guard document?.isVisible ?? false == (wanted.body != nil) else {
      throw Finding("the row of \(key.id) says wrongly whether it shows")
    }
    guard Set(document?.state.entries.map { dot($0.stamp.dot) } ?? []) == Set(model.kept.map(\.dot))
    else { throw Finding("other operations of \(key.id) are kept than by the model") }
  }

  private func dot(_ dot: Dot) -> Model.Dot {
    Model.Dot(
      author: machines.firstIndex { $0.stream == dot.stream } ?? -1,
      sequence: Int(dot.sequence), index: Int(dot.index))
  }

  private func outcome(_ document: StoreDatabase.KeptDocument?) -> Promises.Outcome {
    let leaves = document?.state.entries.compactMap { entry in
      entry.effect.kind == .set
        ? Promise.Leaf(
          path: entry.effect.path.keys, value: Leaf(unchecked: entry.effect.payload).json) : nil
    }
    return Promises.Outcome(
      shown: document?.state.view().json, conflictCount: document?.conflictCount ?? 0,
      kept: Set(leaves ?? []))
  }
}
