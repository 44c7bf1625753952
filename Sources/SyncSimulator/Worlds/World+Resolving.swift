import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// What users do about conflicts: they choose a value, or write what they want.
extension World {
  func resolve(on machine: Machine, _ random: inout SplitMix) throws {
    let conflicts = try conflicts(on: machine)
    guard !conflicts.isEmpty else { return }
    let key = random.pick(conflicts.keys.sorted())
    let isChosen = random.chance(55)
    do {
      try settle(key, on: machine, &random) { writer, random in
        isChosen
          ? try self.choose(key, &writer, &random)
          : try self.edit(key, &writer, on: machine, &random)
      }
    } catch ConflictError.settlesMore(_, let path, let others) {
      try checkRefusal(key, at: path, others: others, on: machine)
      guard random.chance(50) else { return }
      // The way out that the message names.
      try settle(key, on: machine, &random) { writer, random in
        try self.choose(key, &writer, byWhatShows: true, &random)
      }
    }
  }

  /// Settles a conflict by a value of the user's own.
  func decide(on machine: Machine, _ random: inout SplitMix) throws {
    let conflicts = try conflicts(on: machine)
    guard !conflicts.isEmpty else { return }
    let key = random.pick(conflicts.keys.sorted())
    let path = random.pick(Set((conflicts[key] ?? []).map(\.path)).sorted())
    let value = path.isRoot ? random.document(.telling) : .integer(Int64(random.next() >> 16))
    do {
      try settle(key, on: machine, &random) { writer, _ in
        let before = try writer.body(at: key).map { try JSON(parsing: $0) }
        let listed = try writer.conflicts(of: key)
        try writer.resolve(key, at: path, by: .value(value))
        let after = try writer.body(at: key).map { try JSON(parsing: $0) }
        note("    decides at \(path) of \(key.id): \(after?.canonical ?? "-")")
        try checkChosen(value.canonicalBytes(), at: path, in: after)
        return Edit(
          kind: .put, key: key, before: before, after: after,
          settled: path.isRoot ? .document : .paths([path.keys]),
          offered: listed.leaves.union(before?.promisedLeaves ?? []))
      }
    } catch ConflictError.settlesMore(_, let path, let others) {
      try checkRefusal(key, at: path, others: others, on: machine)
    }
  }

  private func settle(
    _ key: DocumentKey, on machine: Machine, _ random: inout SplitMix,
    _ write: (inout StoreWriter, inout SplitMix) throws -> Edit?
  ) throws {
    let known = try machine.claimable()
    let conflicts = try conflicts(on: machine)
    let unfounded = try unfounded(on: machine)
    var edit: Edit?
    let result = try machine.database.writeDocuments(
      now: machine.device.ambient.time, nonce: machine.device.nonce,
      isPublishedAtOnce: random.chance(70)
    ) { writer in
      edit = try write(&writer, &random)
    }
    guard let edit else { return }
    try promise([edit], on: machine, result: result, seen: known, conflicts: conflicts)
    try checkResolved(edit, of: conflicts[key] ?? [], on: machine)
    try checkUnfounded(
      unfounded.filter { edit.settled != .document || $0.key != key }, on: machine)
  }

  /// What would settle other conflicts is refused, and only that: where a delete was undone, or
  /// something above the path has to be written whole, or to become an object, or to show at all.
  private func checkRefusal(
    _ key: DocumentKey, at path: Path, others: [Path], on machine: Machine
  ) throws {
    note("    to choose at \(path) would settle \(others)")
    figures.refused += 1
    let listed = try conflicts(on: machine)[key] ?? []
    let document = try machine.database.keptDocuments().first { $0.key == key }
    let isWhole = (document?.state.view().root?.subtree ?? []).contains { node in
      path.isAtOrBelow(node.path)
        && (node.isConflicted || node.isUnfounded || node.path != path && !node.isObject)
    }
    let isInDoubt = listed.contains { conflict in
      conflict.kind == .doubtful && conflict.path != path && path.isAtOrBelow(conflict.path)
    }
    guard isWhole || isInDoubt || listed.contains(where: { $0.kind == .delete }),
      !others.isEmpty, Set(others).isSubset(of: listed.map(\.path))
    else { throw Finding("to choose at \(path) of \(key.id) is refused for \(others)") }
  }

  /// Settles one of a document's conflicts by a value that is listed, or all by what shows.
  private func choose(
    _ key: DocumentKey, _ writer: inout StoreWriter, byWhatShows: Bool = false,
    _ random: inout SplitMix
  ) throws -> Edit? {
    let before = try writer.body(at: key).map { try JSON(parsing: $0) }
    let listed = try writer.conflicts(of: key)
    for conflict in listed { note("    \(conflict.summary) is listed of \(key.id)") }
    let paths = Set(listed.map(\.path)).sorted()
    guard !paths.isEmpty else { throw Finding("\(key.id) is counted as a conflict") }
    let path = byWhatShows || random.chance(30) ? nil : random.pick(paths)
    let values = listed.filter { path == nil || $0.path == path }.flatMap(\.values)
    // Only what shows can be chosen for several places at once.
    let isFirst = byWhatShows || path == nil && paths.count > 1
    let number = isFirst ? 1 : 1 + random.below(values.count)
    try writer.resolve(key, at: path, by: .listed(number))
    let after = try writer.body(at: key).map { try JSON(parsing: $0) }
    note(
      "    chooses \(number) at \(path.map(\.description) ?? "all") of \(key.id):"
        + " \(after?.canonical ?? "-")")
    let isWhole = path?.isRoot ?? paths.contains { $0.isRoot }
    var settled = Promise.Settled.everythingSeen
    if isWhole {
      settled = .document
    } else if let path = path ?? (paths.count == 1 ? paths[0] : nil) {
      settled = .paths([path.keys])
    }
    if path != nil || paths.count == 1 {
      try checkChosen(values[number - 1].content, at: path ?? paths[0], in: after)
    }
    return Edit(
      kind: after == nil ? .delete : .put, key: key, before: before, after: after,
      settled: settled, offered: listed.leaves.union(before?.promisedLeaves ?? []))
  }

  private func checkChosen(_ content: [UInt8]?, at path: Path, in after: JSON?) throws {
    let wanted = try content.map { try JSON(parsing: $0) }
    let shown = path.isRoot ? after : after?.value(at: path.keys)
    guard shown == wanted else {
      throw Finding(
        "\(wanted?.canonical ?? "absence") was chosen at \(path), and"
          + " \(shown?.canonical ?? "nothing") shows")
    }
  }

  /// What was settled is listed no more, unless a removal waits for what is missing; the rest is.
  ///
  /// - parameter before: what was listed of the document.
  private func checkResolved(
    _ edit: Edit, of before: [DocumentConflict], on machine: Machine
  ) throws {
    guard edit.settled != .nothing, try machine.database.frontier().open.isEmpty,
      try machine.database.counts().pendingRemovals == 0
    else { return }
    let rest = try machine.database.readSnapshot { try $0.conflicts(of: edit.key) }
    var listed = rest.first
    if case .paths(let paths) = edit.settled {
      listed = rest.first { paths.contains($0.path.keys) }
      let others = before.filter { conflict in
        // Whoever chooses a value of a member wants the document.
        !(conflict.path.isRoot && conflict.kind == .delete)
          && !paths.contains { conflict.path.keys.starts(with: $0) }
      }
      if let other = others.first(where: { other in !rest.contains { $0.path == other.path } }) {
        throw Finding("device \(machine.number) settled \(edit.key.id) at \(other.path) unasked")
      }
    }
    if let listed {
      throw Finding(
        "device \(machine.number) settled \(edit.key.id), and \(listed.kind.rawValue) is listed at"
          + " \(listed.path) with \(listed.values.count) values")
    }
  }
}

extension DocumentView.Node {
  fileprivate var isObject: Bool { if case .object = content { true } else { false } }
}

extension DocumentConflict {
  fileprivate var summary: String {
    let contents = values.map { value in
      value.content.map { String(decoding: $0, as: UTF8.self) } ?? "absence"
    }
    return "\(kind.rawValue) at \(path) between " + contents.joined(separator: " and ")
  }
}
