import CanonicalJSON
import DocumentStorage
import FeedSync
import ReferenceModel
import Replication
import Syncing

/// What users do, each watched for whether it was done.
extension World {
  func use(_ machine: Machine, _ kind: Step.Kind, _ random: inout SplitMix) throws {
    do {
      switch kind {
      case .read: try read(key(&random), on: machine)
      case .writeOnRead: try writeOnRead(on: machine, &random)
      case .count, .collect: try write(on: machine, kinds: kind, &random)
      case .resolve: try resolve(on: machine, &random)
      case .decide: try decide(on: machine, &random)
      case .mix: try write(on: machine, count: 2 + random.below(5), mixes: true, &random)
      case .rename:
        let name = "device \(machine.number) \(random.below(1000))"
        _ = try machine.database.renameDevice(
          to: name, now: machine.device.ambient.time, nonce: machine.device.nonce)
      case .undo: try undo(on: machine, &random)
      case .insist: try insist(on: machine, &random)
      case .bulk: try write(on: machine, count: 8 + random.below(20), &random)
      case .answer: try write(on: machine, about: newest(on: machine), &random)
      default: try write(on: machine, &random)
      }
    } catch StorageError.newerOperations(let key, let path) {
      try checkRefused(key, at: path, on: machine)
    } catch {
      try excuse(error, of: machine, &random)
    }
  }

  /// Writes once on a device in whose step another one does something: what it refuses, it refuses
  /// for itself.
  func write(
    inStepOfAnother machine: Machine, about key: DocumentKey, deletes: Bool? = nil,
    _ random: inout SplitMix
  ) throws {
    do {
      try write(on: machine, about: key, count: 1, deletes: deletes, &random)
    } catch StorageError.newerOperations(let key, let path) {
      try checkRefused(key, at: path, on: machine)
    }
  }

  func key(_ random: inout SplitMix) -> DocumentKey {
    random.chance(50) ? keys[0] : random.pick(keys)
  }

  // MARK: Writing what is there now

  /// An edit as it was made, until it is known whether it was acknowledged.
  struct Edit {
    let kind: Promise.Kind
    let key: DocumentKey
    let before: JSON?
    let after: JSON?
    /// The members that it is about; nil for all.
    var named: Set<[ByteString]>?
    var settled = Promise.Settled.nothing
    /// What was in the values that it was chosen among.
    var offered: Set<Promise.Leaf>?
  }

  /// The document that others have written last, as far as it is here.
  private func newest(on machine: Machine) throws -> DocumentKey? {
    let newest = try machine.database.keptDocuments().compactMap { document in
      document.state.entries.lazy.map(\.stamp)
        .filter { !machine.streams.contains($0.dot.stream) }.max()
        .map { (key: document.key, stamp: $0) }
    }
    return newest.max { $0.stamp < $1.stamp }?.key
  }

  /// - parameters:
  ///   - kinds: `count` or `collect` for edits of counters or sets.
  ///   - chosen: the document; nil for any.
  ///   - wanted: how many edits it tries; nil for mostly one.
  ///   - mixes: whether some of them are edits of counters and sets.
  ///   - deletes: whether it deletes; nil for now and then.
  func write(
    on machine: Machine, kinds: Step.Kind? = nil, about chosen: DocumentKey? = nil,
    count wanted: Int? = nil, mixes: Bool = false, deletes: Bool? = nil, _ random: inout SplitMix
  ) throws {
    let known = try machine.claimable()
    let conflicts = try conflicts(on: machine)
    let unfounded = try unfounded(on: machine)
    // What has just come is deleted more often than anything: so more deletions have to wait.
    let isDeleting = deletes ?? (chosen != nil && random.chance(35))
    let frontier = try machine.database.frontier()
    let isOpen = !frontier.open.isEmpty
    let kept = try kept(on: machine, beside: frontier)
    let newer = try newerPaths(on: machine)
    var edits: [Edit] = []
    let count = wanted ?? (random.chance(75) ? 1 : 2 + random.below(2))
    let result = try machine.database.writeDocuments(
      now: machine.device.ambient.time, nonce: machine.device.nonce,
      isPublishedAtOnce: random.chance(70)
    ) { writer in
      for _ in 0..<count {
        let key = chosen ?? self.key(&random)
        let kinds = mixes ? random.pick([nil, .count, .collect]) : kinds
        let edit =
          if let kinds {
            try self.edit(kinds, key, &writer, on: machine, mayShowMore: isOpen, &random)
          } else {
            try self.edit(key, &writer, on: machine, isDeleting: isDeleting, &random)
          }
        if let edit { edits.append(edit) }
      }
    }
    try promise(edits, on: machine, result: result, seen: known, conflicts: conflicts)
    try checkUnfounded(unfounded, on: machine)
    try checkLeftAlone(newer, by: edits, on: machine)
    try checkMeanings(since: kept, frontier, on: machine)
    if !isOpen { try checkSettled(edits, conflicts, on: machine) }
  }

  /// Who puts a document has seen all that competes in it, and nothing of that is left.
  private func checkSettled(_ edits: [Edit], _ before: Conflicts, on machine: Machine) throws {
    guard try machine.database.counts().pendingRemovals == 0, machine.givenUp.isEmpty
    else { return }
    let after = try conflicts(on: machine)
    let settled: Set<DocumentConflict.Kind> = [.value, .structure, .delete]
    for edit in edits where edit.kind == .put {
      guard let listed = after[edit.key],
        Set((before[edit.key] ?? []).map(\.kind)).isSubset(of: settled)
      else { continue }
      throw Finding(
        "device \(machine.number) put \(edit.key.id), and \(listed[0].kind.rawValue) is listed at"
          + " \(listed[0].path)")
    }
  }

  func edit(
    _ key: DocumentKey, _ writer: inout StoreWriter, on machine: Machine,
    isDeleting: Bool = false, _ random: inout SplitMix
  ) throws -> Edit? {
    let before = try writer.body(at: key).map { try JSON(parsing: $0) }
    let kind: Promise.Kind
    let wanted: JSON?
    var named: Set<[ByteString]>?
    let result: StoreWriter.Edit
    switch isDeleting ? 0 : random.below(10) {
    case 0..<2:
      (kind, wanted) = (.delete, nil)
      result = try writer.delete(key)
      guard (result == .absent) == (before == nil) else {
        throw Finding("deleting \(key.id), which was \(before == nil ? "absent" : "there"), is odd")
      }
    case 2..<5:
      let patch = random.patch(.telling)
      kind = .patch
      if case .object(let members) = patch { named = Set(members.members.map { [$0.key] }) }
      wanted = (before ?? .object(JSONObject())).mergePatched(with: patch)
      result = try writer.patch(patch, at: key)
    default:
      let isNew = before == nil || random.chance(15)
      let body = isNew ? random.document(.telling) : random.edited(before ?? .null, .telling)
      (kind, wanted) = (.put, random.chance(90) ? body : before ?? body)
      result = try writer.put(wanted ?? body, at: key)
    }
    note("    \(kind) \(key.id): \(wanted?.canonical ?? "-"), which is \(result)")
    let after = try writer.body(at: key).map { try JSON(parsing: $0) }
    guard after == wanted else {
      throw Finding(
        "device \(machine.number) wrote \(wanted?.canonical ?? "nothing") to \(key.id), and"
          + " \(after?.canonical ?? "nothing") shows")
    }
    guard result != .stale else { throw Finding("a write on the present version is stale") }
    guard result == .changed else { return nil }
    return Edit(kind: kind, key: key, before: before, after: after, named: named)
  }

  typealias Conflicts = [DocumentKey: [DocumentConflict]]

  /// The documents that are in conflict, and how.
  func conflicts(on machine: Machine) throws -> Conflicts {
    var conflicts: Conflicts = [:]
    try machine.database.readSnapshot { snapshot in
      try snapshot.forEachConflicted { conflicts[$0] = $1 }
    }
    return conflicts
  }

  /// Records what was acknowledged.
  func promise(
    _ edits: [Edit], on machine: Machine, result: StoreWriter.Result, seen: Context,
    conflicts: Conflicts
  ) throws {
    let waiting = try waitingRemovals(on: machine)
    let written = try written(result, on: machine)
    let group = promises.count
    for edit in edits {
      let waits = waiting.contains(edit.key)
      if waits, edit.kind.isRemoval { figures.waiting += 1 }
      promises.add(
        Promise(
          kind: edit.kind, document: edit.key, device: machine.number, life: machine.life,
          number: promises.count, group: group,
          transaction: edit.kind.isRemoval && waits ? nil : written, seen: seen, present: seen,
          before: edit.before, after: edit.after, settled: settled(by: edit, conflicts),
          waits: waits,
          givenUp: try givenUp(on: machine), offered: edit.offered,
          wasDisputed: conflicts[edit.key] != nil,
          isWhole: conflicts[edit.key]?.contains { $0.kind == .delete } ?? false))
    }
    try checkOwnWrites(edits.map { ($0.key, $0.after) }, on: machine)
  }

  /// The documents of which removals wait until what their authors had seen may be claimed.
  func waitingRemovals(on machine: Machine) throws -> Set<DocumentKey> {
    guard try machine.database.counts().pendingRemovals > 0 else { return [] }
    return Set(
      try machine.database.keptDocuments().filter { !$0.state.pending.isEmpty }.map(\.key))
  }

  private func settled(by edit: Edit, _ conflicts: Conflicts) -> Promise.Settled {
    guard case .nothing = edit.settled, let listed = conflicts[edit.key] else {
      return edit.settled
    }
    // Beside a delete that is undone, a document is written whole (rule 13).
    guard let named = edit.named, !listed.contains(where: { $0.kind == .delete }) else {
      return .everythingSeen
    }
    return .paths(named)
  }

  /// What a transaction is known by; nil where nothing is published yet.
  private func written(
    _ result: StoreWriter.Result, on machine: Machine
  ) throws -> Promise.Written? {
    guard let sequence = result.sequence else { return nil }
    let tips = try machine.database.frontier().applied.entries(of: result.stream)
    guard let tip = tips.first, tips.count == 1 else {
      throw Finding("device \(machine.number) writes a stream that branches, as it knows")
    }
    note("    acknowledged as \(machine.number):\(sequence)")
    return Promise.Written(sequence: Int(sequence), tip: tip)
  }

  /// What was acknowledged shows at once, to whoever reads next.
  private func checkOwnWrites(
    _ edits: [(key: DocumentKey, after: JSON?)], on machine: Machine
  ) throws {
    var last: [DocumentKey: JSON?] = [:]
    for edit in edits { last[edit.key] = edit.after }
    for (key, wanted) in last {
      let shown = try machine.database.document(at: key).map { try JSON(parsing: $0.body) }
      guard shown == wanted else {
        throw Finding("what device \(machine.number) wrote to \(key.id) does not show")
      }
    }
  }

  // MARK: Writing on what was read

  func read(_ key: DocumentKey, on machine: Machine) throws {
    guard let document = try machine.database.document(at: key) else { return }
    note("    reads \(document.key.id): \(String(decoding: document.body, as: UTF8.self))")
    machine.reads.append(
      ReadVersion(
        document: document, applied: try applied(on: machine),
        known: try machine.claimable(), promises: promises.count,
        isDisputed: try conflicts(on: machine)[document.key] != nil))
  }

  private func writeOnRead(on machine: Machine, _ random: inout SplitMix) throws {
    guard !machine.reads.isEmpty else { return }
    // Mostly one of the last.
    let read =
      random.chance(70) ? machine.reads.suffix(3).randomElement(using: &random) : nil
    try save(read ?? random.pick(machine.reads), on: machine, &random)
  }

  /// Puts an edited version of what a reader kept.
  func save(_ version: ReadVersion, on machine: Machine, _ random: inout SplitMix) throws {
    let key = version.document.key
    let base = try JSON(parsing: version.document.body)
    let wanted = random.chance(8) ? base : random.edited(base, .telling)
    let known = try machine.claimable()
    let isDisputed = try conflicts(on: machine)[key] != nil
    let before = try machine.database.document(at: key).map { try JSON(parsing: $0.body) }
    var outcome = StoreWriter.Edit.unchanged
    let hasUnseenDelete = try hasUnseenDelete(version, on: machine)
    let result = try machine.database.writeDocuments(
      now: machine.device.ambient.time, nonce: machine.device.nonce
    ) { writer in
      // As scripts keep it.
      let token = VersionTokenText.decode(VersionTokenText.encode(version.document.token))
      outcome = try writer.put(wanted, at: key, token: token ?? version.document.token)
    }
    note("    puts \(key.id) on \(base.canonical): \(wanted.canonical), which is \(outcome)")
    if outcome == .stale { figures.stale += 1 }
    guard outcome == .changed else { return }
    if before != nil, hasUnseenDelete {
      throw Finding("a put of \(key.id) is accepted beside a delete that its reader had not seen")
    }
    let after = try machine.database.document(at: key).map { try JSON(parsing: $0.body) }
    let met = try unseenEdits(version, on: machine)
    for leaf in wanted.leaves where base.value(at: leaf.path) != leaf.value || before == nil {
      // What was counted since counts on from the number that was put (rule 14), and what came into
      // a set or left it since stays so (rule 15).
      let isSetChanged =
        leaf.value.elements != nil && before?.value(at: leaf.path) != base.value(at: leaf.path)
      guard
        after?.value(at: leaf.path) == leaf.value || met.contains(leaf.path) || isSetChanged
      else {
        throw Finding(
          "device \(machine.number) put \(leaf) on \(key.id), and \(after?.canonical ?? "nothing")"
            + " shows")
      }
    }
    if before == nil { try checkInsert(key, wanted: wanted, shown: after, on: machine) }
    let seen = before == nil ? known : version.known
    promises.add(
      Promise(
        kind: .put, document: key, device: machine.number, life: machine.life,
        number: promises.count, group: promises.count,
        transaction: try written(result, on: machine), seen: seen, present: known,
        before: before == nil ? nil : base, after: wanted, settled: .everythingSeen,
        waits: try waitingRemovals(on: machine).contains(key),
        givenUp: try givenUp(on: machine), offered: nil,
        wasDisputed: isDisputed || version.isDisputed, isWhole: false))
  }

  /// Where the document had been deleted meanwhile, a put on an old version makes it anew, having
  /// seen the deletion (rule 16).
  private func checkInsert(
    _ key: DocumentKey, wanted: JSON, shown: JSON?, on machine: Machine
  ) throws {
    guard shown == wanted else {
      throw Finding("what device \(machine.number) put as a new \(key.id) does not show")
    }
    let frontier = try machine.database.frontier()
    // What is not closed cannot be claimed.
    guard frontier.open.isEmpty else { return }
    guard try conflicts(on: machine)[key] == nil else {
      throw Finding("a new \(key.id) by device \(machine.number) undoes what deleted the old one")
    }
  }

  /// Where increments and elements are kept that had not been applied when the version was read.
  ///
  /// Who writes a set anew, as part of what it stands in, has added what is in it.
  private func unseenEdits(
    _ version: ReadVersion, on machine: Machine
  ) throws -> Set<[ByteString]> {
    let document = try machine.database.keptDocuments().first { $0.key == version.document.key }
    // Of a device that was put back, another branch may have been as long then.
    let lineage = try machine.database.frontier().lineage
    let unseen = document?.state.uncoveredEntries.filter { entry in
      !lineage.isCovered(Context([entry.stamp.transaction]), by: version.applied)
    }
    return Set(
      (unseen ?? []).compactMap { entry in
        switch entry.effect.kind {
        case .increment: entry.effect.path.keys
        case .add: Array(entry.effect.path.keys.dropLast())
        default: nil
        }
      })
  }

  /// Whether a delete is kept that had not been applied when the version was read.
  private func hasUnseenDelete(_ version: ReadVersion, on machine: Machine) throws -> Bool {
    let document = try machine.database.keptDocuments().first { $0.key == version.document.key }
    guard let state = document?.state else { return false }
    let waits = state.pending.contains { $0.kind == .delete }
    return waits
      && promises.hasDelete(since: version.promises, of: version.document.key, machine.life)
      || state.uncoveredEntries.contains { entry in
        let dot = entry.stamp.dot
        return entry.effect.kind == .delete
          && !version.applied.contains(stream: dot.stream, sequence: dot.sequence)
      }
  }
}
