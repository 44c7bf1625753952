import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// What users take back.
extension World {
  /// Undoes a transaction of some document's, mostly the last.
  func undo(on machine: Machine, _ random: inout SplitMix) throws {
    let key = self.key(&random)
    let recorded = try machine.database.readSnapshot { try $0.events(of: key) }
    guard recorded.missing.isEmpty else {
      throw Finding(
        "device \(machine.number) does not keep the history of \(key.id): of"
          + " \(recorded.missing)")
    }
    let changes = recorded.history(of: key).changes
    guard let last = changes.last else { return }
    let chosen = random.chance(60) ? last : random.pick(changes)
    let tip = chosen.header.tip
    // What it did only the newer program could say.
    guard tip.stream != Forerunner.stream else { return }
    let name = "\(tip.stream):\(tip.sequence):\(tip.fingerprint)"
    if let start = recorded.start, chosen.header.time <= start {
      return try checkForgotten(name, on: machine)
    }
    let former = try bodies(on: machine)
    let known = try machine.claimable()
    let conflicts = try conflicts(on: machine)
    let unfounded = try unfounded(on: machine)
    let waiting = try machine.database.counts().pendingRemovals
    let isForced = random.chance(20)
    let undone = try undone(name, isForced: isForced, on: machine)
    guard let (result, left) = undone else { return }
    note("    \(isForced ? "in any case " : "")undoes \(tip.sequence) of \(tip.stream)")
    for left in left { note("    and leaves \(left.document.id)\(left.path)") }
    let edits = try edits(from: former, by: result, isForced: isForced, on: machine)
    for edit in edits { note("    \(edit.kind) \(edit.key.id): \(edit.after?.canonical ?? "-")") }
    try promise(edits, on: machine, result: result, seen: known, conflicts: conflicts)
    try checkUnfounded(unfounded, on: machine)
    // Where a statement waits, an original that came after it may tell of what never showed.
    let isClear =
      try machine.database.frontier().open.isEmpty && waiting == 0
      && !machine.database.hasWaitingStatements()
    guard chosen.header.tip == last.header.tip, left.isEmpty, isClear, conflicts[key] == nil else {
      return
    }
    try checkUndone(key, recorded, tip, on: machine)
  }

  /// Nil where it is not known any more what was before.
  private func undone(
    _ name: String, isForced: Bool, on machine: Machine
  ) throws -> (result: StoreWriter.Result, left: [StoreWriter.LeftAlone])? {
    do {
      return try machine.database.undo(
        name, isForced: isForced, now: machine.device.ambient.time,
        nonce: machine.device.nonce)
    } catch HistoryError.forgotten {
      note("    what was before \(name) is forgotten")
      return nil
    }
  }

  /// What came before the moment from which on history is whole is not taken back: what it changed
  /// may have been dropped.
  private func checkForgotten(_ name: String, on machine: Machine) throws {
    do {
      _ = try machine.database.undo(
        name, now: machine.device.ambient.time, nonce: machine.device.nonce)
    } catch HistoryError.forgotten {
      return note("    \(name) is forgotten")
    }
    throw Finding("device \(machine.number) undoes what it may not know any more")
  }

  /// Where nothing came after it, and nothing competes, it is as before.
  private func checkUndone(
    _ key: DocumentKey, _ recorded: RecordedEvents, _ tip: Context.Entry, on machine: Machine
  ) throws {
    let rest = (recorded.events[key] ?? []).filter { $0.header.tip != tip }
    let wanted = DocumentState(of: rest, lineage: recorded.lineage).view().json
    let shown = try bodies(on: machine)[key]
    guard shown == wanted else {
      throw Finding(
        "device \(machine.number) has undone \(key.id), which was \(wanted?.canonical ?? "absent"),"
          + " and \(shown?.canonical ?? "nothing") shows")
    }
  }

  private func bodies(on machine: Machine) throws -> [DocumentKey: JSON] {
    var bodies: [DocumentKey: JSON] = [:]
    for key in allKeys {
      bodies[key] = try machine.database.document(at: key).map { try JSON(parsing: $0.body) }
    }
    return bodies
  }

  /// What an undo did to each document, told as users' edits: what it did to counters and sets as
  /// such, and the rest before that.
  private func edits(
    from former: [DocumentKey: JSON], by result: StoreWriter.Result, isForced: Bool,
    on machine: Machine
  ) throws -> [Edit] {
    let latter = try bodies(on: machine)
    let documents = try machine.database.keptDocuments()
    return allKeys.flatMap { key -> [Edit] in
      let (before, after) = (former[key], latter[key])
      let written = documents.first { $0.key == key }?.state.entries.filter {
        $0.stamp.dot.stream == result.stream && $0.stamp.dot.sequence == result.sequence
      }
      let whole = Edit(kind: after == nil ? .delete : .put, key: key, before: before, after: after)
      // What shows beside a delete is written whole, so that it comes back to stay.
      guard before != after else { return written?.isEmpty ?? true ? [] : [whole] }
      guard let before, let after, result.sequence != nil else { return [whole] }
      return Self.edits(of: key, from: before, to: after, by: written ?? [], isForced: isForced)
    }
  }

  private static func edits(
    of key: DocumentKey, from before: JSON, to after: JSON, by written: [DocumentState.Entry],
    isForced: Bool
  ) -> [Edit] {
    var edits: [Edit] = []
    var present = before
    // What was begun anew is a value like any other.
    let anew = Set(
      written.filter { $0.effect.kind.carriesValue }.filter {
        $0.effect.kind != .increment && $0.effect.kind != .add
      }.map(\.effect.path.keys))
    let paths: [[ByteString]] = [["n"], ["s"], ["a", "n"], ["a", "s"]]
    let kinds = paths.filter { path in
      !steps(at: path, from: before, to: after).isEmpty && !anew.contains { path.starts(with: $0) }
        && written.contains { $0.effect.path.keys.starts(with: path) }
    }
    var middle = after
    for path in kinds {
      middle = middle.replacing(path[...], by: before.value(at: path) ?? .null)
    }
    // What is put back in any case was chosen, also where it showed, with something else beside it.
    let chosen = written.map(\.effect.path.keys).filter { keys in
      isForced && !keys.isEmpty && !kinds.contains { keys.starts(with: $0) }
    }
    let named = named(before, middle).union(chosen.map { Array($0.prefix(1)) })
    if middle != before || !named.isEmpty {
      edits.append(Edit(kind: .patch, key: key, before: before, after: middle, named: named))
      present = middle
    }
    for path in kinds {
      for (kind, value) in steps(at: path, from: before, to: after) {
        let next = present.replacing(path[...], by: value)
        edits.append(
          Edit(
            kind: kind, key: key, before: present, after: next, named: [Array(path.prefix(1))]))
        present = next
      }
    }
    return edits
  }

  /// The top-level members that differ.
  private static func named(_ before: JSON, _ after: JSON) -> Set<[ByteString]> {
    guard case (.object(let old), .object(let new)) = (before, after) else { return [] }
    let keys = Set((old.members + new.members).map(\.key))
    return Set(keys.filter { old[$0] != new[$0] }.map { [$0] })
  }

  private static func steps(
    at path: [ByteString], from before: JSON, to after: JSON
  ) -> [(Promise.Kind, JSON)] {
    switch (before.value(at: path), after.value(at: path)) {
    case (.integer(let old)?, .integer(let new)?):
      return [(.increment(path, new &- old), .integer(new))]
    case (.array(let old)?, .array(let new)?):
      let (removed, added) = (Set(old).subtracting(new), Set(new).subtracting(old))
      let kept = old.filter { !removed.contains($0) }
      return (removed.isEmpty ? [] : [(.remove(path, removed), .array(kept))])
        + (added.isEmpty ? [] : [(.add(path, added), .array(new))])
    default: return []
    }
  }
}

extension JSON {
  /// The same with another value at a path where one stands.
  fileprivate func replacing(_ path: ArraySlice<ByteString>, by value: JSON) -> JSON {
    guard let key = path.first else { return value }
    guard case .object(var object) = self, let member = object[key] else { return self }
    object[key] = member.replacing(path.dropFirst(), by: value)
    return .object(object)
  }
}
